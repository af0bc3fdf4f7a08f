package onnxbackend_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// vectorWidth is the length of the vectors of the models of these tests.
const vectorWidth = 96

// meanVector pools a bag (k, 96) by its mean.
func meanVector() ot.Model {
	return ot.Model{Opset: 13, Inputs: []ot.Value{ot.In("bag", "k", vectorWidth)},
		Outputs: []ot.Value{ot.In("slide", 1, vectorWidth)},
		Nodes:   ot.Nodes(`slide = ReduceMean<axes=[0], keepdims=1>(bag)`)}
}

// normalVector returns numbers of the normal distribution, as float32 has them.
func normalVector(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i, x := range enginetest.Normal(r, n) {
		v[i] = float64(x)
	}
	return v
}

// likenessOf is the definition: the cosine, or the dot product, of two vectors.
func likenessOf(a, b []float64, by Likeness) float64 {
	dot, aa, bb := 0.0, 0.0, 0.0
	for i := range a {
		dot, aa, bb = dot+a[i]*b[i], aa+a[i]*a[i], bb+b[i]*b[i]
	}
	if by == Dot {
		return dot
	}
	return dot / math.Sqrt(aa) / math.Sqrt(bb)
}

// attentionVector pools a bag (k, 96) by attention, in a type of numbers.
func attentionVector(r *rand.Rand, typ int) (m ot.Model, scores []float64) {
	scores = normalVector(r, vectorWidth)
	m = ot.Model{Opset: 13, Inputs: []ot.Value{ot.In("bag", "k", vectorWidth)},
		Outputs: []ot.Value{{Name: "slide", Type: typ, Dims: []any{1, vectorWidth}}},
		Initializers: []ot.Tensor{ot.F("w", float32s(scores), vectorWidth, 1), ot.F("c",
			[]float32{.25}, 1)},
		Nodes: []ot.Node{ot.N("Cast", []string{"bag"}, []string{"x"}, ot.Int("to", int64(typ))),
			ot.N("Cast", []string{"w"}, []string{"v"}, ot.Int("to", int64(typ))),
			ot.N("Cast", []string{"c"}, []string{"d"}, ot.Int("to", int64(typ)))}}
	m.Nodes = append(m.Nodes, ot.Nodes(`
		a = MatMul(x, v)
		b = Mul(a, d)
		weights = Softmax<axis=0>(b)
		weighted = Mul(weights, x)
		slide = ReduceMean<axes=[0], keepdims=1>(weighted)`)...)
	return m, scores
}

// float32s returns numbers as float32.
func float32s(v []float64) []float32 {
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(x)
	}
	return out
}

// checkLikenesses compares the likenesses of coalitions of a bag with those of vectors that pool
// computes of their members.
func checkLikenesses(t *testing.T, m *Model, bag *core.Bag, z *core.Coalitions, strategy string,
	within float64, pool func(members []int) []float64,
) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 50))
	targets := [][]float64{normalVector(r, vectorWidth), normalVector(r, vectorWidth)}
	for _, by := range []Likeness{Cosine, Dot} {
		d := must.Get(m.Toward(Target{Names: []string{"a", "b"}, Vectors: targets,
			Likeness: by}))(t)
		b := enginetest.Bind(t, d, bag, nil)
		must.Equal(t, b.Strategy(), strategy)
		var want []float64
		for j := range z.Len() {
			v := pool(z.Members(nil, j))
			for _, to := range targets {
				want = append(want, likenessOf(v, to, by))
			}
		}
		got := make([]float64, len(want))
		must.Do(t, b.Evaluate(t.Context(), got, z))
		enginetest.CheckNear(t, string(by), got, want, within)
		if !b.HasNeighbours() {
			continue
		}
		var alone []float64
		few := z.Members(nil, 0)[:1]
		for _, i := range few {
			z := core.NewCoalitions(bag.Len(), 1)
			z.AppendWithout(i)
			for _, to := range targets {
				alone = append(alone, likenessOf(pool(z.Members(nil, 0)), to, by))
			}
		}
		whole := core.NewCoalitions(bag.Len(), 1)
		whole.AppendWithout()
		got = make([]float64, 2*(bag.Len()+1))
		must.Do(t, b.EvaluateNeighbours(t.Context(), got, whole.Row(0)))
		var near []float64
		for _, i := range few {
			near = append(near, got[2*i:2*i+2]...)
		}
		enginetest.CheckNear(t, "neighbours by "+string(by), near, alone, within)
	}
}

