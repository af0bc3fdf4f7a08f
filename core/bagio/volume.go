package bagio

import (
	"cmp"
	"math"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// A sampler is how the slices of a volume become instances that are not the slices of the file.
type sampler struct {
	core.Sampling
	neighbours    int // slices on each side that are channels
	height, width int // the model's input; 0 or less if they are open
}

// takeSampler returns how slices are sampled, and removes what the caller states from the options:
// a reader that does not call it refuses them, see newSet.
func (o *Options) takeSampler() (s sampler, err error) {
	s.Sampling, s.neighbours = o.UsualSpacing, cmp.Or(o.Neighbours, o.UsualNeighbours)
	if o.Spacing != "" {
		if s.Sampling, err = core.ParseSampling(o.Spacing); err != nil {
			return s, err
		}
	}
	if s.neighbours < 0 || s.neighbours > core.MostNeighbours {
		return s, &core.SettingError{Setting: "neighbours", Reason: msg.Sprintf("it is %d, but "+
			"must be from 0 to %d", s.neighbours, core.MostNeighbours)}
	}
	if n := len(o.InstanceShape); n >= 2 {
		s.height, s.width = o.InstanceShape[n-2], o.InstanceShape[n-1]
	}
	o.Spacing, o.Neighbours = "", 0
	return s, nil
}

// none reports whether slices stay as they are.
func (s sampler) none() bool { return s.String() == "" && s.neighbours == 0 }

// A volume is slices before they are channels of instances: values (slice, plane, row, column).
// Planes are 3 for colours, else 1.
type volume struct {
	name                          string
	values                        []float32
	slices, planes, height, width int
	bytes                         bool // values are pixels 0..255
}

// plane returns the samples of a slice of some pixels at a spacing.
func (s sampler) plane(
	name string, height, width int, spacing core.Spacing,
) (rows, columns []taps, err error) {
	switch {
	case s.Fit && min(s.height, s.width) < 1:
		return nil, nil, bad(name, "slices are to fit the model's input, which has no size of its "+
			"own; state the distance of pixels in mm as spacing")
	case s.Fit:
		return scaledTaps(height, s.height), scaledTaps(width, s.width), nil
	case s.Pixels == 0:
		return linearTaps(evenly(height, 1), 1, height), linearTaps(evenly(width, 1), 1, width), nil
	case min(spacing.Rows, spacing.Columns) <= 0:
		return nil, nil, bad(name, "it does not state the distance of its pixels; omit spacing, "+
			"or state fit")
	}
	high, wide := s.samples(height, spacing.Rows), s.samples(width, spacing.Columns)
	if max(high, wide) > mostAlongSampled {
		return nil, nil, bad(name, "at %v mm its slices have more than %d pixels a side; state a "+
			"larger spacing", s.Pixels, mostAlongSampled)
	}
	rows = linearTaps(evenly(height, spacing.Rows), s.Pixels, int(high))
	columns = linearTaps(evenly(width, spacing.Columns), s.Pixels, int(wide))
	if min(s.height, s.width) > 0 {
		rows, columns = centred(rows, s.height), centred(columns, s.width)
	}
	return rows, columns, nil
}

// mostAlongSampled bounds the pixels of a side of a sampled slice.
const mostAlongSampled = 1 << 14

// samples returns how many samples cover n pixels at a distance.
func (s sampler) samples(n int, apart float64) float64 {
	return max(1, math.Round(float64(n)*apart/s.Pixels))
}

// hold reserves and allocates the values of slices of some rows and columns.
func (v *volume) hold(slices, rows, columns int, l Limits) error {
	v.height, v.width = rows, columns
	n, err := l.elements(v.name, []int{slices, v.planes, rows, columns})
	if err != nil {
		return err
	}
	if err := l.reserve(v.name, 4*int64(n)); err != nil {
		return err
	}
	v.values = make([]float32, 0, n)
	return nil
}

// add appends the samples of the planes of a slice.
func (v *volume) add(planes []float32, width int, rows, columns []taps) {
	each := len(planes) / v.planes
	for p := range v.planes {
		v.values = blended(v.values, planes[p*each:][:each], width, rows, columns)
	}
	v.slices++
}

// filled gives samples beyond the slices the smallest value of the volume.
func (v *volume) filled() {
	least := float32(math.Inf(1))
	for _, x := range v.values {
		if x < least { // false for NaN
			least = x
		}
	}
	for i, x := range v.values {
		if x != x {
			v.values[i] = least
		}
	}
}

// along returns the volume with the slices that samples say.
func (v *volume) along(slices []taps, l Limits) (*volume, error) {
	out := *v
	out.slices = len(slices)
	n, err := l.elements(v.name, []int{out.slices, v.planes, v.height, v.width})
	if err != nil {
		return nil, err
	}
	if err := l.reserve(v.name, 4*int64(n)); err != nil {
		return nil, err
	}
	defer l.Memory.Release(4 * int64(len(v.values)))
	each := v.planes * v.height * v.width
	out.values = make([]float32, n)
	for s, t := range slices {
		dst := out.values[s*each:][:each]
		for i := range dst {
			sum := 0.0
			for j, w := range t.weights {
				sum += w * float64(v.values[(t.first+j)*each+i])
			}
			dst[i] = float32(sum)
		}
	}
	return &out, nil
}

// instances returns the array (slice, channel, row, column) of the volume, and releases its values:
// pixels 0..255 under windows or of bytes, else float32. Channels are the planes, or of a plane
// the slices from the neighbours before a slice to those behind it. The first and the last slice
// stand for those beyond them. between are the samples of slices, or nil.
func (v *volume) instances(
	s sampler, between []taps, windows core.Windows, channels int, l Limits,
) (*Array, error) {
	v.filled()
	if between != nil {
		var err error
		if v, err = v.along(between, l); err != nil {
			return nil, err
		}
	}
	shape := []int{v.slices, channels, v.height, v.width}
	n, err := l.elements(v.name, shape)
	if err != nil {
		return nil, err
	}
	bytes, size := v.bytes || len(windows) > 0, int64(4)
	if bytes {
		size = 1
	}
	if err := l.reserve(v.name, size*int64(n)); err != nil {
		return nil, err
	}
	defer l.Memory.Release(4 * int64(len(v.values)))
	out, plane := newValues(n, bytes), v.height*v.width
	for i := range v.slices {
		for c := range channels {
			from := i*v.planes + c%v.planes
			if s.neighbours > 0 {
				from = min(max(i+c-s.neighbours, 0), v.slices-1)
			}
			one := v.values[from*plane:][:plane]
			switch {
			case len(windows) > 0:
				out.addPixels(one, windows.Of(c))
			case bytes:
				for _, x := range one {
					out.bytes = append(out.bytes, byte(math.Round(float64(x))))
				}
			default:
				out.add(one)
			}
		}
	}
	return out.array(v.name, shape), nil
}

// channels returns the number of channels of instances of a shape; usual is what slices have if
// nothing determines it.
func (s sampler) channels(name string, shape []int, w core.Windows, usual int) (int, error) {
	n := 2*s.neighbours + 1
	switch {
	case s.neighbours == 0:
		return channelsUnder(name, shape, w, usual)
	case usual > 1:
		return 0, bad(name, "its slices have colours, and neighbours are channels of grey slices; "+
			"omit neighbours")
	case len(w) > 1:
		return 0, bad(name, "neighbours are channels, and so are %d windows; state one window",
			len(w))
	case len(shape) == 3 && shape[0] > 0 && shape[0] != n:
		return 0, bad(name, "a slice and %d neighbours on each side are %d channels, and the "+
			"model takes %d", s.neighbours, n, shape[0])
	}
	return n, nil
}

// notes says how slices were sampled. before and after are their rows and columns.
func (s sampler) notes(before, after [2]int) []string {
	var notes []string
	switch {
	case s.Fit:
		notes = append(notes, msg.Sprintf("Slices of %d x %d pixels are scaled to %d x %d.",
			before[1], before[0], after[1], after[0]))
	case s.Pixels > 0:
		notes = append(notes, msg.Sprintf("Pixels are %v mm apart, interpolated: slices of %d x "+
			"%d pixels have %d x %d.", s.Pixels, before[1], before[0], after[1], after[0]))
	}
	if s.Slices > 0 {
		notes = append(notes, msg.Sprintf("Slices are interpolated, %v mm apart.", s.Slices))
	}
	if s.neighbours > 0 {
		notes = append(notes, msg.Sprintf("Channels are a slice and its neighbours, %d on each "+
			"side; without a slice, its neighbours still show it.", s.neighbours))
	}
	return notes
}

// sampleBytes bounds the bytes that a sample of slices and its place take.
const sampleBytes = 320

// places returns the samples of slices at ascending distances in mm, and the places of these:
// each is in the image of the nearest slice.
func (s sampler) places(
	name string, at []float64, slices []core.Slice, l Limits,
) ([]taps, []core.Slice, error) {
	gaps := make([]float64, len(at)-1)
	for i := range gaps {
		gaps[i] = at[i+1] - at[i]
		if gaps[i] < sameGap {
			return nil, nil, bad(name, "slices %d and %d, counted from 0, lie at the same "+
				"position, so that none can be interpolated between them; remove one of the "+
				"files, or omit the distance of slices from spacing", i, i+1)
		}
	}
	usual := usualGap(gaps)
	if len(gaps) == 0 {
		usual = s.Slices
	}
	n := max(1, math.Round((at[len(at)-1]-at[0]+usual)/s.Slices))
	if n > float64(l.Instances) {
		return nil, nil, l.instances(name, int64(min(n, 1<<53)))
	}
	if err := l.reserve(name, sampleBytes*int64(n)); err != nil {
		return nil, nil, err
	}
	samples := linearTaps(at, s.Slices, int(n))
	if slices == nil {
		return samples, nil, nil
	}
	out := make([]core.Slice, len(samples))
	for i, t := range samples {
		nearest := t.first
		if len(t.weights) == 2 && t.weights[1] >= 0.5 {
			nearest++
		}
		out[i] = slices[nearest]
		if len(t.weights) == 1 {
			continue
		}
		for axis := range out[i].Place.Position {
			from := slices[t.first].Place.Position[axis]
			to := slices[t.first+1].Place.Position[axis]
			out[i].Place.Position[axis] = t.weights[0]*from + t.weights[1]*to
		}
	}
	return samples, out, nil
}
