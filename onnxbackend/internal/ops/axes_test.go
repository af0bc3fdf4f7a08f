package ops_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"

	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// checkAxes runs a graph of one node for every input and axis that could hold instances, alone or
// merged with its neighbours. Where the operator's rule says that an output keeps them apart,
// leaving instances out of the input must give the output without them, bit for bit. It returns how
// many claims were checked.
func checkAxes(t *testing.T, name string, g *graph.Graph, in []*tensor.Tensor) int {
	t.Helper()
	full, err := runGraph(g, in)
	if err != nil || len(g.Nodes) != 1 || len(full) != len(g.Nodes[0].Out) {
		return 0
	}
	n, checked := &g.Nodes[0], 0
	for _, inputs := range instanceInputs(in) {
		for _, at := range instanceAxes(in[inputs[0]].Shape) {
			places := make([]ops.Place, len(n.In))
			for j, id := range n.In {
				places[j] = placeOf(g, in, id)
				for _, i := range inputs {
					if id == g.Inputs[i].ID {
						places[j] = at.Place
						places[j].Shape = in[i].Shape
					}
				}
			}
			out := make([]ops.Place, len(n.Out))
			for i := range out {
				out[i].Shape = full[i].Shape
			}
			n.Row.Axes.Apply(&n.Node, at.k, places, out)
			if !slices.ContainsFunc(out, func(p ops.Place) bool {
				return p.Class == ops.Instance
			}) {
				continue
			}
			fewer := slices.Clone(in)
			for _, i := range inputs {
				fewer[i] = everySecond(in[i], at.Place, at.k)
			}
			part, err := runGraph(g, fewer)
			if err != nil {
				t.Errorf("%s: inputs %v along %+v: %v", name, inputs, at, err)
				continue
			}
			for i, p := range out {
				if p.Class != ops.Instance {
					continue
				}
				checked++
				must.Do(t, sameBits(part[i], everySecond(full[i], p, at.k)), name, inputs, at, i, p)
			}
		}
	}
	return checked
}

// An instanceAxis is where the k instances of an input could be.
type instanceAxis struct {
	ops.Place
	k int
}

// instanceAxes returns all axes of a shape with all numbers of instances from 2 on that they could
// hold: their size, and its factors if the axis is merged.
func instanceAxes(shape []int) []instanceAxis {
	var all []instanceAxis
	for axis, d := range shape {
		for k := 2; k <= d; k++ {
			for outer := 1; d%k == 0 && outer <= d/k; outer++ {
				if inner := d / k / outer; outer*k*inner == d {
					all = append(all, instanceAxis{k: k, Place: ops.Place{Class: ops.Instance,
						Axis: axis, Outer: outer, Inner: inner}})
				}
			}
		}
	}
	return all
}

// everySecond returns a tensor with every second one of k instances.
func everySecond(x *tensor.Tensor, at ops.Place, k int) *tensor.Tensor {
	outer, inner := at.Factors()
	var places []int
	for i := range outer * k * inner {
		if i/inner%k%2 == 0 {
			places = append(places, i)
		}
	}
	return gathered(x, at.Axis, places)
}

// instanceInputs are each input alone and all inputs of the first one's shape together.
func instanceInputs(in []*tensor.Tensor) [][]int {
	var sets [][]int
	var alike []int
	for i, x := range in {
		sets = append(sets, []int{i})
		if slices.Equal(x.Shape, in[0].Shape) {
			alike = append(alike, i)
		}
	}
	if len(alike) > 1 {
		sets = append(sets, alike)
	}
	return sets
}

// placeOf says that a value is a constant, known when it is an initializer or an integer input.
func placeOf(g *graph.Graph, in []*tensor.Tensor, id int) ops.Place {
	if id < 0 {
		return ops.Place{Class: ops.Constant}
	}
	if c := g.Values[id].Const; c != nil {
		return ops.Place{Class: ops.Constant, Shape: c.Shape, Value: c}
	}
	for i, p := range g.Inputs {
		if p.ID == id {
			return ops.Place{Class: ops.Constant, Shape: in[i].Shape, Value: in[i]}
		}
	}
	return ops.Place{}
}

