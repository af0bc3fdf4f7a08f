package compute

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// A stage is a layer over pictures of a known size. Its band stores padding like other elements, so
// that every tap is at the same distance from its position and the kernel needs no conditions.
type stage struct {
	placed
	layer *laneLayer
	chain *lanes
	// before computes the input. It is nil for the first stage, which reads the pictures.
	before   *stage
	channels int // channels of the input
	maps     int // maps of the output
	// rows and cols are the sizes of the band. cols includes the padding.
	rows, cols int
	// band holds (channel, row, column, lane).
	band []float32
	// from holds the offsets of all taps in the band, as in kernel.ConvRow. Those of a MaxPool are
	// of one channel, since it computes channels one after another.
	from []int32
	// next is the first input row after the band. It is negative in the padding.
	next int
}

// open allocates the memory of a stage and computes the offsets of its taps, which are the same for
// all positions. The columns of padding are filled once, since load never writes to them.
func (s *stage) open(m *machine.Machine) (err error) {
	width := kernel.LaneWidth()
	if s.band, err = machine.Scratch[float32](m, s.channels*s.rows*s.cols*width); err != nil {
		return err
	}
	fill(s.band, s.layer.padding())
	channels := s.channels
	if s.layer.w == nil {
		channels = 1
	}
	if s.from, err = machine.Scratch[int32](m, channels*s.taps()); err != nil {
		return err
	}
	i := 0
	for c := range channels {
		for ky := range s.kernel[0] {
			for kx := range s.kernel[1] {
				// Offsets are counted in floats: a column of the band has one for each lane.
				s.from[i] = int32(((c*s.rows+ky*s.dilations[0])*s.cols + kx*s.dilations[1]) * width)
				i++
			}
		}
	}
	return m.Tick(len(s.band) + len(s.from))
}

// begin empties the band before other pictures: the first row it needs lies in the padding.
func (s *stage) begin() { s.next = -s.pads[0] }

// row computes row y of the output for all maps; that of map p goes to dst[p*mapStride]. Rows must
// be requested in ascending order, since the band slides in one direction.
func (s *stage) row(m *machine.Machine, y int, dst []float32, mapStride int) error {
	if err := s.slide(m, y*s.strides[0]-s.pads[0]); err != nil {
		return err
	}
	width, n := kernel.LaneWidth(), s.out[1]
	step := s.strides[1] * width
	if s.layer.w != nil {
		c := s.layer.conv
		c.From, c.Step = s.from, step
		cost := max(1, len(c.Weights)*width)
		// Blocks bound the time between two looks at whether the run goes on.
		block := max(1, multiplyBlock/cost)
		for x := 0; x < n; x += block {
			some := min(block, n-x)
			if err := m.Tick(some * cost); err != nil {
				return err
			}
			kernel.ConvLanes(dst[x*width:], mapStride, s.band[x*step:], some, &c)
		}
		return s.activate(m, dst, mapStride)
	}
	// A MaxPool keeps channels apart, so it computes them one after another with the same offsets.
	plane, cost := s.rows*s.cols*width, len(s.from)*width
	block := max(1, multiplyBlock/cost)
	for p := range s.maps {
		for x := 0; x < n; x += block {
			some := min(block, n-x)
			if err := m.Tick(some * cost); err != nil {
				return err
			}
			kernel.MaxLanes(dst[p*mapStride+x*width:], s.band[p*plane+x*step:(p+1)*plane], s.from,
				some, step)
		}
	}
	return s.activate(m, dst, mapStride)
}

// activate applies the layer's activations to a row of each map.
func (s *stage) activate(m *machine.Machine, dst []float32, mapStride int) error {
	n := s.out[1] * kernel.LaneWidth()
	for i := range s.layer.acts {
		for p := range s.maps {
			if err := m.Tick(n * activationCost); err != nil {
				return err
			}
			s.layer.acts[i].activate(dst[p*mapStride:][:n])
		}
	}
	return nil
}

// slide moves the band down until it begins at row top of the input. Rows that the former window
// shares with the new one are copied to the start of the band; the others are loaded.
func (s *stage) slide(m *machine.Machine, top int) error {
	line := s.cols * kernel.LaneWidth()
	plane := s.rows * line
	// Windows that overlap share rows, which only move to the start of the band.
	reused := max(0, s.next-top) // rows at the end of the band that stay
	if err := m.Tick(len(s.band)); err != nil {
		return err
	}
	if reused > 0 && reused < s.rows {
		for c := range s.channels {
			of := s.band[c*plane:][:plane]
			copy(of[:reused*line], of[(s.rows-reused)*line:])
		}
	}
	for r := reused; r < s.rows; r++ {
		if err := s.load(m, top+r, s.band[r*line+s.pads[1]*kernel.LaneWidth():],
			plane); err != nil {
			return err
		}
	}
	s.next = top + s.rows
	return nil
}

// load copies row y of the input into a row of the band; plane is the distance between planes. Rows
// outside of the picture are padding. Other rows come from the stage before, or from the pictures.
func (s *stage) load(m *machine.Machine, y int, to []float32, plane int) error {
	n, l := s.in[1], s.chain
	switch {
	case y < 0 || y >= s.in[0]:
		for c := range s.channels {
			fill(to[c*plane:][:n*kernel.LaneWidth()], s.layer.padding())
		}
	case s.before != nil:
		return s.before.row(m, y, to, plane)
	default:
		size := s.in[0] * n
		for c := range s.channels {
			kernel.ToLanes(to[c*plane:], l.src[c*size+y*n:], n, s.channels*size, l.pictures)
		}
	}
	return nil
}
