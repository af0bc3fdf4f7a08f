package suffix_test

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// optimisedTolerance is relative to the largest score of a method: differences of predictions have
// the rounding of both.
const optimisedTolerance = 1e-5

// TestOptimisedTwins compares explanations of networks as they were exported with those of the same
// networks as ONNX Runtime's optimizers write them. The way of evaluation is the same too.
func TestOptimisedTwins(t *testing.T) {
	zoo := enginetest.RepositoryFile(t, "onnxbackend/testdata/zoo")
	compared := 0
	for _, network := range []string{"bert", "vit", "vit_fast", "instances", "convnext"} {
		dir := filepath.Join(zoo, "optimised_"+network)
		exported := filepath.Join(dir, "exported.onnx")
		for _, way := range []string{"extended", "o2", "o2-heads"} {
			data, err := os.ReadFile(filepath.Join(dir, way+".onnx"))
			if os.IsNotExist(err) {
				continue
			}
			compared++
			t.Run(network+"/"+way, func(t *testing.T) {
				want := enginetest.Open(t, must.Get(os.ReadFile(exported))(t),
					onnxbackend.Options{})
				got := enginetest.Open(t, must.Get(data, err)(t), onnxbackend.Options{})
				bags, _ := exportedBags(t, exported, false)
				for _, bag := range bags {
					compareTwins(t, got, want, bag)
				}
			})
		}
	}
	must.Equal(t, compared, 13)
}

func compareTwins(t *testing.T, got, want *onnxbackend.Model, bag *core.Bag) {
	t.Helper()
	b, twin := enginetest.Bind(t, got, bag, nil), enginetest.Bind(t, want, bag, nil)
	must.Equal(t, b.Strategy(), twin.Strategy())
	explain := func(ev core.Evaluator) []core.Explanation {
		list := must.Get(methods.New([]string{"consensus", "shapley", "one-removed"},
			methods.Options{Samples: 40}))(t)
		return must.Get(core.Explain(t.Context(), ev, core.Request{Methods: list}))(t).Explanations
	}
	before := explain(twin)
	for i, e := range explain(b) {
		largest := 0.
		for _, v := range before[i].Scores {
			largest = max(largest, math.Abs(v))
		}
		for j, v := range before[i].Scores {
			if !(math.Abs(e.Scores[j]-v) <= optimisedTolerance*max(largest, 1)) {
				t.Errorf("%s, instance %d: %v, before %v", e.Method, j, e.Scores[j], v)
			}
		}
	}
}

// TestShapeOfOneInstance predicts a bag of one instance with a graph that reads the shape of a
// value in which this instance's axis has become that of the scores.
func TestShapeOfOneInstance(t *testing.T) {
	file := enginetest.RepositoryFile(t, "onnxbackend/testdata/zoo/optimised_instances/")
	r := rand.New(rand.NewPCG(3, 4))
	bag := &core.Bag{Shape: []int{8}}
	for range 8 {
		bag.Values = append(bag.Values, float32(r.NormFloat64()))
	}
	var scores [][]float64
	for _, way := range []string{"exported", "o2-heads"} {
		m := enginetest.Open(t, must.Get(os.ReadFile(filepath.Join(file, way+".onnx")))(t),
			onnxbackend.Options{})
		enginetest.Bind(t, m, bag, nil)
		scores = append(scores, must.Get(m.Predict(t.Context(), bag))(t).Scores)
	}
	enginetest.CheckNear(t, "scores", scores[1], scores[0], 1e-5)
}