func gathered(x *tensor.Tensor, axis int, members []int) *tensor.Tensor {
	shape := slices.Clone(x.Shape)
	shape[axis] = len(members)
	out := tensor.New(x.Type, shape...)
	compute.GatherPlaces(out, x, axis, members)
	return out
}

// planOf returns the plan from all inputs of a graph to all its outputs, and the values of both.
func planOf(g *graph.Graph) (p *plan.Program, given, wanted []int, ok bool) {
	for _, in := range g.Inputs {
		given = append(given, in.ID)
	}
	for _, out := range g.Outputs {
		wanted = append(wanted, out.ID)
	}
	p, ok = plan.New(g, given, wanted)
	return p, given, wanted, ok
}

func runGraph(g *graph.Graph, in []*tensor.Tensor) ([]*tensor.Tensor, error) {
	p, given, wanted, ok := planOf(g)
	if !ok {
		return nil, fmt.Errorf("no plan")
	}
	r := plan.NewRunner(p, enginetest.LimitsOf(onnxbackend.Limits{}).Runs)
	r.Begin(context.Background())
	for i, id := range given {
		r.Give(id, in[i])
	}
	if err := r.Run(nil); err != nil {
		return nil, err
	}
	var out []*tensor.Tensor
	for _, id := range wanted {
		out = append(out, r.Value(id).Clone())
	}
	return out, nil
}

func sameBits(got, want *tensor.Tensor) error {
	if got.Type != want.Type || !slices.Equal(got.Shape, want.Shape) {
		return fmt.Errorf("%v %v instead of %v %v", got.Type, got.Shape, want.Type, want.Shape)
	}
	size := got.Type.Size()
	x, y := tensor.View[uint8](got.Words, got.Len()*size), tensor.View[uint8](want.Words,
		want.Len()*size)
	for i := range x {
		if x[i] != y[i] {
			return fmt.Errorf("element %d differs", i/size)
		}
	}
	return nil
}

// claimsFile has the number of claims of each case of operators. The program wrote it:
// TestAxisRules checks the claims themselves.
const claimsFile = "testdata/claims.txt"

// TestAxisRules checks the claims of all cases of operators, and that none is lost: without a claim
// a model is slower but not wrong.
func TestAxisRules(t *testing.T) {
	var lines strings.Builder
	eachCase(t, func(t *testing.T, name string, c operatorCase) {
		data, in := operatorModel(c.opset, enginetest.Op(name, c.attrs...), c.in, 1)
		if g := buildGraph(t, data); g != nil {
			if n := checkAxes(t, name, g, in); n > 0 {
				fmt.Fprintf(&lines, "%s, %s: %d\n", name, c.name, n)
			}
		}
	})
	checkLines(t, claimsFile, lines.String())
}

// checkLines compares the lines of a test with a file, or writes it.
func checkLines(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		must.Do(t, os.WriteFile(file, []byte(text), 0o644))
	}
	got, want := strings.Split(text, "\n"), strings.Split(string(must.Get(os.ReadFile(file))(t)),
		"\n")
	must.Equal(t, len(got), len(want), file)
	for i := range min(len(got), len(want)) {
		must.Equal(t, got[i], want[i], file)
	}
}

// TestOfficialAxisRules does the same on the official node tests.
func TestOfficialAxisRules(t *testing.T) {
	checked := 0
	for name, files := range nodeCases(t) {
		g := buildGraph(t, files["model.onnx"])
		if g == nil || len(g.Nodes) != 1 {
			continue
		}
		var in []*tensor.Tensor
		for i := range g.Inputs {
			x, err := decode.Tensor(files[fmt.Sprintf("test_data_set_0/input_%d.pb", i)],
				enginetest.LimitsOf(onnxbackend.Limits{}).Decoding)
			if err != nil {
				break
			}
			in = append(in, x)
		}
		if len(in) == len(g.Inputs) {
			checked += checkAxes(t, name, g, in)
		}
	}
	t.Logf("%d claims", checked)
}

