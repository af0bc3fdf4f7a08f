package suffix_test

import (
	"context"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/internal/tolerance"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// instancesEqualMasks scores single instances, and the bag without each, by number and by mask.
func instancesEqualMasks(t *testing.T, b *onnxbackend.Bound) {
	t.Helper()
	k, classes := b.Task().Instances, b.Task().Classes
	for _, removed := range []bool{false, true} {
		if removed && k == 1 {
			continue
		}
		for _, part := range [][2]int{{0, k}, {k / 2, k}, {k / 3, k / 3}} {
			lo, hi := part[0], part[1]
			got, want := make([]float64, (hi-lo)*classes), make([]float64, (hi-lo)*classes)
			must.Do(t, b.EvaluateInstances(context.Background(), got, removed, lo, hi))
			must.Do(t, b.Evaluate(context.Background(), want, core.InstanceCoalitions(k, removed,
				lo, hi)))
			enginetest.CheckNear(t, map[bool]string{false: "single instances",
				true: "all but one"}[removed], got,
				want, tolerance.For(1))
		}
	}
}

// attended is a model that pools instances of two features into the named value, by an attention
// that is the first feature, and goes on with more nodes. Its scores are "scores", and "head" is a
// matrix for them.
func attended(pooled string, more ...ot.Node) ot.Model {
	return ot.Model{
		Opset: 13,
		Initializers: []ot.Tensor{
			ot.I("axis", []int64{0}, 1), ot.F("head", []float32{1, 2, 3, 4}, 2, 2), ot.F("gate",
				[]float32{1, 0}, 2, 1),
		},
		Inputs:  []ot.Value{ot.In("bag", "k", 2)},
		Outputs: []ot.Value{ot.In("scores", 2)},
		Nodes: append([]ot.Node{
			ot.N("MatMul", []string{"bag", "gate"}, []string{"a"}),
			ot.N("Softmax", []string{"a"}, []string{"w"}, ot.Int("axis", 0)),
			ot.N("Mul", []string{"w", "bag"}, []string{"q"}),
			ot.N("ReduceSum", []string{"q", "axis"}, []string{pooled}, ot.Int("keepdims", 0)),
		}, more...),
	}
}

// TestRestOfAHeavyInstance takes away the instance that has all but 1e-14 of the attention: the
// difference of sums has lost the digits of the rest, which must come from its own run.
func TestRestOfAHeavyInstance(t *testing.T) {
	m := attended("p", ot.N("MatMul", []string{"p", "head"}, []string{"scores"}))
	bag := &core.Bag{Shape: []int{2}, Values: []float32{0, 1, 32, 2, 0.5, -3, -1, 5}}
	opened := enginetest.Open(t, m.Bytes(), onnxbackend.Options{})
	b := enginetest.Bind(t, opened, bag, nil)
	must.Equal(t, b.Strategy(), "attention")
	instancesEqualMasks(t, b)
	got := make([]float64, 2)
	must.Do(t, b.EvaluateInstances(context.Background(), got, true, 1, 2))
	p := must.Get(opened.Predict(context.Background(), bag.Select([]int{0, 2, 3})))(t)
	enginetest.CheckNear(t, "the rest", got, p.Scores, 1e-6)
}
