package ops_test

import (
	"context"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// addUp is the body of a Loop: its state grows by the trip's number, and what it was is kept. It
// goes on while the state is below a limit of the graph around it.
var addUp = ot.Model{
	Inputs: []ot.Value{{Name: "t", Type: ot.Int64}, {Name: "go", Type: ot.Bool},
		{Name: "sum", Type: ot.Int64}},
	Outputs: []ot.Value{{Name: "on", Type: ot.Bool}, {Name: "more", Type: ot.Int64},
		{Name: "was", Type: ot.Int64}},
	Nodes: ot.Nodes(`more = Add(sum, t); was = Identity(sum); on = Less(more, x3)`),
}

// running is the body of a Scan: the state is a running sum over slices.
var running = ot.Model{
	Inputs:  []ot.Value{ot.In("sum"), ot.In("slice")},
	Outputs: []ot.Value{ot.In("next"), ot.In("kept")},
	Nodes:   ot.Nodes(`next = Add(sum, slice); kept = Identity(next)`),
}

// controlCases run bodies; inputs that a body alone reads are named x3 in it.
var controlCases = []struct {
	name     string
	node     ot.Node
	in       []ot.Tensor
	expected [][]float64
	last     []int // shape of the last output
}{
	{"five trips", enginetest.Op("Loop", ot.Body("body", addUp)),
		[]ot.Tensor{ot.I("", []int64{5}), omitted, ot.I("", []int64{0}), ot.I("", []int64{99})},
		[][]float64{{10}, {0, 0, 1, 3, 6}}, []int{5}},
	{"until the condition fails", enginetest.Op("Loop", ot.Body("body", addUp)),
		[]ot.Tensor{omitted, bools([]int32{1}), ot.I("", []int64{0}), ot.I("", []int64{6})},
		[][]float64{{6}, {0, 0, 1, 3}}, []int{4}},
	{"no trip", enginetest.Op("Loop", ot.Body("body", addUp)),
		[]ot.Tensor{ot.I("", []int64{5}), bools([]int32{0}), ot.I("", []int64{7}),
			ot.I("", []int64{6})}, [][]float64{{7}, {}}, []int{0}},
	{"rows", enginetest.Op("Scan", ot.Int("num_scan_inputs", 1), ot.Body("body", running)),
		[]ot.Tensor{ot.F("", []float32{0, 0, 0}, 3), grid}, [][]float64{{5, 7, 9},
			{1, 2, 3, 5, 7, 9}}, []int{2, 3}},
	{"columns backwards", enginetest.Op("Scan", ot.Int("num_scan_inputs", 1),
		ot.Ints("scan_input_axes", 1),
		ot.Ints("scan_input_directions", 1), ot.Ints("scan_output_axes", -1), ot.Body("body",
			running)),
		[]ot.Tensor{ot.F("", []float32{0, 0}, 2), grid}, [][]float64{{6, 15}, {3, 5, 6, 6, 11, 15}},
		[]int{2, 3}},
	{"written backwards", enginetest.Op("Scan", ot.Int("num_scan_inputs", 1),
		ot.Ints("scan_output_directions", 1), ot.Body("body", running)),
		[]ot.Tensor{ot.F("", []float32{0, 0, 0}, 3), grid}, [][]float64{{5, 7, 9},
			{5, 7, 9, 1, 2, 3}}, []int{2, 3}},
}

func TestLoops(t *testing.T) {
	for _, c := range controlCases {
		t.Run(c.node.Op+": "+c.name, func(t *testing.T) {
			m := ot.Model{Opset: 21, Nodes: []ot.Node{c.node}}
			bag := func(name string, x ot.Tensor) {
				x.Name = name
				m.Initializers = append(m.Initializers, x)
			}
			n := &m.Nodes[0]
			for i, x := range c.in {
				switch {
				case x.Type == 0:
					n.In = append(n.In, "")
				case i == 3: // only the body reads it
					bag("x3", x)
				default:
					bag("x", x)
					name := "x" + string(rune('0'+i))
					m.Initializers[len(m.Initializers)-1].Name = name
					n.In = append(n.In, name)
				}
			}
			for i := range c.expected {
				name := "y" + string(rune('0'+i))
				n.Out = append(n.Out, name)
				m.Outputs = append(m.Outputs, ot.Value{Name: name})
			}
			out := must.Get(runGraph(buildGraph(t, m.Bytes()), nil))(t)
			for i, want := range c.expected {
				got := must.Get(out[i].Float64s())(t)
				must.EqualSlices(t, got, want, i)
			}
			must.EqualSlices(t, out[len(out)-1].Shape, c.last)
		})
	}
}

// TestLoopOfABag evaluates coalitions of a model with a Loop that depends on the bag's size.
func TestLoopOfABag(t *testing.T) {
	for _, plain := range []bool{true, false} {
		b := enginetest.OpenAndBind(t, enginetest.LoopModel(false).Bytes(),
			onnxbackend.Options{Plain: plain},
			&core.Bag{Name: "b", Values: []float32{1, 4, 3, 2, 5, 5}, Shape: []int{2}})
		z := core.NewCoalitions(3, 2)
		z.AppendMembers(0, 1, 2)
		z.AppendMembers(1)
		got := make([]float64, 4)
		must.Do(t, b.Evaluate(context.Background(), got, z))
		must.EqualSlices(t, got, []float64{36, 44, 6, 4}, plain)
	}
}

func TestEndlessLoop(t *testing.T) {
	m, err := onnxbackend.Open(enginetest.LoopModel(true).Bytes(),
		onnxbackend.Options{Limits: onnxbackend.Limits{LoopTrips: 1000}})
	must.Do(t, err)
	_, err = m.Bind(context.Background(), &core.Bag{Name: "b", Values: []float32{1, 4},
		Shape: []int{2}})
	var limit *onnxbackend.LimitError
	must.As(t, err, &limit)
	must.Equal(t, limit.Limit, 1000)
	must.Fail(t, err, "trips of a loop")
}

// TestGapsInBodies lists what cannot run, wherever it stands, in one error.
func TestGapsInBodies(t *testing.T) {
	m := enginetest.LoopModel(false)
	m.Opset = 14 // the first in which BatchNormalization has a training mode
	body := ot.Model{
		Inputs:  []ot.Value{{Name: "t", Type: ot.Int64}, {Name: "go", Type: ot.Bool}, ot.In("v")},
		Outputs: []ot.Value{{Name: "go", Type: ot.Bool}, ot.In("w")},
		Nodes:   []ot.Node{{Name: "inner", Op: "Frob", In: []string{"v"}, Out: []string{"w"}}},
	}
	m.Nodes[3].Attributes = []ot.Attribute{ot.Body("body", body)}
	m.Nodes[3].Name = "loop"
	m.Nodes[0].Op, m.Nodes[0].Attributes = "Knit",
		[]ot.Attribute{ot.Body("body", ot.Model{Nodes: []ot.Node{{Name: "deep", Op: "Purl",
			In: []string{"bag"}, Out: []string{"q"}}}, Outputs: []ot.Value{ot.In("q")}})}
	m.Nodes = append(m.Nodes, ot.Nodes(`
		bn = BatchNormalization<training_mode=1>(scores, scores, scores, scores, scores)`)...)
	_, err := onnxbackend.Open(m.Bytes(), onnxbackend.Options{})
	var gap *onnxbackend.UnsupportedError
	must.As(t, err, &gap)
	var got []string
	for _, n := range gap.Nodes {
		got = append(got, n.Node+" "+n.Op)
	}
	must.EqualSlices(t, got, []string{"#0 Knit", "#0/deep Purl", "loop/inner Frob",
		"#4 BatchNormalization"})
}

// TestOperatorsInside lists the operators of bodies among those of the model.
func TestOperatorsInside(t *testing.T) {
	m := must.Get(onnxbackend.Open(enginetest.LoopModel(false).Bytes(), onnxbackend.Options{}))(t)
	if got, want := m.Info().Operators, []string{"Add", "Gather", "Identity", "Loop", "ReduceSum",
		"Shape"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
