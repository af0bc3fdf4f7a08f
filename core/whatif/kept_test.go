package whatif_test

import (
	"math"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/whatif"
	"github.com/bagscope/bagscope/internal/must"
)

// TestKept has a known answer: the class needs instances 1 and 4, which have the first and the last
// evident score of three. The logit is 3 or -3, and the other class has 0.
func TestKept(t *testing.T) {
	model := logits{&coretest.Game{Players: 9, Value: func(members []int) float64 {
		has := 0.0
		for _, i := range members {
			if i == 1 || i == 4 {
				has += .5
			}
		}
		return math.Floor(has)
	}}}
	e := &core.Explanation{Scores: []float64{0, 3, 0, 2, 1, 0, -1, 0, 0},
		Evident: []bool{false, true, false, true, true, false, true, false, false}}
	for name, ev := range map[string]core.Evaluator{"one by one": model,
		"together": model.shared()} {
		t.Run(name, func(t *testing.T) {
			g := must.Get(core.NewGame(ev, core.GameOptions{}))(t)
			kept := must.Get(whatif.KeptQuestion{Explanation: e}.Answer(t.Context(), g))(t)
			yes, no := 1/(1+math.Exp(-3)), 1/(1+math.Exp(3))
			coretest.Near(t, "sufficiency", kept.Sufficiency, yes, 1e-9)
			coretest.Near(t, "necessity", kept.Necessity, no, 1e-9)
			coretest.Near(t, "recoverability", kept.Recoverability, 1, 1e-9)
			must.Equal(t, kept.Shown, 3)
			must.Equal(t, kept.Ranked, 3)
			must.Equal(t, kept.Least, 2)
			if most := whatif.KeptEvaluations(9); g.Evaluations() > most {
				t.Errorf("%d evaluations, at most %d announced", g.Evaluations(), most)
			}
		})
	}
}
