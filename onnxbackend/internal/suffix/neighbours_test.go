package suffix_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/internal/masked"
	"github.com/bagscope/bagscope/onnxbackend/internal/tolerance"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// neighboursEqualPlain evaluates the neighbours of coalitions of many sizes at once, and each of
// them on its own by gathering its instances.
func neighboursEqualPlain(t *testing.T, b *onnxbackend.Bound) {
	t.Helper()
	if !b.HasNeighbours() {
		return
	}
	k := b.Task().Instances
	random := rand.New(rand.NewPCG(uint64(k), 5))
	for _, size := range slices.Compact([]int{0, min(1, k), min(2, k), k / 2, k - 1, k}) {
		z := core.NewCoalitions(k, 1)
		z.AppendMembers(random.Perm(k)[:size]...)
		reference := func(dst []float64, members []int) error {
			return enginetest.EvaluatorOf(b).Suffix.EvaluateEach(context.Background(), dst,
				func([]int, int) []int { return members }, nil)
		}
		neighboursEqual(t, b, z, tolerance.For(size), reference)
	}
}

// neighboursEqual compares the neighbours of a coalition with what reference writes for the members
// of each. Neighbours for which reference returns an error, such as those below the smallest bag,
// are left out. The tolerance is relative to the largest score of all neighbours, because a score
// near 0 is a difference of larger numbers.
func neighboursEqual(
	t *testing.T, b *onnxbackend.Bound, z *core.Coalitions, within float64,
	reference func(dst []float64, members []int) error,
) {
	t.Helper()
	k, classes := b.Task().Instances, b.Task().Classes
	got := make([]float64, (k+1)*classes)
	must.Do(t, b.EvaluateNeighbours(t.Context(), got, z.Row(0)))
	set := masked.Set{Base: masked.NewBase(k, z.Row(0)), Count: k + 1}
	var rows, expected []float64
	for i := range k + 1 {
		members, row := set.Members(nil, i), got[i*classes:(i+1)*classes]
		if len(members) == 0 {
			must.Equal(t, math.IsNaN(row[0]), true, i, z.String(0), row)
			continue
		}
		want := make([]float64, classes)
		if err := reference(want, members); err != nil {
			continue
		}
		rows, expected = append(rows, row...), append(expected, want...)
	}
	enginetest.CheckNear(t, "the neighbours", rows, expected, within)
}

// TestNeighboursOfAHeavyInstance removes the instance that holds all but 1e-14 of the attention
// from a coalition.
func TestNeighboursOfAHeavyInstance(t *testing.T) {
	bag := &core.Bag{Shape: []int{2}, Values: []float32{0, 1, 32, 2, 0.5, -3, -1, 5, 80, 1}}
	neighboursEqualPlain(t, enginetest.OpenAndBind(t, attended("scores").Bytes(),
		onnxbackend.Options{}, bag))
}

// TestSaturatedNoisyOr pools the logarithm of 0: without the instances that are certain the rest
// must be answered for, whether one, several or all of them are.
func TestSaturatedNoisyOr(t *testing.T) {
	m := ot.Model{
		Opset:        13,
		Initializers: []ot.Tensor{ot.I("axis", []int64{0}, 1), ot.F("one", []float32{1})},
		Inputs:       []ot.Value{ot.In("bag", "k", 2)},
		Outputs:      []ot.Value{ot.In("scores", 2)},
		Nodes: ot.Nodes(`miss = Sub(one, bag); log = Log(miss)
			sum = ReduceSum<keepdims=0>(log, axis); none = Exp(sum); scores = Sub(one, none)`),
	}
	for _, values := range [][]float32{
		{.1, .2, 1, .3, .5, 0, .25, .75},
		{.1, 1, 1, .3, 1, 0, .25, .75},
		{1, 1, 1, 1, 1, 1, 1, 1},
	} {
		b := enginetest.OpenAndBind(t, m.Bytes(), onnxbackend.Options{},
			&core.Bag{Shape: []int{2}, Values: values})
		must.Equal(t, b.Strategy(), "sum")
		neighboursEqualPlain(t, b)
		instancesEqualMasks(t, b)
		enginetest.CheckStrategyEqualsPlain(t, b, m.Bytes(),
			&core.Bag{Shape: []int{2}, Values: values})
		report := must.Get(core.Explain(t.Context(), b,
			core.Request{Methods: []core.Method{methods.OneRemoved{}}}))(t)
		for _, e := range report.Explanations {
			for i, v := range e.Scores {
				if math.IsNaN(v) {
					t.Errorf("%v: One Removed scores instance %d as %v", values, i, v)
				}
			}
		}
	}
}

