package methods

import (
	"context"
	"math"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/rows"
	"github.com/bagscope/bagscope/core/internal/stats"
)

// A neighbourhood evaluates all neighbours of one context at a time, for one goroutine.
type neighbourhood struct {
	g       *core.Game
	ev      core.NeighbourEvaluator
	classes []int
	context []uint64
	values  []float64   // (neighbour, class of the model)
	f       [][]float64 // (class, neighbour) what is explained, of the context itself at k
}

// newNeighbourhood returns one of a game that has neighbours.
func newNeighbourhood(g *core.Game, classes []int) *neighbourhood {
	k := g.Instances()
	return &neighbourhood{g, g.Neighbours(), classes, make([]uint64, (k+63)/64),
		make([]float64, (k+1)*g.Classes()), linear.NewMatrix(len(classes), k+1)}
}

// evaluate sets f for the context, by one of the functions of a game that convert values. It is NaN
// for coalitions without an answer.
func (w *neighbourhood) evaluate(
	ctx context.Context, convert func(dst [][]float64, rows []float64, classes []int),
) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := w.ev.EvaluateNeighbours(ctx, w.values, w.context); err != nil {
		return err
	}
	convert(w.f, w.values, w.classes)
	w.g.ReportEvaluations(w.g.Instances() + 1)
	return nil
}

// gains returns the marginal contributions (class, user), NaN where a coalition has no answer.
func (w *neighbourhood) gains(ctx context.Context, r reference) ([][]float64, error) {
	k := w.g.Instances()
	clear(w.context)
	for _, i := range r.members {
		rows.Toggle(w.context, i)
	}
	if err := w.evaluate(ctx, w.g.Odds); err != nil {
		return nil, err
	}
	gains := linear.NewMatrix(len(w.classes), len(r.users))
	for n, i := range r.users {
		sign := 1.0
		if rows.Has(w.context, i) {
			sign = -1
		}
		for class, f := range w.f {
			gains[class][n] = sign * (f[i] - f[k])
		}
	}
	return gains, nil
}

// checkFinite returns a *NonFiniteError if the value of neighbour i, or of the context for k, is
// not a number.
func (w *neighbourhood) checkFinite(i int) error {
	if !math.IsNaN(w.f[0][i]) {
		return nil
	}
	k, c := w.g.Instances(), w.g.Classes()
	z := core.NewCoalitions(k, 1)
	z.Append(w.context)
	if i < k {
		rows.Toggle(z.Row(0), i)
	}
	row := w.values[i*c : (i+1)*c]
	class := max(0, stats.NonFinite(row)) // a finite score may have an infinite output
	return &core.NonFiniteError{Coalition: z.String(0), Class: class, Value: row[class]}
}
