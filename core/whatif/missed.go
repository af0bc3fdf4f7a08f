package whatif

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/linear"
)

// A MissedQuestion asks what a bag loses without each of the instances with the largest scores. A
// score compares many bags with and without the instance; this compares the bag as it is.
type MissedQuestion struct {
	Explanation *core.Explanation // one class's
	Most        int               // largest number of instances, at least 1
	Of          []int             // the instances; nil for the Most that stand out most
}

// Missed is an instance whose score stands out, and what the bag loses without it.
type Missed struct {
	Instance int
	Score    float64 // the instance's score, less the neutral point
	// Loss is F_c(X) - F_c(X without x_i), positive if the bag's value falls without the instance.
	// It is in log-odds if the scores are, bounded as in METHODS section 4, and else in the unit of
	// the class.
	Loss float64
	// Opposed reports that Score and Loss have different signs, and that Loss is at least a
	// twentieth of Score: a smaller one may be rounding.
	Opposed bool
}

// leastOpposed is the smallest share of its score that a loss of the other sign has.
const leastOpposed = 1. / 20

// Answer returns the instances Of the question, or those whose scores stand out most, in descending
// order of their distance from the neutral point. It evaluates the bag without each of them.
// Instances without which the model has no answer are left out; if the budget of the game is spent,
// or if the model takes no smaller bag, the answer is empty.
//
// Errors: those of [core.Game.Answers].
func (q MissedQuestion) Answer(ctx context.Context, g *core.Game) ([]Missed, error) {
	strongest := q.Of
	if strongest == nil {
		strongest = q.strongest()
	}
	if len(strongest) == 0 || g.Instances() < 2 || !g.Takes(g.Instances()-1) {
		return nil, nil
	}
	z := core.NewCoalitions(g.Instances(), len(strongest))
	for _, i := range strongest {
		z.AppendWithout(i)
	}
	full, err := g.Full(ctx)
	if err != nil {
		return nil, err
	}
	values, err := g.Answers(ctx, z)
	switch {
	case errors.As(err, new(*core.BudgetError)):
		return nil, nil
	case err != nil:
		return nil, err
	}
	e := q.Explanation
	column := append(linear.Column(values, g.Classes(), e.Class), full[e.Class])
	if e.Unit == core.UnitLogOdds {
		g.Enter(e.Class)
		g.LogOdds(column)
	}
	var out []Missed
	for n, i := range strongest {
		score, loss := e.Scores[i]-e.Neutral, column[len(strongest)]-column[n]
		if math.IsNaN(loss) {
			continue
		}
		out = append(out, Missed{i, score, loss,
			score*loss < 0 && math.Abs(loss) >= leastOpposed*math.Abs(score)})
	}
	return out, nil
}

// strongest returns the instances whose scores stand out most, in descending order of their
// distance from the neutral point. Distances that differ by less than a thousandth of the largest
// are equal, so that machines that round otherwise choose the same instances.
func (q MissedQuestion) strongest() (out []int) {
	e := q.Explanation
	for i, evident := range e.Evident {
		if evident && e.Scores[i] != e.Neutral {
			out = append(out, i)
		}
	}
	distance := func(i int) float64 { return math.Abs(e.Scores[i] - e.Neutral) }
	largest := 0.
	for _, i := range out {
		largest = max(largest, distance(i))
	}
	size := func(i int) float64 { return math.Round(1000 * distance(i) / largest) }
	slices.SortStableFunc(out, func(i, j int) int { return cmp.Compare(size(j), size(i)) })
	return out[:min(len(out), q.Most)]
}
