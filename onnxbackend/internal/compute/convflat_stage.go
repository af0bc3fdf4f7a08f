package compute

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// A flatStage is a layer over pictures of a known size.
type flatStage struct {
	placed
	layer *laneLayer
	// Groups of channels do not mix: each has so many channels of the input and of the result. A
	// MaxPool has a group for each channel.
	groups, sources, maps int
	rows, cols            flatAxis
	// lines is the number of floats of a phase of a channel, for all pictures of a group.
	lines int
	// whole says that the input is read as it is: the window has one place and no padding.
	whole bool
	// step is how many rows are computed together, so that what they read and write stays in the
	// cache.
	step int

	padded  []float32 // (source, phase of rows, phase of columns, lines)
	from    []int32   // (source, tap), as in kernel.ConvRow
	results []float32 // (map, place), those of some rows
}

// flatCache is how many floats of a layer's input or result are used together: 384 KiB, less than a
// second-level cache.
const flatCache = 96 << 10

// place sets the sizes of a stage whose input has the shape. It reports false if the stage cannot
// be computed flat, or if the link is going to fail, so that the link returns its own error.
func (s *flatStage) place(y *laneLayer, shape []int) bool {
	s.layer, s.groups, s.sources, s.maps = y, shape[1], 1, 1
	var err error
	if y.w != nil {
		var c convolution
		c, err = newConvolution(y.window, y.groups, &tensor.Tensor{Shape: shape}, y.w, y.bias)
		s.placed, s.groups, s.sources, s.maps = c.placed, c.groups, c.sources, c.maps
	} else if y.kernel != nil {
		s.placed, err = y.over(shape[2:])
	}
	if err != nil || s.kernel == nil || s.maps*s.sources*s.groups == 0 || !s.meets() {
		return false
	}
	// Sizes are checked before anything is laid out: the file may hold any numbers.
	n, ok := tensor.Count([]int{s.sources, s.taps(), s.positions()})
	return ok && n <= 16*maxFlat
}

// arrange lays the stage out for so many pictures at a time. It reports false if it is too large.
func (s *flatStage) arrange(pictures int) bool {
	s.rows, s.cols = newFlatAxis(s.placed, 0), newFlatAxis(s.placed, 1)
	// Vectors may read beyond the last place.
	lines, ok := tensor.Count([]int{pictures*s.rows.pitch + s.rows.over, s.cols.pitch})
	s.lines = lines + s.cols.over + 2*kernel.LaneWidth()
	s.whole = s.layer.w != nil && s.taps() == 1 && pictures == 1 &&
		slices.Equal(s.out, s.in) && max(s.pads[0], s.pads[1]) == 0
	if s.whole {
		s.lines = s.positions()
	}
	phases := len(s.rows.phases) * len(s.cols.phases)
	n, fits := tensor.Count([]int{s.sources, phases, s.lines})
	if !ok || !fits || n > maxFlat {
		return false
	}
	all, width := (pictures-1)*s.rows.pitch+s.out[0], kernel.LaneWidth()
	s.step = max(flatCache/(max(s.sources*phases, s.maps)*s.cols.pitch), ceilDiv(4*width,
		s.cols.pitch))
	s.step = ceilDiv(all, ceilDiv(all, s.step)) // blocks of about the same size
	return true
}

// result returns the number of elements of the result of one picture.
func (s *flatStage) result() int { return s.groups * s.maps * s.positions() }

// direct reports whether results of so many pictures are computed where they belong: then no place
// lies between two rows. A MaxPool computes whole vectors.
func (s *flatStage) direct(pictures int) bool {
	return pictures == 1 && s.cols.pitch == s.out[1] && s.layer.w != nil &&
		s.positions() >= kernel.LaneWidth()
}

// open allocates the memory of a stage and computes the distances of its taps. The padding is
// written once, since load never writes to it.
func (s *flatStage) open(m *machine.Machine) (err error) {
	colPhases := len(s.cols.phases)
	channel := len(s.rows.phases) * colPhases * s.lines
	if s.from, err = machine.Scratch[int32](m, s.sources*s.taps()); err != nil {
		return err
	}
	i := 0
	for c := range s.sources {
		for ky := range s.kernel[0] {
			for kx := range s.kernel[1] {
				at := s.rows.phaseOf[ky]*colPhases + s.cols.phaseOf[kx]
				s.from[i] = int32(c*channel + at*s.lines + s.rows.shift[ky]*s.cols.pitch +
					s.cols.shift[kx])
				i++
			}
		}
	}
	floats := s.maps * (s.step*s.cols.pitch + kernel.LaneWidth())
	if s.results, err = machine.Scratch[float32](m, floats); err != nil {
		return err
	}
	if err := m.Tick(len(s.from)); err != nil || s.whole {
		return err
	}
	if s.padded, err = machine.Scratch[float32](m, s.sources*channel); err != nil {
		return err
	}
	if v := s.layer.padding(); v == 0 {
		clear(s.padded) // faster than a loop
	} else {
		fill(s.padded, v)
	}
	return m.Tick(len(s.padded))
}

