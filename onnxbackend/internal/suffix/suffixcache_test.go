package suffix_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/internal/tolerance"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

func bindTo(t testing.TB, m *onnxbackend.Model, bag *core.Bag) *onnxbackend.Bound {
	t.Helper()
	ev := must.Get(m.Bind(context.Background(), bag))(t)
	return ev.(*onnxbackend.Bound)
}

// TestBagsOfOneLayoutShareVerification binds bags of several sizes: they share the suffix that the
// first has verified, and each has the scores of the whole graph.
func TestBagsOfOneLayoutShareVerification(t *testing.T) {
	data := poolModel(13, 4, reduce("ReduceMean", 0)...).Bytes()
	m := must.Get(onnxbackend.Open(data, onnxbackend.Options{}))(t)
	first := bindTo(t, m, enginetest.SmallBag(12, 3))
	must.Equal(t, enginetest.EvaluatorOf(first).Suffix.Verified(), true,
		"the cut is not proved by a bag of different instances")
	for _, k := range []int{12, 7, 2, 1} {
		b := bindTo(t, m, enginetest.SmallBag(k, 3))
		enginetest.CheckStrategyEqualsPlain(t, b, data, enginetest.SmallBag(k, 3))
	}
	must.Equal(t, enginetest.ProgramsOf(m).Len(), 2)
}

// TestExtremeBagAfterVerification binds bags with other numbers than the one that has verified the
// suffix: pooling must be verified for each bag.
func TestExtremeBagAfterVerification(t *testing.T) {
	const huge = math.MaxFloat32 // its products with weights above 1 are infinite
	weighted := ot.Nodes(`a1 = ReduceSum<keepdims=1>(a, axis1); a2 = Mul(a1, zoom)
		w = Softmax<axis=0>(a2); q = Mul(w, h); p = ReduceSum<keepdims=0>(q, axis0)`)
	for name, nodes := range map[string][]ot.Node{"attention": weighted,
		"max": reduce("ReduceMax", 0), "logsumexp": reduce("ReduceLogSumExp", 0)} {
		model := poolModel(13, 4, nodes...)
		model.Initializers = append(model.Initializers, ot.F("zoom", []float32{60}, 1))
		model.Nodes[1].Out[0] = "t" // what is infinite becomes NaN on the way from t to h
		model.Nodes = slices.Insert(model.Nodes, 2, ot.Nodes(`d = Sub(g, g); h = Add(t, d)`)...)
		data := model.Bytes()
		m := must.Get(onnxbackend.Open(data, onnxbackend.Options{}))(t)
		must.Equal(t,
			enginetest.EvaluatorOf(bindTo(t, m, enginetest.SmallBag(9, 3))).Suffix.Verified(), true,
			name)
		for what, values := range map[string][]float32{
			"far apart": {50, -50, 50, -50, 50, -50, 9, 9, 9, -9, -9, -9, 0, 0, 0},
			"ties":      {1, 2, 3, 1, 2, 3, 0, 0, 0, 0, 0, 0, 3, 2, 1},
			"NaN":       {1, 2, 3, huge, huge, huge, 4, 5, 6, 7, 8, 9, -1, -2, -3},
			"large":     {1, 2, 3, huge / 64, 0, 0, 4, 5, 6, -huge / 64, 8, 9, -1, -2, -3},
		} {
			t.Run(name+"/"+what, func(t *testing.T) {
				bag := &core.Bag{Shape: []int{3}, Values: values}
				if what == "NaN" {
					pairsEqualPlain(t, bindTo(t, m, bag), data, bag)
					return
				}
				enginetest.CheckStrategyEqualsPlain(t, bindTo(t, m, bag), data, bag)
			})
		}
	}
}

// pairsEqualPlain is wayEqualsPlain for coalitions of two, some of whose scores are no numbers:
// those must be none in both.
func pairsEqualPlain(t *testing.T, b *onnxbackend.Bound, model []byte, bag *core.Bag) {
	t.Helper()
	plain := enginetest.OpenAndBind(t, model, onnxbackend.Options{Plain: true}, bag)
	classes := b.Task().Classes
	got, want := make([]float64, classes), make([]float64, classes)
	numbers, nans := 0, 0
	for i := range bag.Len() {
		for j := range i {
			z := core.NewCoalitions(bag.Len(), 1)
			z.AppendMembers(i, j)
			must.Do(t, errors.Join(plain.Evaluate(context.Background(), want, z),
				b.Evaluate(context.Background(), got, z)))
			if math.IsNaN(want[0]) {
				nans++
				if !math.IsNaN(got[0]) {
					t.Errorf("instances %d and %d score %v, want NaN", i, j, got)
				}
				continue
			}
			numbers++
			enginetest.CheckNear(t, "scores", got, want, tolerance.For(1))
		}
	}
	must.Equal(t, numbers != 0, true, numbers, nans)
	must.Equal(t, nans != 0, true, numbers, nans)
}

// TestEqualInstancesVerifyNothing binds a bag of equal instances, which cannot refute a wrong
// prefix: the next bag must.
func TestEqualInstancesVerifyNothing(t *testing.T) {
	m := misjudged(t)
	empty := &core.Bag{Shape: []int{2}, Values: make([]float32, 12)}
	bindTo(t, m, empty)
	for range 2 {
		b := bindTo(t, m, enginetest.SmallBag(6, 2))
		must.Equal(t, b.Strategy(), onnxbackend.StrategyPlain)
		boundEqualsWholeGraph(t, b, m, enginetest.SmallBag(6, 2))
	}
}

// TestBoundOutlivesNextBag checks that a bound bag keeps its values while later bags use the memory
// of its run.
func TestBoundOutlivesNextBag(t *testing.T) {
	m := must.Get(onnxbackend.Open(enginetest.AttentionModel().Bytes(), onnxbackend.Options{}))(t)
	scores := func(b *onnxbackend.Bound) []float64 {
		z := core.NewCoalitions(6, 6)
		for i := range 6 {
			z.AppendMembers(i, (i+1)%6)
		}
		out := make([]float64, 6*b.Task().Classes)
		must.Do(t, b.Evaluate(context.Background(), out, z))
		phi := must.Get(b.Attention(context.Background(), 0))(t)
		return append(out, phi...)
	}
	other := enginetest.SmallBag(6, 2)
	for i := range other.Values {
		other.Values[i] *= -3
	}
	b := bindTo(t, m, enginetest.SmallBag(6, 2))
	before := scores(b)
	for range 3 {
		c := bindTo(t, m, other)
		must.Equal(t, slices.Equal(scores(c), before), false, "different bags have the same scores")
		must.Get(m.Predict(context.Background(), other))(t)
	}
	must.EqualSlices(t, before, scores(b))
}