// weightedMean returns what pools the members of a bag by weights.
func weightedMean(bag *core.Bag, weights []float64) func(members []int) []float64 {
	return func(members []int) []float64 {
		mean, sum := make([]float64, vectorWidth), 0.0
		for _, i := range members {
			sum += weights[i]
		}
		for _, i := range members {
			for j := range mean {
				mean[j] += weights[i] / sum * float64(bag.Values[i*vectorWidth+j])
			}
		}
		return mean
	}
}

// TestLikenessOfMeans compares the likenesses of coalitions of bags that are pooled by the mean
// with their closed form, for all coalitions of a small bag and random ones of a large bag.
func TestLikenessOfMeans(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 50))
	m := enginetest.Open(t, meanVector().Bytes(), Options{})
	for _, k := range []int{10, 3000} {
		bag := &core.Bag{Shape: []int{vectorWidth}, Values: enginetest.Normal(r, k*vectorWidth)}
		weights := make([]float64, k)
		for i := range weights {
			weights[i] = 1
		}
		z := allCoalitions(10)
		if k > 10 {
			z = enginetest.RandomCoalitions(k, 30)
		}
		checkLikenesses(t, m, bag, z, "mean", 1e-9, weightedMean(bag, weights))
	}
}

// allCoalitions returns all coalitions of k instances but the empty one.
func allCoalitions(k int) *core.Coalitions {
	z := core.NewCoalitions(k, 1<<k-1)
	for set := 1; set < 1<<k; set++ {
		var members []int
		for i := range k {
			if set>>i&1 == 1 {
				members = append(members, i)
			}
		}
		z.AppendMembers(members...)
	}
	return z
}

// TestLikenessOfAttention is TestLikenessOfMeans for attention, whose softmax is computed in
// float32; the whole graph in float64 gives all digits.
func TestLikenessOfAttention(t *testing.T) {
	for name, c := range map[string]struct {
		typ      int
		options  Options
		strategy string
		within   float64
	}{
		"float32": {ot.Float32, Options{}, "attention", 1e-6},
		"float64": {ot.Float64, Options{Plain: true}, StrategyPlain, 1e-9},
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(6, 50))
			model, scores := attentionVector(r, c.typ)
			bag := &core.Bag{Shape: []int{vectorWidth}, Values: enginetest.Normal(r, 8*vectorWidth)}
			weights := make([]float64, 8)
			for i := range weights {
				for j, w := range scores {
					weights[i] += .25 * w * float64(bag.Values[i*vectorWidth+j])
				}
				weights[i] = math.Exp(weights[i])
			}
			mean := weightedMean(bag, weights)
			checkLikenesses(t, enginetest.Open(t, model.Bytes(), c.options), bag,
				allCoalitions(8), c.strategy, c.within, func(members []int) []float64 {
					v := mean(members)
					for j := range v {
						v[j] /= float64(len(members)) // the mean of what is weighted
					}
					return v
				})
		})
	}
}

