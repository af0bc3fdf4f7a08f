package metric

import (
	"math"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/internal/games"
	"github.com/bagscope/bagscope/internal/must"
)

// TestCurvesBridgeUnanswered removes instances that are worth as much as each other: the curve is a
// straight line, with and without the bags that have no answer.
func TestCurvesBridgeUnanswered(t *testing.T) {
	order := []int{3, 1, 4, 0, 5, 7, 6, 2}
	game := func(answers func(members []int) bool) formula {
		return formula{8, func(members []int) float64 {
			if !answers(members) {
				return math.NaN()
			}
			return float64(len(members))
		}}
	}
	inFours := games.Fake{
		Shape: core.Task{Instances: 8, Classes: 2, Scale: core.ScaleRaw, Negative: -1, Least: 4,
			Step: 4, Why: "of the graph"},
		Value: func(members []int) []float64 {
			return []float64{float64(len(members)), -float64(len(members))}
		},
	}
	for name, c := range map[string]struct {
		ev     core.Evaluator
		points int
		last   float64
	}{
		"all answers":        {game(func([]int) bool { return true }), 8, 1},
		"none of 3 and 4":    {game(func(m []int) bool { return len(m) < 3 || len(m) > 4 }), 8, 1},
		"none of 1 and 2":    {game(func(m []int) bool { return len(m) > 2 }), 8, 3},
		"multiples of 4":     {&inFours, 5, 4},
		"not without member": {game(func(m []int) bool { return m[0] != 1 || len(m) != 7 }), 8, 1},
	} {
		t.Run(name, func(t *testing.T) {
			values := must.Get(Removal(t.Context(), play(t, c.ev), order))(t)
			must.Equal(t, len(values), 2*c.points)
			for m := range c.points {
				coretest.Near(t, "class 0", values[2*m], max(c.last, float64(8-m)), exact)
				coretest.Near(t, "class 1", values[2*m+1], -max(c.last, float64(8-m)), exact)
			}
		})
	}
	_, err := Removal(t.Context(), play(t, game(func(m []int) bool { return len(m) > 5 })), order)
	var few *core.NonFiniteError
	must.As(t, err, &few, "5 of 8 bags of a removal curve have no answer")
}
