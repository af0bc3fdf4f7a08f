package whatif

import (
	"fmt"
	"math"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// A goal is what the values of a changed bag have to be: a class at a level or above, the largest
// of its head, or the opposite. Its score is above 0 where the goal is reached and grows towards
// it.
type goal struct {
	class      int
	first, end int // classes of the head
	level      float64
	largest    bool // the class is the largest of its head; level is not used
	odds       bool // values are probabilities, compared by their logarithms
	opposite   bool
}

// newGoal returns the goal of a class at a level, nil for the largest of its head. Numbers of a
// regression or a vector are not compared with each other. A head of one class has a level of its
// own if it is a probability: one half. It returns a *SettingError for a level that cannot be
// reached, or that is missing.
func newGoal(g *core.Game, class int, level *float64, opposite bool) (goal, error) {
	if err := g.CheckClass(class); err != nil {
		return goal{}, err
	}
	g.Enter(class)
	to := goal{class: class, odds: g.HeadOutput() == core.OutputProbability, opposite: opposite}
	to.first, to.end = g.Columns()
	h := g.Head(class)
	alone := to.end-to.first == 1 || h.Scale == core.ScaleSigmoidLogits ||
		h.Kind == core.KindRegression || h.Kind == core.KindEmbedding
	switch {
	case level == nil && !alone:
		to.largest = true
	case level == nil && to.odds:
		to.level = .5
	case level == nil && g.HeadOutput() == core.OutputLogit:
		to.level = 0
	case level == nil:
		return to, &core.SettingError{
			Setting: "level",
			Reason: fmt.Sprintf("is missing: class %d is a "+
				"number without a threshold; name the value that decides", class),
		}
	case math.IsNaN(*level) || math.IsInf(*level, 0):
		return to, &core.SettingError{Setting: "level", Reason: msg.Sprintf(
			"must be a finite number, got %v", *level)}
	case to.odds && (*level <= 0 || *level >= 1):
		return to, &core.SettingError{Setting: "level", Reason: msg.Sprintf(
			"must be a probability between 0 and 1, got %v", *level)}
	default:
		to.level = *level
	}
	to.odds = to.odds && (to.largest || !alone)
	return to, nil
}

// leastLogarithm stands in for the logarithm of a probability of 0.
const leastLogarithm = -700

// score returns how near a row of values is to the goal. Probabilities near 0 and 1 differ by less
// than float64 resolves, but their logarithms do not: those of the other classes are therefore
// compared instead of 1 - F.
func (to goal) score(row []float64) float64 {
	v := row[to.class]
	if math.IsNaN(v) {
		return v
	}
	others, rest := math.Inf(-1), 0.0
	for c, v := range row[to.first:to.end] {
		if c += to.first; c != to.class {
			others = max(others, v)
			rest += v
		}
	}
	distance := v - to.level
	switch {
	case to.largest && to.odds:
		distance = logarithm(v) - logarithm(others)
	case to.largest:
		distance = v - others
	case to.odds:
		distance = logarithm(v) - logarithm(rest) - math.Log(to.level/(1-to.level))
	}
	if to.opposite {
		return -distance
	}
	return distance
}

// logarithm returns the logarithm of a probability, and leastLogarithm for 0.
func logarithm(v float64) float64 {
	if v <= 0 {
		return leastLogarithm
	}
	return math.Log(v)
}

// reached reports whether a score reaches the goal. A class at its level, or as large as another
// one, has reached it; the opposite has not.
func (to goal) reached(score float64) bool {
	return score > 0 || score == 0 && !to.opposite
}
