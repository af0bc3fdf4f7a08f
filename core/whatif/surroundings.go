package whatif

import (
	"context"
	"math"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/rows"
)

// surroundings evaluates all neighbours of coalitions, for one goroutine. Models that implement
// [core.NeighbourEvaluator] evaluate them together. For other models the game evaluates each one
// and caches its value.
type surroundings struct {
	g      *core.Game
	ev     core.NeighbourEvaluator // nil if the model has none
	empty  []float64               // value of the empty coalition, nil if it has none
	values []float64               // (neighbour, class): of the k neighbours, then of the coalition
	column [][]float64             // (1, neighbour) f of one class
}

// around calls f(s, i) for i from 0 up to n. Each call evaluates the surroundings of up to passes
// coalitions; 0 means that it evaluates other coalitions. Calls run in order if passes is 0 or if
// the model has no neighbours, because the game's cache is for one goroutine, otherwise
// concurrently. It returns a *BudgetError before the first call if the budget is too small for all.
func around(
	ctx context.Context, g *core.Game, n, passes int,
	f func(ctx context.Context, s *surroundings, i int) error,
) error {
	if n <= 0 {
		return nil
	}
	s := newSurroundings(g)
	if s.ev == nil || passes == 0 {
		for i := range n {
			if err := f(ctx, s, i); err != nil {
				return err
			}
		}
		return nil
	}
	if err := g.CheckBudget(n * passes * (g.Instances() + 1)); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	return g.Parallel(ctx, n, func() func(i int) error {
		s := newSurroundings(g)
		return func(i int) error {
			err := f(ctx, s, i)
			if err != nil {
				cancel(err) // the other calls stop at their next coalition
			}
			return err
		}
	})
}

// newSurroundings returns one with its own memory.
func newSurroundings(g *core.Game) *surroundings {
	k, c := g.Instances(), g.Classes()
	s := &surroundings{g: g, ev: g.Neighbours(), column: linear.NewMatrix(1, k+1)}
	s.empty, _ = g.EmptyValue()
	if s.ev != nil {
		s.values = make([]float64, (k+1)*c)
	}
	return s
}

// known reports whether coalitions of this size have values.
func (s *surroundings) known(size int) bool {
	return size >= s.g.LeastBag() || size == 0 && s.empty != nil
}

// outputs returns the values of the neighbours of coalition z and of z itself, shaped
// (k + 1, class), on the game's outputs. Rows of coalitions without a value or an answer are NaN.
// The slice is valid until the next call.
func (s *surroundings) outputs(ctx context.Context, z []uint64) ([]float64, error) {
	if s.ev == nil {
		return s.each(ctx, z)
	}
	if err := s.run(ctx, z); err != nil {
		return nil, err
	}
	c, sizes := s.g.Classes(), s.sizes(z)
	for i := range s.g.Instances() + 1 {
		row := s.values[i*c : (i+1)*c]
		switch size := sizes(i); {
		case size == 0 && s.empty != nil:
			copy(row, s.empty)
		case s.known(size):
			s.g.Convert(row)
			s.g.CheckAnswer(row)
		}
	}
	return s.values, nil
}

// Odds returns f of a class, as Consensus defines it, for the neighbours of coalition z and for z
// itself. Coalitions without a value or an answer are NaN. Errors and the slice are those of
// outputs.
func (s *surroundings) odds(ctx context.Context, z []uint64, class int) ([]float64, error) {
	f := s.column[0]
	if s.ev == nil || s.empty != nil {
		values, err := s.outputs(ctx, z)
		if err != nil {
			return nil, err
		}
		for i := range f {
			f[i] = values[i*s.g.Classes()+class]
		}
		s.g.LogOdds(f)
		return f, nil
	}
	if err := s.run(ctx, z); err != nil {
		return nil, err
	}
	s.g.Odds(s.column, s.values, []int{class})
	sizes := s.sizes(z)
	for i := range f {
		if s.known(sizes(i)) {
			s.g.CheckAnswer(f[i : i+1])
		}
	}
	return f, nil
}

// run evaluates the neighbours together, on the task's scale.
func (s *surroundings) run(ctx context.Context, z []uint64) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := s.ev.EvaluateNeighbours(ctx, s.values, z); err != nil {
		return err
	}
	s.g.ReportEvaluations(s.g.Instances() + 1)
	return nil
}

// each evaluates the neighbours one by one, except those without a value.
func (s *surroundings) each(ctx context.Context, z []uint64) ([]float64, error) {
	k, c := s.g.Instances(), s.g.Classes()
	all, known := core.NeighbourCoalitions(k, z), core.NewCoalitions(k, k+1)
	for i := range k + 1 {
		if size := all.Size(i); size > 0 && s.known(size) {
			known.Append(all.Row(i))
		}
	}
	if err := holdValues(ctx, s.g, known); err != nil {
		return nil, err
	}
	values, err := s.g.Answers(ctx, known)
	if err != nil {
		return nil, err
	}
	if s.values == nil {
		s.values = make([]float64, (k+1)*c)
	}
	for i := range k + 1 {
		row := s.values[i*c : (i+1)*c]
		switch size := all.Size(i); {
		case size > 0 && s.known(size):
			copy(row, values)
			values = values[c:]
		case size == 0 && s.empty != nil:
			copy(row, s.empty)
		default:
			for class := range row {
				row[class] = math.NaN()
			}
		}
	}
	return s.values, nil
}

// sizes returns a function that returns the number of instances of neighbour i of z, or of z itself
// for i = k.
func (s *surroundings) sizes(z []uint64) func(i int) int {
	size, k := rows.Overlap(z, z), s.g.Instances()
	return func(i int) int {
		switch {
		case i == k:
			return size
		case rows.Has(z, i):
			return size - 1
		}
		return size + 1
	}
}
