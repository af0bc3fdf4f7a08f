package onnxbackend_test

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// TestScoresOfFormsAreEqual explains the bags of all architectures as they are evaluated and by
// runs of the whole graph: every method gives the same scores, up to the rounding of float32.
// Consensus gives them for another seed too.
func TestScoresOfFormsAreEqual(t *testing.T) {
	enginetest.EachZooBag(t, func(t *testing.T, m *Model, dir, size string, bag *core.Bag) {
		plain := enginetest.OpenTestFile(t, Options{Plain: true},
			"models/zoo/"+filepath.Base(dir)+"/model.onnx")
		explain := func(m *Model, seed uint64) []core.Explanation {
			all := must.Get(methods.New([]string{"single", "one_removed", "random_shap", "milli",
				"consensus"}, methods.Options{Samples: 60}))(t)
			ev := must.Get(m.Bind(t.Context(), bag))(t)
			return must.Get(core.Explain(t.Context(), ev, core.Request{Methods: all,
				SkipMissing: true, GameOptions: core.GameOptions{Seed: seed}}))(t).Explanations
		}
		fast, slow, other := explain(m, 4), explain(plain, 4), explain(m, 5)
		if len(fast) == 0 {
			t.Fatal("nothing is explained")
		}
		for n, e := range fast {
			largest := 0.0
			for _, v := range e.Scores {
				largest = max(largest, math.Abs(v))
			}
			for i, v := range e.Scores {
				// log-odds of float32 outputs near 0 or 1 round more than the outputs
				if math.Abs(v-slow[n].Scores[i]) > 1e-3*largest {
					t.Errorf("%s, class %d, instance %d: %v, by whole runs %v", e.Method, e.Class,
						i, v, slow[n].Scores[i])
				}
				if e.Method == "consensus" && v != other[n].Scores[i] {
					t.Errorf("class %d, instance %d: %v, with another seed %v", e.Class, i, v,
						other[n].Scores[i])
				}
			}
		}
	})
}
