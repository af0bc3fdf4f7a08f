package passes

import (
	"context"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

var limits = machine.Limits{Elements: 1 << 20, Bytes: 1 << 24}

// factGraph is a graph of nodes that end in "y", on inputs "bag" (k, 6) and "pictures" (k, 2, 6,
// 6).
func factGraph(t *testing.T, nodes ...ot.Node) *graph.Graph {
	t.Helper()
	m := ot.Model{
		Opset: 13, Nodes: nodes,
		Inputs:  []ot.Value{ot.In("bag", "k", 6), ot.In("pictures", "k", 2, 6, 6)},
		Outputs: []ot.Value{{Name: "y"}},
		Initializers: []ot.Tensor{
			ot.F("W", make([]float32, 24), 6, 4), ot.F("b", make([]float32, 6), 6), ot.F("column",
				make([]float32, 1), 1, 1), ot.F("K", make([]float32, 54), 3, 2, 3, 3),
			ot.I("i0", []int64{0}, 1), ot.I("i1", []int64{1}, 1), ot.I("one", []int64{1}),
			ot.I("two", []int64{2}, 1), ot.I("pair", []int64{0, 3}, 2),
			ot.I("six", []int64{1, 2, 3, 4, 5, 6}, 6),
			ot.I("seven", []int64{1, 2, 3, 4, 5, 6, 7}, 7),
			ot.I("to", []int64{0, 2, -1}, 3), ot.I("flat", []int64{-1}, 1),
		},
	}
	file := must.Get(decode.Decode(m.Bytes(), decode.Limits{Elements: 1 << 20, Bytes: 1 << 24,
		Nodes: 100, Depth: 4}))(t)
	return must.Get(graph.New(file, limits))(t)
}

// TestFacts names what is known of a value before any run, and holds it to runs of several sizes.
func TestFacts(t *testing.T) {
	n := ot.N
	one := func(op string, a ...ot.Attribute) []ot.Node {
		return []ot.Node{n(op, []string{"bag"}, []string{"y"}, a...)}
	}
	two := func(op, a, b string, at ...ot.Attribute) []ot.Node {
		return []ot.Node{n(op, []string{a, b}, []string{"y"}, at...)}
	}
	on := func(op string, in ...string) []ot.Node { return []ot.Node{n(op, in, []string{"y"})} }
	for _, c := range []struct {
		name  string
		nodes []ot.Node
		want  []int
	}{
		{"unary", one("Tanh"), []int{ops.Unknown, 6}},
		{"broadcast of one side", two("Add", "bag", "b"), []int{ops.Unknown, 6}},
		{"broadcast of a single place", two("Mul", "bag", "column"), []int{ops.Unknown, 6}},
		{"broadcast of more dimensions", two("Sub", "b", "pictures"), []int{ops.Unknown, 2, 6, 6}},
		{"product", two("MatMul", "bag", "W"), []int{ops.Unknown, 4}},
		{"product of a batch", two("MatMul", "pictures", "W"), []int{ops.Unknown, 2, 6, 4}},
		{"Gemm", two("Gemm", "bag", "W"), []int{ops.Unknown, 4}},
		{"Gemm, both transposed", two("Gemm", "W", "bag", ot.Int("transA", 1), ot.Int("transB", 1)),
			[]int{4, ops.Unknown}},
		{"convolution", on("Conv", "pictures", "K"),
			[]int{ops.Unknown, 3, ops.Unknown, ops.Unknown}},
		{"pool", []ot.Node{n("MaxPool", []string{"pictures"}, []string{"y"},
			ot.Ints("kernel_shape", 2, 2))}, []int{ops.Unknown, 2, ops.Unknown, ops.Unknown}},
		{"transpose", one("Transpose"), []int{6, ops.Unknown}},
		{"transpose by list", []ot.Node{n("Transpose", []string{"pictures"}, []string{"y"},
			ot.Ints("perm", 3, 0, 2, 1))}, []int{6, ops.Unknown, 6, 2}},
		{"concatenation of features", two("Concat", "bag", "bag", ot.Int("axis", 1)),
			[]int{ops.Unknown, 12}},
		{"concatenation of instances", two("Concat", "bag", "bag", ot.Int("axis", 0)),
			[]int{ops.Unknown, 6}},
		{"gather", two("Gather", "pictures", "pair", ot.Int("axis", 3)),
			[]int{ops.Unknown, 2, 6, 2}},
		{"gather by a scalar", two("Gather", "pictures", "one", ot.Int("axis", 2)),
			[]int{ops.Unknown, 2, 6}},
		{"unsqueeze", two("Unsqueeze", "bag", "i1"), []int{ops.Unknown, 1, 6}},
		{"slice", on("Slice", "pictures", "i0", "i1", "two"),
			[]int{ops.Unknown, 2, ops.Unknown, 6}},
		{"reshape", two("Reshape", "bag", "to"), []int{ops.Unknown, 2, ops.Unknown}},
		{"reshape to a list", two("Reshape", "bag", "flat"), []int{ops.Unknown}},
		{"flatten", on("Flatten", "pictures"), []int{ops.Unknown, 72}},
		{"flatten at another axis", one("Flatten", ot.Int("axis", 0)),
			[]int{ops.Unknown, ops.Unknown}},
		{"mean of features", one("ReduceMean", ot.Ints("axes", -1)), []int{ops.Unknown, 1}},
		{"sum of instances", two("ReduceSum", "bag", "i0", ot.Int("keepdims", 0)), []int{6}},
		{"shape", one("Shape"), []int{ops.Unknown}},
		{"cast", one("Cast", ot.Int("to", ot.Int64)), []int{ops.Unknown, 6}},
		{"nothing is known", one("NonZero"), nil},
		{"eight axes", two("Unsqueeze", "bag", "six"), []int{ops.Unknown, 1, 1, 1, 1, 1, 1, 6}},
		{"more axes than are followed", two("Unsqueeze", "bag", "seven"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := factGraph(t, c.nodes...)
			f := newFacts(g)
			f.node(&g.Nodes[0])
			got := f.at(g.Nodes[0].Out, 0)
			must.Equal(t, got.Ranked, c.want != nil)
			must.EqualSlices(t, got.Shape, c.want)
			for _, k := range []int{1, 2, 6} {
				must.Equal(t, holds(got, runFacts(t, g, k)), true, got, k)
			}
		})
	}
}

// holds reports whether a fact is true of a tensor.
func holds(f ops.Fact, x *tensor.Tensor) bool {
	ok := f.Type == tensor.Undefined || f.Type == x.Type
	if !f.Ranked {
		return ok
	}
	return ok && slices.EqualFunc(f.Shape, x.Shape,
		func(a, b int) bool { return a == ops.Unknown || a == b })
}

func runFacts(t *testing.T, g *graph.Graph, k int) *tensor.Tensor {
	t.Helper()
	p, ok := plan.New(g, []int{g.Inputs[0].ID, g.Inputs[1].ID}, []int{g.Outputs[0].ID})
	must.Equal(t, ok, true, "no plan")
	r := plan.NewRunner(p, limits)
	r.Begin(context.Background())
	r.Give(g.Inputs[0].ID, tensor.New(tensor.Float32, k, 6))
	r.Give(g.Inputs[1].ID, tensor.New(tensor.Float32, k, 2, 6, 6))
	must.Do(t, r.Run(nil))
	return r.Value(g.Outputs[0].ID)
}
