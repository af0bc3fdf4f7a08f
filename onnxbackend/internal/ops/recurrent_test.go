package ops_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// recurrentTolerance is relative: states are rounded to float32 after each step.
const recurrentTolerance = 2e-6

// doubleTolerance is for layers of float64.
const doubleTolerance = 1e-13

// inDoubles returns the same numbers in float64.
func inDoubles(in []ot.Tensor) *[]ot.Tensor {
	out := slices.Clone(in)
	for i, x := range in {
		if x.Floats == nil {
			continue
		}
		out[i].Type, out[i].Floats = ot.Float64, nil
		for _, v := range x.Floats {
			out[i].Doubles = append(out[i].Doubles, float64(v))
		}
	}
	return &out
}

// recurrence holds the inputs of a recurrent layer, indexed as the specification does.
type recurrence struct {
	op                         string
	time, batch, input, hidden int
	x, w, r, b, h, c           []float32
	p                          []float32 // peepholes, or nil
	lengths                    []int     // or nil
	clip                       float64   // 0 for none
	late, relu, coupled        bool
}

// gate returns what input, state and biases give to unit u of a gate, as two sums.
func (q *recurrence) gate(d, g, u int, x []float32, h []float64) (ofInput, ofState float64) {
	gates := len(q.b) * q.batch / len(q.h) / 2
	row := (d*gates+g)*q.hidden + u
	for i, v := range x {
		ofInput += float64(v) * float64(q.w[row*q.input+i])
	}
	for i, v := range h {
		ofState += v * float64(q.r[row*q.hidden+i])
	}
	b := q.b[d*2*gates*q.hidden:]
	return ofInput + float64(b[g*q.hidden+u]), ofState + float64(b[(gates+g)*q.hidden+u])
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// step returns the state after one input, by the formulas of the specification.
func (q *recurrence) step(d int, x []float32, h, c []float64) (h1, c1 []float64) {
	clipped := func(v float64) float64 {
		if q.clip > 0 {
			v = max(-q.clip, min(q.clip, v))
		}
		return v
	}
	sum := func(g, u int, h []float64) float64 {
		a, b := q.gate(d, g, u, x, h)
		return clipped(a + b)
	}
	peep := func(g, u int, c []float64) float64 { // a gate that also sees the state c
		a, b := q.gate(d, g, u, x, h)
		if q.p != nil {
			a += float64(q.p[(d*3+g)*q.hidden+u]) * c[u]
		}
		return logistic(clipped(a + b))
	}
	h1, c1 = make([]float64, q.hidden), make([]float64, q.hidden)
	for u := range q.hidden {
		switch q.op {
		case "RNN":
			if h1[u] = math.Tanh(sum(0, u, h)); q.relu {
				h1[u] = max(0, sum(0, u, h))
			}
		case "LSTM":
			forget := peep(2, u, c)
			if q.coupled {
				forget = 1 - peep(0, u, c)
			}
			c1[u] = forget*c[u] + peep(0, u, c)*math.Tanh(sum(3, u, h))
			h1[u] = peep(1, u, c1) * math.Tanh(clipped(c1[u]))
		case "GRU":
			z := logistic(sum(0, u, h))
			reset := make([]float64, q.hidden)
			for v := range reset {
				reset[v] = logistic(sum(1, v, h)) * h[v]
			}
			a := sum(2, u, reset)
			if q.late {
				ofInput, ofState := q.gate(d, 2, u, x, h)
				a = ofInput + logistic(sum(1, u, h))*ofState
			}
			h1[u] = (1-z)*math.Tanh(a) + z*h[u]
		}
	}
	return h1, c1
}

// run returns Y, Y_h and Y_c.
func (q *recurrence) run(direction string) [][]float64 {
	directions := 1
	if direction == "bidirectional" {
		directions = 2
	}
	state := directions * q.batch * q.hidden
	out := [][]float64{make([]float64, q.time*state), make([]float64, state),
		make([]float64, state)}
	for d := range directions {
		for j := range q.batch {
			at := (d*q.batch + j) * q.hidden
			h, c := make([]float64, q.hidden), make([]float64, q.hidden)
			for u := range h {
				h[u], c[u] = float64(q.h[at+u]), float64(q.c[at+u])
			}
			n := q.time
			if q.lengths != nil {
				n = q.lengths[j]
			}
			for i := range n {
				t := i
				if direction == "reverse" || d == 1 {
					t = n - 1 - i
				}
				h, c = q.step(d, q.x[(t*q.batch+j)*q.input:][:q.input], h, c)
				copy(out[0][t*state+at:], h)
			}
			copy(out[1][at:], h)
			copy(out[2][at:], c)
		}
	}
	return out
}

// recurrentCases are the kinds of cells.
var recurrentCases = []struct {
	op    string
	gates int
	extra []ot.Attribute
}{
	{"LSTM", 4, nil},
	{"GRU", 3, nil},
	{"GRU", 3, []ot.Attribute{ot.Int("linear_before_reset", 1)}},
	{"RNN", 1, nil},
	{"RNN", 1, []ot.Attribute{ot.Texts("activations", "Relu")}},
}

// TestRecurrentOptions holds an LSTM with peepholes, clipped, coupled gates and sequences of
// several lengths, batch first or not, to the formulas.
func TestRecurrentOptions(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	values := func(n int) []float32 { return enginetest.Normal(random, n) }
	q := &recurrence{op: "LSTM", time: 4, batch: 3, input: 2, hidden: 3, clip: 0.75, coupled: true,
		lengths: []int{2, 4, 0}}
	q.x, q.w, q.r, q.b, q.p = values(4*3*2), values(2*12*2), values(2*12*3), values(2*24),
		values(2*9)
	q.h, q.c = values(2*3*3), values(2*3*3)
	want := q.run("bidirectional")
	for _, layout := range []int{0, 1} {
		in := []ot.Tensor{
			ot.F("", q.x, 4, 3, 2), ot.F("", q.w, 2, 12, 2), ot.F("", q.r, 2, 12, 3), ot.F("", q.b,
				2, 24),
			{Type: ot.Int32, Dims: []int{3}, Ints32: []int32{2, 4, 0}}, ot.F("", q.h, 2, 3, 3),
			ot.F("", q.c, 2, 3, 3), ot.F("", q.p, 2, 9),
		}
		if layout == 1 {
			in[0] = ot.F("", exchanged(q.x, 4, 3, 2), 3, 4, 2)
			in[5], in[6] = ot.F("", exchanged(q.h, 2, 3, 3), 3, 2, 3), ot.F("",
				exchanged(q.c, 2, 3, 3), 3, 2, 3)
		}
		for in, tolerance := range map[*[]ot.Tensor]float64{&in: recurrentTolerance,
			inDoubles(in): doubleTolerance} {
			out := must.Get(runOperator(14, enginetest.Op("LSTM", ot.Text("direction",
				"bidirectional"), ot.Float("clip", 0.75), ot.Int("input_forget", 1),
				ot.Int("layout", int64(layout))), *in, 3))(t)
			for i, w := range want {
				got, _ := out[i].Float64s()
				switch {
				// (batch, time, direction, hidden) to (time, direction, batch, hidden)
				case layout == 1 && i == 0:
					got = exchanged(got, 3, 8, 3)
				case layout == 1:
					got = exchanged(got, 3, 2, 3)
				}
				enginetest.CheckNear(t, fmt.Sprintf("layout %d, output %d", layout, i), got, w,
					tolerance)
			}
		}
	}
}

// TestRecurrentLayoutKeepsInputs runs layers with the batch first in a plan that is run twice: each
// layer is given its inputs as they are.
func TestRecurrentLayoutKeepsInputs(t *testing.T) {
	x := ot.F("", []float32{1, -2, 3, 4, -5, 6}, 1, 3, 2)
	for _, op := range []string{"LSTM", "GRU", "RNN"} {
		gates := map[string]int{"LSTM": 4, "GRU": 3, "RNN": 1}[op]
		weights := make([]float32, gates*2*2)
		for i := range weights {
			weights[i] = float32(i%5-2) / 4
		}
		data, in := operatorModel(14, enginetest.Op(op, ot.Int("hidden_size", 2),
			ot.Int("layout", 1)), []ot.Tensor{x, ot.F("const", weights, 1, gates*2, 2),
			ot.F("const", weights, 1, gates*2, 2)}, 2)
		p, given, wanted, ok := planOf(buildGraph(t, data))
		must.Equal(t, ok, true, "no plan")
		r := plan.NewRunner(p, enginetest.LimitsOf(onnxbackend.Limits{}).Runs)
		var first []*tensor.Tensor
		for run := range 2 {
			r.Begin(t.Context())
			r.Give(given[0], in[0])
			must.Do(t, r.Run(nil))
			for i, id := range wanted {
				got := r.Value(id).Clone()
				if run == 0 {
					first = append(first, got)
				} else if err := sameBits(got, first[i]); err != nil {
					t.Errorf("%s, output %d of the second run: %v", op, i, err)
				}
			}
		}
		must.EqualSlices(t, in[0].Shape, []int{1, 3, 2}, op)
	}
}

// exchanged returns x (a, b, c) as (b, a, c).
func exchanged[T any](x []T, a, b, c int) []T {
	y := make([]T, 0, len(x))
	for j := range b {
		for i := range a {
			y = append(y, x[(i*b+j)*c:][:c]...)
		}
	}
	return y
}

// TestRecurrentLayers holds every cell in every direction to the formulas of the specification.
func TestRecurrentLayers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	values := func(n int) []float32 { return enginetest.Normal(random, n) }
	for _, c := range recurrentCases {
		for _, direction := range []string{"forward", "reverse", "bidirectional"} {
			directions := 1
			extra := c.extra
			if direction == "bidirectional" {
				directions = 2
				if c.op == "RNN" && extra != nil {
					extra = []ot.Attribute{ot.Texts("activations", "Relu", "Relu")}
				}
			}
			q := &recurrence{op: c.op, time: 5, batch: 2, input: 3, hidden: 4,
				late: c.op == "GRU" && extra != nil, relu: c.op == "RNN" && extra != nil}
			width := c.gates * q.hidden
			q.x, q.w, q.r = values(q.time*q.batch*q.input), values(directions*width*q.input),
				values(directions*width*q.hidden)
			q.b, q.h, q.c = values(directions*2*width), values(directions*q.batch*q.hidden),
				values(directions*q.batch*q.hidden)
			in := []ot.Tensor{
				ot.F("", q.x, q.time, q.batch, q.input), ot.F("", q.w, directions, width, q.input),
				ot.F("", q.r, directions, width, q.hidden),
				ot.F("", q.b, directions, 2*width), omitted, ot.F("", q.h, directions, q.batch,
					q.hidden),
			}
			outputs := 2
			if c.op == "LSTM" {
				in = append(in, ot.F("", q.c, directions, q.batch, q.hidden))
				outputs = 3
			}
			node := enginetest.Op(c.op, append([]ot.Attribute{ot.Text("direction", direction),
				ot.Int("hidden_size", 4)}, extra...)...)
			want := q.run(direction)
			for in, tolerance := range map[*[]ot.Tensor]float64{&in: recurrentTolerance,
				inDoubles(in): doubleTolerance} {
				out, err := runOperator(14, node, *in, outputs)
				must.Do(t, err, c.op, direction)
				for i := range outputs {
					got, _ := out[i].Float64s()
					enginetest.CheckNear(t, fmt.Sprintf("%s %s, late %v, output %d", c.op,
						direction, q.late, i),
						got, want[i], tolerance)
				}
			}
		}
	}
}

