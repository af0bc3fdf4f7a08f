package onnxbackend_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// TestScoresOfFormsAreEqual explains the bags of all architectures as they are evaluated and by
// runs of the whole graph.
func TestScoresOfFormsAreEqual(t *testing.T) {
	enginetest.EachZooBag(t, func(t *testing.T, m *Model, dir, size string, bag *core.Bag) {
		checkForms(t, m, enginetest.OpenTestFile(t, Options{Plain: true},
			"models/zoo/"+filepath.Base(dir)+"/model.onnx"), bag)
	})
}

// TestScoresOfRandomModels explains bags of random models as they are evaluated and by runs of the
// whole graph. -thorough 10 tries 240 models. The test fails if too few of them have a fast form,
// because it would then compare nothing.
func TestScoresOfRandomModels(t *testing.T) {
	models := 24 * *enginetest.Thorough
	forms := map[string]int{}
	for seed := range models {
		r := rand.New(rand.NewPCG(uint64(seed), 11))
		model, bag, parts := onnxtest.RandomModel(r, []int{1, 2, 5, 13, 30}[r.IntN(5)])
		t.Run(fmt.Sprintf("%d %s", seed, parts), func(t *testing.T) {
			m := enginetest.Open(t, model.Bytes(), Options{})
			forms[enginetest.Bind(t, m, bag, nil).Strategy()]++
			checkForms(t, m, enginetest.Open(t, model.Bytes(), Options{Plain: true}), bag)
		})
	}
	slow := forms[StrategyPlain] + forms[StrategyGathered]
	must.Equal(t, forms[StrategyPlain] <= models/4, true, models, forms)
	must.Equal(t, slow <= models/2, true, models, forms)
}

// checkForms explains a bag by every method under a model and under one that runs the whole graph
// for each coalition. Scores must be the same up to the rounding of float32, and those of Consensus
// must not depend on the seed.
func checkForms(t *testing.T, m, plain *Model, bag *core.Bag) {
	t.Helper()
	all := must.Get(methods.New([]string{"all"}, methods.Options{Samples: 60}))(t)
	explain := func(m *Model, seed uint64) *core.Report {
		ev := must.Get(m.Bind(t.Context(), bag))(t)
		return must.Get(core.Explain(t.Context(), ev, core.Request{Methods: all,
			SkipMissing: true, GameOptions: core.GameOptions{Seed: seed}}))(t)
	}
	fast, slow, other := explain(m, 4), explain(plain, 4), explain(m, 5)
	if n := len(fast.Explanations); n == 0 || n != len(slow.Explanations) {
		t.Fatalf("%d explanations, and %d by whole runs", n, len(slow.Explanations))
	}
	whole := largest(slow.Prediction)
	for n, e := range fast.Explanations {
		what, want := fmt.Sprintf("%s, class %d", e.Method, e.Class), slow.Explanations[n].Scores
		// Scores far below the prediction are differences of numbers that float32 has rounded.
		scale := max(largest(want), 1e-3*whole)
		product, square := 0.0, 0.0
		for i, v := range want {
			if got := e.Scores[i]; !(math.Abs(got-v) <= 1e-3*scale) {
				t.Errorf("%s, instance %d: %v, by whole runs %v", what, i, got, v)
			}
			product += v * e.Scores[i]
			square += v * v
		}
		slope := product / square
		if scale > 1e-3*whole && !(math.Abs(slope-1) <= 1e-3) {
			t.Errorf("%s: scores are %v times those of whole runs", what, slope)
		}
		again := other.Explanations[n].Scores
		if e.Method == "consensus" && !slices.Equal(e.Scores, again) {
			t.Errorf("%s: scores %v, with another seed %v", what, e.Scores, again)
		}
	}
}

// largest returns the largest magnitude.
func largest(values []float64) (top float64) {
	for _, v := range values {
		top = max(top, math.Abs(v))
	}
	return top
}
