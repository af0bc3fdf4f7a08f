package compute

import (
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// A layer is one direction of a recurrent layer, in the memory of a run.
type layer struct {
	cell
	hidden int
	acts   []activate
	// transposedR holds the recurrent weights as (hidden, gates*hidden).
	transposedR []float32
	// bias (hidden) is the bias of the state for the last gate of a GRU, if resetLate.
	bias []float32
	// peep (3*hidden) holds the peepholes of an LSTM: weights of the cell state in its gates i, o
	// and f. It is nil without peepholes.
	peep []float32
	// clip bounds the arguments of activations; 0 if they are not bounded.
	clip float32
	// resetLate scales the state's contribution to the last gate of a GRU by the reset gate. By
	// default that gate scales the state itself.
	resetLate bool
	// coupled makes the forget gate of an LSTM one minus its input gate.
	coupled bool
	// scratch (hidden) and r (gates*hidden) are memory of a step.
	scratch, r []float32
}

// NewLSTM makes LSTM (Hochreiter and Schmidhuber, 1997), optionally with peepholes.
func NewLSTM(n *Node) (Func, error) { return buildRecurrent(n, lstmCell) }

// NewGRU makes GRU (Cho et al., 2014).
func NewGRU(n *Node) (Func, error) { return buildRecurrent(n, gruCell) }

// NewRNN makes RNN, the simple recurrent layer of Elman (1990).
func NewRNN(n *Node) (Func, error) { return buildRecurrent(n, rnnCell) }

// buildRecurrent makes LSTM, GRU and RNN: X (time, batch, input), W (directions, gates*hidden,
// input), R (directions, gates*hidden, hidden), B (directions, 2*gates*hidden). Y is (time,
// directions, batch, hidden), the last states (directions, batch, hidden). With layout 1 the batch
// is the first dimension of X, Y and states. Sequences may have different lengths, input 4; Y is
// zero after their ends.
func buildRecurrent(n *Node, c cell) (Func, error) {
	directions, backward := 1, false
	switch n.Text("direction", "forward") {
	case "bidirectional":
		directions = 2
	case "reverse":
		backward = true
	}
	base := layer{cell: c, resetLate: n.Int("linear_before_reset", 0) != 0,
		coupled: n.Int("input_forget", 0) != 0, clip: n.Float("clip", 0)}
	acts, err := n.activations(c, directions)
	if err != nil {
		return nil, err
	}
	// Layout 1 is computed by a copy to layout 0 and back: it is rare, and the copies cost little.
	batchFirst := n.Int("layout", 0) != 0
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		if batchFirst {
			var err error
			if in, err = timeFirst(m, in); err != nil {
				return err
			}
		}
		s, err := sequenceOf(in, c.gates, directions)
		if err != nil {
			return err
		}
		y := make([]*tensor.Tensor, 3)
		shapes := [][]int{{s.time, directions, s.batch, s.hidden}, {directions, s.batch, s.hidden},
			{directions, s.batch, s.hidden}}
		for i := range y {
			y[i] = &tensor.Tensor{}
			// States are needed during the run even if the node does not name them as outputs.
			if i < len(out) && !batchFirst {
				y[i] = out[i]
			} else {
				defer m.Release(y[i])
			}
			if err := m.Alloc(y[i], s.x.Type, shapes[i]...); err != nil {
				return err
			}
		}
		for d := range directions {
			// Each direction has parameters and activations of its own.
			l := base
			l.acts = acts[d*len(c.defaults):]
			run := s.run
			if s.x.Type == tensor.Float64 {
				run = s.run64
			}
			if err := run(m, &l, y, d, backward || d == 1); err != nil {
				return err
			}
		}
		if batchFirst {
			return s.batchFirst(m, out, y)
		}
		return nil
	}, nil
}

// timeFirst returns the inputs of layout 1 in layout 0: X and the initial states are swapped.
func timeFirst(m *machine.Machine, in []*tensor.Tensor) ([]*tensor.Tensor, error) {
	in = slices.Clone(in)
	for _, i := range []int{0, 5, 6} {
		if given(in, i) == nil {
			continue
		}
		t, err := swapped(m, in[i])
		if err != nil {
			return nil, err
		}
		in[i] = t
	}
	return in, nil
}

// swapped returns x with its first two dimensions exchanged.
func swapped(m *machine.Machine, x *tensor.Tensor) (*tensor.Tensor, error) {
	if x.Rank() != 3 {
		return nil, msg.Errorf("shape %v does not have three dimensions", x.Shape)
	}
	shape := []int{x.Shape[1], x.Shape[0], x.Shape[2]}
	return rearranged(m, x, shape, shape, []int{x.Shape[2], x.Shape[1] * x.Shape[2], 1})
}

// batchFirst makes the outputs with the batch as their first dimension.
func (s *sequence) batchFirst(m *machine.Machine, out, y []*tensor.Tensor) error {
	state := s.batch * s.hidden
	for i, o := range out {
		shape, strides := []int{s.batch, s.directions, s.hidden}, []int{s.hidden, state, 1}
		if i == 0 {
			shape, strides = []int{s.batch, s.time, s.directions, s.hidden}, []int{s.hidden,
				s.directions * state, state, 1}
		}
		if err := stridedCopy(m, o, y[i], shape, 0, shape, strides); err != nil {
			return err
		}
	}
	return nil
}

// sequence holds the inputs of a recurrent layer and their sizes.
type sequence struct {
	// x is the input, w and r are the weights of input and state, and b is the bias. h and c are
	// the initial states, and p holds the peepholes. Those from b on may be nil.
	x, w, r, b, h, c, p *tensor.Tensor
	// lengths holds the length of each sequence of the batch. It is nil if all fill the whole time.
	lengths                    []int
	time, batch, input, hidden int
	directions                 int
}

