package methods

import (
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/sampling"
	"github.com/bagscope/bagscope/core/internal/stats"
)

const (
	// leading is how many scores of a class are to be separated from the others.
	leading = 5
	// separationLevel is the probability, for each class of a bag, of calling scores separated that
	// are not.
	separationLevel = .05
)

// testSeparation sets separated for each explained class.
//
// The leading scores of a class are separated if each differs in magnitude from each other score by
// more than chance explains: in a one-sided test of the paired difference, which the shared
// contexts make small, at a level that is divided by the numbers of pairs, looks and classes
// (Bonferroni). Estimates without contexts take the largest error that a difference can have.
func (r *consensusRun) testSeparation(joins []join) {
	r.separated = make([]bool, len(joins))
	looks := 1 + math.Log2(float64(r.mostContexts())/sampling.FewestContexts)
	for n, j := range joins {
		r.separated[n] = j.separated(separationLevel / looks / float64(len(joins)))
	}
}

// separated tests all pairs at a level for all of them together.
func (j join) separated(level float64) bool {
	scores := j.scores()
	if len(scores) <= leading {
		return true
	}
	magnitude, order := core.ByMagnitude(scores)
	top, rest := order[:leading], order[leading:]
	least := stats.LeastEvidence * max(1e-300, magnitude[order[0]])
	errors, critical := roots(j.squares()), 0.0
	if slices.Max(errors) > 0 {
		critical = stats.Quantile(level/float64(len(top)*len(rest)), j.freedom())
	}
	for _, a := range top {
		for _, b := range rest {
			gap := magnitude[a] - magnitude[b]
			if gap > critical*(errors[a]+errors[b]) && gap > least {
				continue // the error of a difference is at most the sum of the errors
			}
			if gap <= least || gap <= critical*math.Sqrt(j.difference(a, sign(scores[a]), b,
				-sign(scores[b]))) {
				return false
			}
		}
	}
	return true
}

// difference returns the squared standard error of a phi_i + b phi_j.
func (j join) difference(i int, a float64, other int, b float64) float64 {
	sum := 0.0
	for _, p := range j.parts {
		square := 0.0
		switch {
		case p.squares == nil:
		case p.contexts != nil:
			square = p.contexts.difference(j.class, i, a, other, b)
		default:
			e := math.Sqrt(p.squares[j.class][i]) + math.Sqrt(p.squares[j.class][other])
			square = e * e
		}
		sum += p.factor * p.factor * square
	}
	return sum
}

// sign returns 1 or -1 with the sign of v.
func sign(v float64) float64 { return math.Copysign(1, v) }