// run computes so many pictures.
func (s *flatStage) run(m *machine.Machine, dst, src []float32, pictures int) error {
	size, k := s.sources*elements(s.in), s.sources*s.taps()
	all := (pictures-1)*s.rows.pitch + s.out[0] // rows, with those between two pictures
	c := s.layer.conv
	c.From, c.Step, c.Maps = s.from, kernel.LaneWidth(), s.maps
	for g := range s.groups {
		from := s.padded
		if s.whole {
			from = src[g*size:][:size]
		} else {
			for p := range pictures {
				if err := m.Tick(size); err != nil {
					return err
				}
				s.load(src[(p*s.groups+g)*size:][:size], p)
			}
		}
		if s.layer.w != nil {
			c.Weights = s.layer.conv.Weights[g*s.maps*k:][:s.maps*k]
			if s.layer.bias != nil {
				c.Bias = s.layer.conv.Bias[g*s.maps:][:s.maps]
			}
		}
		for y := 0; y < all; y += s.step {
			n := min(s.step, all-y)
			cost := s.maps * n * s.cols.pitch * (k + activationCost*len(s.layer.acts))
			if err := m.Tick(cost); err != nil {
				return err
			}
			if s.direct(pictures) {
				s.inPlace(dst[g*s.maps*s.positions():], from, y*s.out[1], n*s.out[1], &c)
				continue
			}
			s.rowsOf(from[y*s.cols.pitch:], n, &c)
			s.store(dst, g, y, n)
		}
	}
	return nil
}

// load copies the channels of a group of a picture to their places between the padding.
func (s *flatStage) load(src []float32, picture int) {
	plane, at := elements(s.in), 0
	for c := range s.sources {
		channel := src[c*plane : (c+1)*plane]
		for _, r := range s.rows.phases {
			for _, q := range s.cols.phases {
				s.loadPhase(s.padded[at+picture*s.rows.pitch*s.cols.pitch:], channel, r, q)
				at += s.lines
			}
		}
	}
}

// loadPhase copies one phase of a channel.
func (s *flatStage) loadPhase(to, channel []float32, r, q phase) {
	width, step, pitch := s.in[1], s.strides[1], s.cols.pitch
	n, rows, between := q.high-q.low, r.high-r.low, s.strides[0]*width
	if n == 0 || rows == 0 {
		return
	}
	from := channel[(r.first+r.low*s.strides[0])*width+q.first+q.low*step:]
	to = to[r.low*pitch+q.low:]
	if step == 1 {
		kernel.CopyRows(to, from, n, rows, pitch, between)
		return
	}
	for j := range rows {
		everyNth(to[j*pitch:][:n], from[j*between:], step)
	}
}

// everyNth copies every step-th float of src, step at least 2. Four at a time need one check of
// bounds.
func everyNth(dst, src []float32, step int) {
	i := 0
	if step == 2 {
		for ; i+4 <= len(dst); i += 4 {
			to, from := dst[i:i+4:i+4], src[2*i:2*i+7:2*i+7]
			to[0], to[1], to[2], to[3] = from[0], from[2], from[4], from[6]
		}
	}
	for ; i < len(dst); i++ {
		dst[i] = src[i*step]
	}
}

// inPlace computes n places from place at on of one picture where they belong, and activates them.
func (s *flatStage) inPlace(dst, src []float32, at, n int, c *kernel.ConvRow) {
	if less := kernel.LaneWidth() - n; less > 0 {
		at, n = at-less, n+less // places that are computed twice are computed alike
	}
	positions := s.positions()
	if s.maps == 1 {
		kernel.DepthFlat(dst[at:], src[at:], n, c)
	} else {
		kernel.ConvFlat(dst[at:], positions, src[at:], n, c)
	}
	for i := range s.layer.acts {
		for p := range s.maps {
			s.layer.acts[i].activate(dst[p*positions+at:][:n])
		}
	}
}

// rowsOf computes so many rows, and the places between them, into results, and activates them.
func (s *flatStage) rowsOf(src []float32, rows int, c *kernel.ConvRow) {
	width := kernel.LaneWidth()
	n := max((rows-1)*s.cols.pitch+s.out[1], width)
	switch stride := s.stride(rows); {
	case s.layer.w == nil:
		kernel.MaxLanes(s.results, src, s.from, ceilDiv(n, width), width)
	case s.maps == 1:
		kernel.DepthFlat(s.results, src, n, c)
	default:
		kernel.ConvFlat(s.results, stride, src, n, c)
	}
	for i := range s.layer.acts {
		for p := range s.maps {
			s.layer.acts[i].activate(s.results[p*s.stride(rows):][:n])
		}
	}
}

// stride returns the distance of two maps in results of so many rows.
func (s *flatStage) stride(rows int) int { return rows*s.cols.pitch + kernel.LaneWidth() }

// store copies rows from results to the pictures that they belong to. Row y is the first one.
func (s *flatStage) store(dst []float32, group, y, rows int) {
	positions, size, width := s.positions(), s.result(), s.out[1]
	for r := 0; r < rows; {
		picture, at := (y+r)/s.rows.pitch, (y+r)%s.rows.pitch
		// Rows between two pictures are left out.
		n := min(s.out[0]-at, rows-r)
		to := dst[picture*size+group*s.maps*positions+at*width:]
		for p := range s.maps {
			if n > 0 {
				kernel.CopyRows(to[p*positions:], s.results[p*s.stride(rows)+r*s.cols.pitch:],
					width, n, width, s.cols.pitch)
			}
		}
		r += s.rows.pitch - at
	}
}
