package ops

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
	fill(s.padded, s.layer.padding())
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
			s.store(dst, g, y, n, pictures)
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
	n := q.high - q.low
	if n == 0 {
		return
	}
	if r.low == 0 && q.low == 0 && step == 1 && s.strides[0] == 1 && n == width && pitch == width {
		copy(to[:r.high*width], channel[r.first*width:]) // no row has padding
		return
	}
	x := q.first + q.low*step
	for j := r.low; j < r.high; j++ {
		line := channel[(r.first+j*s.strides[0])*width:][:width]
		row := to[j*pitch+q.low:][:n]
		if step == 1 {
			copy(row, line[x:])
			continue
		}
		for i, at := 0, x; i < len(row); i, at = i+1, at+step {
			row[i] = line[at]
		}
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
func (s *flatStage) store(dst []float32, group, y, rows, pictures int) {
	positions, size, width := s.positions(), s.result(), s.out[1]
	for r := range rows {
		picture, at := (y+r)/s.rows.pitch, (y+r)%s.rows.pitch
		if at >= s.out[0] {
			continue // the row lies between two pictures
		}
		to := dst[picture*size+group*s.maps*positions+at*width:]
		for p := range s.maps {
			copy(to[p*positions:][:width], s.results[p*s.stride(rows)+r*s.cols.pitch:])
		}
	}
}