// TestNeighboursUnderHeads evaluates the neighbours of mean pooling under heads whose layers are
// computed for several rows at a time: a folded layer with ReLU, and layers of one to five outputs
// behind it.
func TestNeighboursUnderHeads(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	weights := func(name string, shape ...int) ot.Tensor {
		return enginetest.RandomTensor(random, name, shape...)
	}
	for outputs := 1; outputs <= 5; outputs++ {
		m := ot.Model{
			Opset: 13,
			Initializers: []ot.Tensor{weights("a", 6, 5), weights("a.b", 5),
				weights("o", 5, outputs), weights("o.b", outputs)},
			Inputs:  []ot.Value{ot.In("bag", "k", 6)},
			Outputs: []ot.Value{ot.In("scores", 1, outputs)},
			Nodes: ot.Nodes(`pooled = ReduceMean<axes=[0], keepdims=1>(bag)
				hidden = Gemm(pooled, a, a.b); units = Relu(hidden); scores = Gemm(units, o, o.b)`),
		}
		bag := &core.Bag{Shape: []int{6}, Values: enginetest.Normal(random, 6*11)}
		b := enginetest.OpenAndBind(t, m.Bytes(), onnxbackend.Options{}, bag)
		must.Equal(t, b.HasNeighbours(), true, enginetest.EvaluatorOf(b).WhyNot)
		neighboursEqualPlain(t, b)
		enginetest.CheckStrategyEqualsPlain(t, b, m.Bytes(), bag)
	}
}

// TestNeighboursWithoutInstances averages the highest quarter of the instances, rounded up. Bags of
// up to four instances pool their maximum, and the empty neighbour of an instance has none.
func TestNeighboursWithoutInstances(t *testing.T) {
	m := ot.Model{
		Opset: 13,
		Initializers: []ot.Tensor{ot.I("first", []int64{0}, 1), ot.I("three", []int64{3}, 1),
			ot.I("four", []int64{4}, 1)},
		Inputs:  []ot.Value{ot.In("bag", "k", 2)},
		Outputs: []ot.Value{ot.In("scores", 2)},
		Nodes: ot.Nodes(`h = Tanh(bag); sizes = Shape(h); all = Gather(sizes, first)
			shape = Shape(bag); n = Gather(shape, first); above = Add(n, three)
			quarter = Div(above, four); sorted, places = TopK<axis=0>(h, all)
			highest = Slice(sorted, first, quarter, first)
			scores = ReduceMean<axes=[0], keepdims=0>(highest)`),
	}
	for k := 1; k <= 4; k++ {
		bag := &core.Bag{Shape: []int{2}, Values: []float32{.3, 5, 1, -2, -4, .5, 2, 7}[:2*k]}
		b := enginetest.OpenAndBind(t, m.Bytes(), onnxbackend.Options{}, bag)
		must.Equal(t, b.HasNeighbours(), true, k, enginetest.EvaluatorOf(b).WhyNot)
		neighboursEqualPlain(t, b)
	}
}

// TestNeighboursOfManyInstances evaluates more neighbours than are computed together.
func TestNeighboursOfManyInstances(t *testing.T) {
	const k = 2*core.BatchUnit + 90
	m := poolModel(13, 4, reduce("ReduceMean", 0)...)
	b := enginetest.OpenAndBind(t, m.Bytes(), onnxbackend.Options{}, enginetest.SmallBag(k, 3))
	must.Equal(t, b.HasNeighbours(), true, enginetest.EvaluatorOf(b).WhyNot)
	neighboursEqualPlain(t, b)
}
