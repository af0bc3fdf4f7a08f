package ops_test

import (
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// spentBy runs a node and returns the work that was counted, and the elements that it wrote: 0 if
// its output is a view of an input.
func spentBy(t *testing.T, opset int, node ot.Node, in []ot.Tensor) (spent, written int) {
	t.Helper()
	limits := enginetest.LimitsOf(onnxbackend.Limits{})
	data, given := operatorModel(opset, node, in, 1)
	file := must.Get(decode.Decode(data, limits.Decoding))(t)
	g := must.Get(graph.New(file, limits.Runs))(t)
	var ids []int
	for _, p := range g.Inputs {
		ids = append(ids, p.ID)
	}
	p, ok := plan.New(g, ids, []int{g.Outputs[0].ID})
	must.Equal(t, ok, true, "no plan")
	r := plan.NewRunner(p, limits.Runs)
	r.Begin(t.Context())
	known := map[*uint64]bool{} // first words of inputs and constants
	note := func(x *tensor.Tensor) {
		if len(x.Words) > 0 {
			known[&x.Words[0]] = true
		}
	}
	for i, id := range ids {
		note(given[i])
		r.Give(id, given[i])
	}
	for _, v := range g.Values {
		if v.Const != nil {
			note(v.Const)
		}
	}
	must.Do(t, r.Run(nil))
	if out := r.Value(g.Outputs[0].ID); len(out.Words) > 0 && !known[&out.Words[0]] {
		written = out.Len()
	}
	return r.Machine().Spent(), written
}

// TestWorkIsCounted checks that operators count at least the elements that they write, so that no
// model escapes the limit of work, nor the checks of time that depend on it.
func TestWorkIsCounted(t *testing.T) {
	eachCase(t, func(t *testing.T, name string, c operatorCase) {
		if name == "Shape" || name == "Size" || name == "If" {
			return // at most 64 elements, and a view of a branch's constant
		}
		spent, written := spentBy(t, c.opset, enginetest.Op(name, c.attrs...), c.in)
		if spent < written {
			t.Errorf("%d units of work are counted for %d elements", spent, written)
		}
	})
	// What these sum has no elements: the results are zeros.
	const side = 500
	rows, columns := ot.F("", nil, side, 0), ot.F("", nil, 0, side)
	rows64, columns64 := rows, columns
	rows64.Type, columns64.Type = ot.Float64, ot.Float64
	for _, c := range []struct {
		node ot.Node
		in   []ot.Tensor
	}{
		{enginetest.Op("MatMul"), []ot.Tensor{rows, columns}},
		{enginetest.Op("MatMul"), []ot.Tensor{rows64, columns64}},
		{enginetest.Op("MatMul"), []ot.Tensor{ot.F("", nil, 0), columns}},
		{enginetest.Op("Gemm"), []ot.Tensor{rows, columns}},
		{enginetest.Op("Gemm"), []ot.Tensor{rows64, columns64}},
		{enginetest.Op("Einsum", ot.Text("equation", "ij,jk->ik")), []ot.Tensor{rows, columns}},
		{enginetest.Op("ReduceSum"), []ot.Tensor{ot.F("", nil, 0, side, side),
			constant(ot.I("", []int64{0}, 1))}},
		{enginetest.Op("GlobalAveragePool"), []ot.Tensor{ot.F("", nil, side, side, 0)}},
		{enginetest.Op("EyeLike"), []ot.Tensor{ot.F("", make([]float32, side*side), side, side)}},
	} {
		t.Run(c.node.Op, func(t *testing.T) {
			if spent, written := spentBy(t, 13, c.node, c.in); written == 0 || spent < written {
				t.Errorf("%d units of work are counted for %d elements", spent, written)
			}
		})
	}
}