func buildGraph(t *testing.T, data []byte) *graph.Graph {
	limits := enginetest.LimitsOf(onnxbackend.Limits{})
	file, err := decode.Decode(data, limits.Decoding)
	if err != nil {
		return nil
	}
	g, err := graph.New(file, limits.Runs)
	if err != nil {
		return nil
	}
	return g
}

// TestMatrixAxes looks at claims of products, which have more cases than the table of operators.
func TestMatrixAxes(t *testing.T) {
	for _, c := range []struct {
		node   ot.Node
		a, b   []int
		inputs []int // inputs that hold instances along axis
		axis   int
		want   int // axis of the instances in the product, -1 when they are mixed
	}{
		{enginetest.Op("MatMul"), []int{5, 3}, []int{3, 2}, []int{0}, 0, 0},
		{enginetest.Op("MatMul"), []int{5, 3}, []int{3, 2}, []int{0}, 1, -1},
		{enginetest.Op("MatMul"), []int{5, 3}, []int{3, 4}, []int{1}, 1, 1},
		{enginetest.Op("MatMul"), []int{5, 3}, []int{3, 4}, []int{1}, 0, -1},
		{enginetest.Op("MatMul"), []int{4, 5, 3}, []int{3, 2}, []int{0}, 0, 0},
		{enginetest.Op("MatMul"), []int{4, 5, 3}, []int{4, 3, 2}, []int{0, 1}, 0, 0},
		{enginetest.Op("MatMul"), []int{4, 5, 3}, []int{4, 3, 2}, []int{0}, 0, -1},
		{enginetest.Op("MatMul"), []int{4, 5, 3}, []int{1, 3, 2}, []int{0}, 0, 0},
		{enginetest.Op("MatMul"), []int{4, 4}, []int{4, 4}, []int{0, 1}, 0, -1},
		{enginetest.Op("MatMul"), []int{4}, []int{4, 4}, []int{1}, 0, -1},
		{enginetest.Op("MatMul"), []int{4}, []int{4, 5}, []int{1}, 1, 0},
		{enginetest.Op("MatMul"), []int{5, 3}, []int{3}, []int{0}, 0, 0},
		{enginetest.Op("MatMul"), []int{4, 4}, []int{4}, []int{0, 1}, 0, -1},
		{enginetest.Op("MatMul"), []int{2, 5, 3}, []int{3}, []int{0}, 1, 1},
		{enginetest.Op("MatMul"), []int{3}, []int{2, 3, 5}, []int{1}, 2, 1},
		{enginetest.Op("Gemm", ot.Int("transA", 1)), []int{3, 5}, []int{3, 2}, []int{0}, 1, 0},
		{enginetest.Op("Gemm", ot.Int("transA", 1)), []int{3, 5}, []int{3, 2}, []int{0}, 0, -1},
		{enginetest.Op("Gemm", ot.Int("transB", 1)), []int{5, 3}, []int{2, 3}, []int{1}, 0, 1},
	} {
		x, y := ot.F("", make([]float32, product(c.a)), c.a...), ot.F("",
			make([]float32, product(c.b)), c.b...)
		data, in := operatorModel(13, c.node, []ot.Tensor{x, y}, 1)
		g := buildGraph(t, data)
		full := must.Get(runGraph(g, in))(t)
		n := &g.Nodes[0]
		places := []ops.Place{placeOf(g, in, n.In[0]), placeOf(g, in, n.In[1])}
		for _, i := range c.inputs {
			places[i] = ops.Place{Class: ops.Instance, Axis: c.axis, Shape: in[i].Shape}
		}
		out := []ops.Place{{Shape: full[0].Shape}}
		n.Row.Axes.Apply(&n.Node, in[c.inputs[0]].Shape[c.axis], places, out)
		got := -1
		if out[0].Class == ops.Instance {
			got = out[0].Axis
		}
		must.Equal(t, got, c.want, c.node.Op, c.a, c.b, c.inputs, c.axis)
	}
}

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}
