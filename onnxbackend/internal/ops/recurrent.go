package ops

import (
	"fmt"
	"strings"

	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// A cell is what one step of a recurrent layer does to its state. x holds what the input and the biases
// give to each gate and is overwritten; r, what the state before gives.
type cell struct {
	gates       int
	activations string // of one direction, in lower case
	step        func(l *layer, x, r, h, c []float32)
}

var cells = map[string]cell{
	"LSTM": {4, "sigmoid tanh tanh", stepLSTM},
	"GRU":  {3, "sigmoid tanh", stepGRU},
	"RNN":  {1, "tanh", stepRNN},
}

// layer is one direction of a recurrent layer, in the memory of a run.
type layer struct {
	cell
	hidden     int
	turned     []float32 // recurrent weights (hidden, gates*hidden)
	bias       []float32 // (gates*hidden) of the state for a GRU's last gate, where resetLate
	resetLate  bool      // a GRU resets what the state gives to its last gate instead of the state
	rectify    bool      // an RNN's activation is Relu
	scratch, r []float32 // (hidden) and (gates*hidden)
}

// newRecurrent makes LSTM, GRU and RNN with their usual activations, over sequences of equal length: X
// (time, batch, input), W (directions, gates*hidden, input), R (directions, gates*hidden, hidden), B
// (directions, 2*gates*hidden). Y is (time, directions, batch, hidden), the last states (directions, batch, hidden).
func newRecurrent(n *Node) (Func, error) {
	c := cells[n.Op]
	direction := strings.ToLower(n.Text("direction", "forward"))
	directions := 1
	if direction == "bidirectional" {
		directions = 2
	}
	base := layer{cell: c, resetLate: n.Int("linear_before_reset", 0) != 0}
	if a := n.find("activations", decode.KindStrings); a != nil {
		given := strings.ToLower(strings.Join(a.Strings, " "))
		base.rectify = n.Op == "RNN" && given == strings.TrimSpace(strings.Repeat("relu ", directions))
		if usual := strings.TrimSpace(strings.Repeat(c.activations+" ", directions)); given != usual && !base.rectify {
			return nil, fmt.Errorf("its activations are %q, and this engine computes %q; export the layer with its usual activations", given, usual)
		}
	}
	for _, name := range []string{"clip", "input_forget", "layout"} {
		if n.Has(name) && (name == "clip" || n.Int(name, 0) != 0) {
			return nil, fmt.Errorf("its attribute %s is not computed by this engine; export the layer without it", name)
		}
	}
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		s, err := sequenceOf(in, c.gates, directions)
		if err != nil {
			return err
		}
		y := make([]*tensor.Tensor, 3)
		shapes := [][]int{{s.time, directions, s.batch, s.hidden}, {directions, s.batch, s.hidden}, {directions, s.batch, s.hidden}}
		for i := range y {
			y[i] = &tensor.Tensor{}
			if i < len(out) {
				y[i] = out[i]
			} else {
				defer m.Release(y[i])
			}
			if err := m.Alloc(y[i], tensor.Float32, shapes[i]...); err != nil {
				return err
			}
		}
		for d := range directions {
			l := base
			if err := s.run(m, &l, y, d, direction == "reverse" || d == 1); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// sequence holds the inputs of a recurrent layer and their sizes.
type sequence struct {
	x, w, r, b, h, c           *tensor.Tensor
	time, batch, input, hidden int
	directions                 int
}

func sequenceOf(in []*tensor.Tensor, gates, directions int) (*sequence, error) {
	s := &sequence{x: in[0], w: in[1], r: in[2], b: given(in, 3), h: given(in, 5), c: given(in, 6), directions: directions}
	if given(in, 4) != nil || given(in, 7) != nil {
		return nil, fmt.Errorf("sequence lengths and peepholes are not computed by this engine; export the layer without them")
	}
	if err := floats32(s.x, s.w, s.r, s.b, s.h, s.c); err != nil {
		return nil, err
	}
	if s.x.Rank() != 3 || s.r.Rank() != 3 {
		return nil, fmt.Errorf("input of shape %v and recurrent weights of shape %v are not of three dimensions", s.x.Shape, s.r.Shape)
	}
	s.time, s.batch, s.input, s.hidden = s.x.Shape[0], s.x.Shape[1], s.x.Shape[2], s.r.Shape[2]
	width := gates * s.hidden
	for _, p := range []struct {
		t    *tensor.Tensor
		want []int
	}{
		{s.w, []int{directions, width, s.input}}, {s.r, []int{directions, width, s.hidden}}, {s.b, []int{directions, 2 * width}},
		{s.h, []int{directions, s.batch, s.hidden}}, {s.c, []int{directions, s.batch, s.hidden}},
	} {
		if p.t != nil && fmt.Sprint(p.t.Shape) != fmt.Sprint(p.want) {
			return nil, fmt.Errorf("a parameter has shape %v instead of %v", p.t.Shape, p.want)
		}
	}
	return s, nil
}

// part returns direction d of a parameter, nil when it is omitted.
func (s *sequence) part(t *tensor.Tensor, d int) []float32 {
	if t == nil {
		return nil
	}
	size := t.Len() / s.directions
	return tensor.Of[float32](t)[d*size : (d+1)*size]
}

// run computes one direction. The input's part of all gates is one matrix product over all of time.
func (s *sequence) run(m *machine.Machine, l *layer, y []*tensor.Tensor, d int, backward bool) error {
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
	if err := product(m, gates, tensor.Of[float32](s.x), s.part(s.w, d), s.time*s.batch, width, s.input, true, epilogue{}); err != nil {
		return err
	}
	if l.turned, err = transposed(m, s.part(s.r, d), width, s.hidden); err != nil {
		return err
	}
	if l.r, err = machine.Scratch[float32](m, width+s.hidden); err != nil {
		return err
	}
	l.r, l.scratch = l.r[:width], l.r[width:]
	s.addBiases(l, gates, d)
	all := tensor.Of[float32](y[0])
	for i := range s.time {
		t := i
		if backward {
			t = s.time - 1 - i
		}
		if err := m.Tick(s.batch * width * s.hidden); err != nil {
			return err
		}
		for j := range s.batch {
			hj, cj := h[j*s.hidden:(j+1)*s.hidden], c[j*s.hidden:(j+1)*s.hidden]
			kernel.Gemv(l.r, hj, l.turned, width, width)
			l.step(l, gates[(t*s.batch+j)*width:][:width], l.r, hj, cj)
			copy(all[((t*s.directions+d)*s.batch+j)*s.hidden:], hj)
		}
	}
	return nil
}

// addBiases adds the biases of input and state, but for those that a GRU resets.
func (s *sequence) addBiases(l *layer, gates []float32, d int) {
	b := s.part(s.b, d)
	if b == nil {
		return
	}
	width := len(b) / 2
	now := width
	if l.resetLate && l.gates == 3 {
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

func add(x, r []float32) {
	for i, v := range r {
		x[i] += v
	}
}

// stepLSTM: c = f·c + i·tanh(g), h = o·tanh(c), with gates in the order i, o, f, g.
func stepLSTM(l *layer, x, r, h, c []float32) {
	n := l.hidden
	add(x, r)
	kernel.Sigmoid(x[:3*n], x[:3*n])
	kernel.Tanh(x[3*n:], x[3*n:])
	for i := range n {
		c[i] = x[2*n+i]*c[i] + x[i]*x[3*n+i]
	}
	kernel.Tanh(h, c)
	for i := range n {
		h[i] *= x[n+i]
	}
}

// stepGRU: h = (1-z)·tanh(g) + z·h, with gates in the order z, r, g, where r resets the state before it gives
// to g, or afterwards.
func stepGRU(l *layer, x, r, h, _ []float32) {
	n := l.hidden
	add(x, r[:2*n])
	kernel.Sigmoid(x[:2*n], x[:2*n])
	z, reset, g := x[:n], x[n:2*n], x[2*n:]
	if l.resetLate {
		add(r[2*n:], l.bias)
		for i, v := range reset {
			g[i] += v * r[2*n+i]
		}
	} else {
		for i, v := range reset {
			l.scratch[i] = v * h[i]
		}
		kernel.Gemv(r[:n], l.scratch, l.turned[2*n:], n, 3*n)
		add(g, r[:n])
	}
	kernel.Tanh(g, g)
	for i, v := range g {
		h[i] = (1-z[i])*v + z[i]*h[i]
	}
}

// stepRNN: h = tanh(x + r), or the positive part.
func stepRNN(l *layer, x, r, h, _ []float32) {
	add(x, r)
	if !l.rectify {
		kernel.Tanh(h, x)
		return
	}
	for i, v := range x {
		h[i] = max(v, 0)
	}
}
