package auxinput_test

import (
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// A laidOut model averages instances of two values "p" and four values "f", whose inputs have their
// own layouts: perm brings each to (bag, instance, value).
func laidOut(p, f ot.Value, permP, permF []int64) ot.Model {
	w := make([]float32, 18)
	for i := range w {
		w[i] = float32(i*i%7) - 3
	}
	return ot.Model{Opset: 13, Inputs: []ot.Value{p, f}, Outputs: []ot.Value{ot.In("y", "N", 3)},
		Initializers: []ot.Tensor{ot.F("w", w, 6, 3)},
		Nodes: []ot.Node{
			ot.N("Transpose", []string{"p"}, []string{"pt"}, ot.Ints("perm", permP...)),
			ot.N("Transpose", []string{"f"}, []string{"ft"}, ot.Ints("perm", permF...)),
			ot.N("Concat", []string{"pt", "ft"}, []string{"x"}, ot.Int("axis", 2)),
			ot.N("ReduceMean", []string{"x"}, []string{"z"}, ot.Ints("axes", 1),
				ot.Int("keepdims", 0)),
			enginetest.Unary("Tanh", "z", "t"), enginetest.Binary("MatMul", "t", "w", "y"),
		}}
}

// TestOpenBatches opens models whose inputs leave the batch open beside the instances, in any
// order. Their scores are those of the model whose batch is 1.
func TestOpenBatches(t *testing.T) {
	same, last, first := []int64{0, 1, 2}, []int64{0, 2, 1}, []int64{1, 0, 2}
	want := laidOut(ot.In("p", 1, "k", 2), ot.In("f", 1, "k", 4), same, same)
	bag := enginetest.SmallBag(9, 6)
	for name, m := range map[string]ot.Model{
		"instances last":   laidOut(ot.In("p", "N", 2, "k"), ot.In("f", "N", 4, "k"), last, last),
		"one of both last": laidOut(ot.In("p", "N", 2, "k"), ot.In("f", "N", "k", 4), last, same),
		"without names":    laidOut(ot.In("p", "", 2, ""), ot.In("f", "", "", 4), last, same),
		"instances first":  laidOut(ot.In("p", "k", "N", 2), ot.In("f", "k", "N", 4), first, first),
		"one open batch":   laidOut(ot.In("p", 1, 2, "k"), ot.In("f", "N", "k", 4), last, same),
	} {
		t.Run(name, func(t *testing.T) {
			b := enginetest.OpenAndBind(t, m.Bytes(), onnxbackend.Options{}, bag)
			must.Equal(t, b.Strategy(), "mean")
			enginetest.CheckStrategyEqualsPlain(t, b, m.Bytes(), bag)
			enginetest.CheckNear(t, "scores", predicted(t, m.Bytes(), "", bag),
				predicted(t, want.Bytes(), "", bag), 1e-6)
			if !strings.Contains(strings.Join(b.Notes(), " "), "Runs on random bags show that") {
				t.Errorf("notes %q", b.Notes())
			}
		})
	}
	t.Run("axis of the card", func(t *testing.T) {
		m := laidOut(ot.In("p", "N", 2, "k"), ot.In("f", "N", 4, "k"), last, last)
		enginetest.CheckNear(t, "scores", predicted(t, m.Bytes(), `{"instance_axis": 2}`, bag),
			predicted(t, want.Bytes(), "", bag), 1e-6)
	})
}

// TestOpenBatchWithMask finds the axis of the instances behind the values, if a mask has a meaning
// with that axis alone.
func TestOpenBatchWithMask(t *testing.T) {
	m := ot.Model{Opset: 13, Inputs: []ot.Value{ot.In("bag", "N", 3, "k"),
		enginetest.InputOf(ot.In("mask", "N", "k"), ot.Bool)},
		Outputs:      []ot.Value{ot.In("y", "N", 3)},
		Initializers: []ot.Tensor{ot.I("axis1", []int64{1}, 1), ot.I("axis2", []int64{2}, 1)},
		Nodes: ot.Nodes(`m = Cast<to=1>(mask); row = Unsqueeze(m, axis1); kept = Mul(bag, row)
			s = ReduceSum<keepdims=0>(kept, axis2); n = ReduceSum<keepdims=0>(row, axis2)
			y = Div(s, n)`)}
	bag := enginetest.SmallBag(9, 3)
	want := make([]float64, 3)
	for i, v := range bag.Values {
		want[i%3] += float64(v) / 9
	}
	b := enginetest.OpenAndBind(t, m.Bytes(), onnxbackend.Options{}, bag)
	enginetest.CheckStrategyEqualsPlain(t, b, m.Bytes(), bag)
	enginetest.CheckNear(t, "scores", predicted(t, m.Bytes(), "", bag), want, 1e-6)
}

// TestOpenAxesOfParts rejects parts of several open lengths, and says which axis is missing.
func TestOpenAxesOfParts(t *testing.T) {
	m := laidOut(ot.In("p", "a", "b", "c"), ot.In("f", "N", "k", 4), []int64{0, 1, 2},
		[]int64{0, 1, 2})
	card := []byte(`{"inputs": {"p": "instances", "f": "instances"}}`)
	_, err := onnxbackend.Open(m.Bytes(), onnxbackend.Options{Card: card})
	must.Fail(t, err, `state another axis as "instance_axis"`)
}