// TestRecurrentRefusals gives recurrent layers what the engine does not compute.
func TestRecurrentRefusals(t *testing.T) {
	in := []ot.Tensor{ot.F("", make([]float32, 6), 3, 1, 2), ot.F("", make([]float32, 8), 1, 4, 2),
		ot.F("", make([]float32, 4), 1, 4, 1)}
	with := func(i int, x ot.Tensor) []ot.Tensor {
		more := append([]ot.Tensor{}, in...)
		for len(more) <= i {
			more = append(more, omitted)
		}
		more[i] = x
		return more
	}
	must.Get(runOperator(14, enginetest.Op("LSTM"), in, 1))(t)
	for _, c := range []struct {
		name string
		node ot.Node
		in   []ot.Tensor
	}{
		{"other activations", enginetest.Op("LSTM",
			ot.Texts("activations", "Frob", "Tanh", "Tanh")), in},
		{"one activation", enginetest.Op("LSTM", ot.Texts("activations", "Relu")), in},
		{"two directions", enginetest.Op("LSTM", ot.Text("direction", "bidirectional")), in},
		{"sequence lengths", enginetest.Op("LSTM"), with(4, ot.I("", []int64{4}, 1))},
		{"peepholes", enginetest.Op("LSTM"), with(7, ot.F("", make([]float32, 4), 1, 4))},
		{"no sequence", enginetest.Op("LSTM"), with(0, ot.F("", make([]float32, 6), 3, 2))},
		{"width", enginetest.Op("LSTM"), with(0, ot.F("", make([]float32, 9), 3, 1, 3))},
		{"bias", enginetest.Op("LSTM"), with(3, ot.F("", make([]float32, 4), 1, 4))},
		{"other type", enginetest.Op("LSTM"), with(0, ot.I("", make([]int64, 6), 3, 1, 2))},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := runOperator(14, c.node, c.in, 1); err == nil {
				t.Errorf("%s: no error", c.name)
			} else {
				enginetest.CheckTyped(t, err)
			}
		})
	}
}