// TestTargets opens models toward targets: what it is called, and what no target can be.
func TestTargets(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 50))
	m := enginetest.Open(t, meanVector().Bytes(), Options{})
	bag := &core.Bag{Shape: []int{vectorWidth}, Values: enginetest.Normal(r, 3*vectorWidth)}
	v := normalVector(r, vectorWidth)
	head := m.Info().Heads[0]
	must.Equal(t, head.Kind, core.KindEmbedding)
	must.Equal(t, head.Classes, vectorWidth)
	probe := must.Get(m.Toward(Target{Names: []string{"p"}, Vectors: [][]float64{v},
		Bias: []float64{3}}))(t)
	dot := must.Get(m.Toward(Target{Names: []string{"p"}, Vectors: [][]float64{v},
		Likeness: Dot}))(t)
	got := must.Get(probe.Predict(t.Context(), bag))(t)
	plain := must.Get(dot.Predict(t.Context(), bag))(t)
	enginetest.CheckNear(t, "probe", got.Scores, []float64{plain.Scores[0] + 3}, 1e-12)
	must.Equal(t, len(got.Outputs[0].Data), vectorWidth)
	info := probe.Info()
	must.Equal(t, info.Heads[0].Kind, core.KindLikeness)
	must.Equal(t, info.Heads[0].Unit, core.Unit("dot product"))
	must.EqualSlices(t, info.Classes, []string{"p"})

	zeros, short := make([]float64, vectorWidth), v[:5]
	nan := append([]float64{math.NaN()}, v[1:]...)
	for want, target := range map[string]Target{
		"holds no vector":               {},
		"of zeros":                      {Names: []string{"a"}, Vectors: [][]float64{zeros}},
		"whose number 0 is NaN":         {Names: []string{"a"}, Vectors: [][]float64{nan}},
		"of 5 numbers, and the model's": {Names: []string{"a"}, Vectors: [][]float64{short}},
		"of 96 and of 5 numbers": {Names: []string{"a", "b"},
			Vectors: [][]float64{v, short}},
		"two vectors called":         {Names: []string{"a", "a"}, Vectors: [][]float64{v, v}},
		"2 names and 0 biases for 1": {Names: []string{"a", "b"}, Vectors: [][]float64{v}},
		"use dot": {Names: []string{"a"}, Vectors: [][]float64{v}, Bias: []float64{1},
			Likeness: Cosine},
		"the bias +Inf": {Names: []string{"a"}, Vectors: [][]float64{v},
			Bias: []float64{math.Inf(1)}},
		"use one of cosine, dot": {Names: []string{"a"}, Vectors: [][]float64{v}, Likeness: "l2"},
		"too large": {Names: []string{"a"},
			Vectors: [][]float64{append([]float64{1e300}, v[1:]...)}},
	} {
		_, err := m.Toward(target)
		var setting *core.SettingError
		if must.Fail(t, err, want); !errors.As(err, &setting) {
			t.Errorf("%T: %v", err, err)
		}
	}
	cosine := must.Get(m.Toward(Target{Names: []string{"a"}, Vectors: [][]float64{v}}))(t)
	_, err := cosine.Predict(t.Context(), &core.Bag{Shape: bag.Shape, Values: make([]float32,
		2*vectorWidth)})
	must.Fail(t, err, "no direction to compare")
}

// TestCardsOfVectors opens models whose cards say what the output is.
func TestCardsOfVectors(t *testing.T) {
	target := Target{Names: []string{"a"}, Vectors: [][]float64{{1, 2, 3}}}
	card := func(text string) *Model {
		return enginetest.Open(t, slideEncoder(17, ot.In("embedding", 1, 3)).Bytes(),
			Options{Card: []byte(text)})
	}
	m := card(`{"output": "embedding", "likeness": "dot"}`)
	must.Equal(t, m.Info().Heads[0].Kind, core.KindEmbedding)
	d := must.Get(m.Toward(target))(t)
	must.Equal(t, d.Info().Heads[0].Unit, core.Unit("dot product"))
	d = must.Get(must.Get(m.Toward(Target{Names: target.Names, Vectors: target.Vectors,
		Likeness: Cosine}))(t).Toward(target))(t) // a target replaces another
	must.Equal(t, d.Info().Heads[0].Unit, core.Unit("dot product"))
	must.Do(t, second(card(`{}`).Toward(target)))
	for _, text := range []string{`{"output": "logits"}`, `{"classes": ["a", "b", "c"]}`,
		`{"output": {"kind": "regression"}}`} {
		must.Fail(t, second(card(text).Toward(target)), "the model card says")
	}
}

// second returns the error of a call.
func second(_ *Model, err error) error { return err }