// sequenceOf reads the inputs of a recurrent layer and checks their shapes. gates is the number of
// gates of its cell.
func sequenceOf(in []*tensor.Tensor, gates, directions int) (*sequence, error) {
	s := &sequence{x: in[0], w: in[1], r: in[2], b: given(in, 3), h: given(in, 5), c: given(in, 6),
		p: given(in, 7), directions: directions}
	if _, err := areFloats(s.x, s.w, s.r, s.b, s.h, s.c, s.p); err != nil {
		return nil, err
	}
	if s.x.Rank() != 3 || s.r.Rank() != 3 {
		return nil, msg.Errorf(
			"input of shape %v and recurrent weights of shape %v do not have three dimensions",
			s.x.Shape, s.r.Shape)
	}
	s.time, s.batch, s.input, s.hidden = s.x.Shape[0], s.x.Shape[1], s.x.Shape[2], s.r.Shape[2]
	// The gates lie side by side in the first dimension of the weights.
	width := gates * s.hidden
	for _, p := range []struct {
		t     *tensor.Tensor
		shape []int
	}{
		{s.w, []int{directions, width, s.input}}, {s.r, []int{directions, width, s.hidden}}, {s.b,
			[]int{directions, 2 * width}},
		{s.h, []int{directions, s.batch, s.hidden}}, {s.c, []int{directions, s.batch, s.hidden}},
		{s.p, []int{directions, 3 * s.hidden}},
	} {
		if p.t != nil && !slices.Equal(p.t.Shape, p.shape) {
			return nil, msg.Errorf("a parameter has shape %v instead of %v", p.t.Shape, p.shape)
		}
	}
	if t := given(in, 4); t != nil {
		var err error
		if s.lengths, err = IntsOf(t); err != nil {
			return nil, err
		}
		if len(s.lengths) != s.batch {
			return nil, fmt.Errorf("%d sequence lengths for a batch of %d", len(s.lengths), s.batch)
		}
		for _, n := range s.lengths {
			if n < 0 || n > s.time {
				return nil, fmt.Errorf("a sequence has length %d, but the time axis has %d places",
					n, s.time)
			}
		}
	}
	return s, nil
}

// part is direction in float32.
func (s *sequence) part(t *tensor.Tensor, d int) []float32 { return direction[float32](s, t, d) }

// direction returns the values of one direction of a parameter, nil if it is omitted. Directions
// are the first dimension of every parameter.
func direction[T float32 | float64](s *sequence, t *tensor.Tensor, d int) []T {
	if t == nil {
		return nil
	}
	size := t.Len() / s.directions
	return tensor.Of[T](t)[d*size : (d+1)*size]
}

// run computes one direction. The input's part of all gates is one matrix product over all of time,
// which is faster than one for each step. y are the outputs; those of states hold the state during
// the run.
func (s *sequence) run(
	m *machine.Machine, l *layer, y []*tensor.Tensor, d int, backward bool,
) error {
	h, c := s.part(y[1], d), s.part(y[2], d)
	clear(h)
	clear(c)
	copy(h, s.part(s.h, d))
	copy(c, s.part(s.c, d))
	width := l.gates * s.hidden
	l.hidden = s.hidden
	gates, err := machine.Scratch[float32](m, s.time*s.batch*width)
	if err != nil || len(gates) == 0 {
		return err
	}
	if err := product(m, gates, tensor.Of[float32](s.x), s.part(s.w, d), s.time*s.batch, width,
		s.input, true, epilogue{}); err != nil {
		return err
	}
	// Transposed weights let a step multiply by a row vector, which the kernel computes fastest.
	if l.transposedR, err = transposed(m, s.part(s.r, d), width, s.hidden); err != nil {
		return err
	}
	if l.r, err = machine.Scratch[float32](m, width+s.hidden); err != nil {
		return err
	}
	l.r, l.scratch, l.peep = l.r[:width], l.r[width:], s.part(s.p, d)
	s.addBiases(l, gates, d)
	all := tensor.Of[float32](y[0])
	for i := range s.time {
		if err := m.Tick(s.batch * width * s.hidden); err != nil {
			return err
		}
		for j := range s.batch {
			// A sequence that is shorter than the others ends earlier. Backward, it starts at its
			// own last place.
			n, t := s.time, i
			if s.lengths != nil {
				n = s.lengths[j]
			}
			if i >= n { // step i is behind the end of this sequence
				clear(all[((i*s.directions+d)*s.batch+j)*s.hidden:][:s.hidden])
				continue
			}
			if backward {
				t = n - 1 - i
			}
			// The states are updated in place, sequence by sequence.
			hj, cj := h[j*s.hidden:(j+1)*s.hidden], c[j*s.hidden:(j+1)*s.hidden]
			kernel.Gemv(l.r, hj, l.transposedR, width, width)
			l.step(l, gates[(t*s.batch+j)*width:][:width], l.r, hj, cj)
			copy(all[((t*s.directions+d)*s.batch+j)*s.hidden:], hj)
		}
	}
	return nil
}

// addBiases adds the biases of input and state to all gates, except those that a GRU with
// linear_before_reset scales by its reset gate.
func (s *sequence) addBiases(l *layer, gates []float32, d int) {
	b := s.part(s.b, d)
	if b == nil {
		return
	}
	width := len(b) / 2
	now := width
	if l.resetLate && l.gates == 3 {
		// The last third is that of the new state, whose bias is scaled by the reset gate later.
		now -= s.hidden
		l.bias = b[width+now:]
	}
	for at := 0; at < len(gates); at += width {
		for i := range width {
			gates[at+i] += b[i]
			if i < now {
				gates[at+i] += b[width+i]
			}
		}
	}
}
