package whatif

import (
	"context"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/rows"
)

// toggled returns f of a context, of the context with each instance of among added or removed, and
// with each pair. NaN is f of a coalition without a value.
func (r *pairsRun) toggled(ctx context.Context, s *surroundings, z []uint64) ([]float64, error) {
	if !r.together() {
		return r.eachToggled(ctx, s, z)
	}
	k, m := r.g.Instances(), len(r.among)
	f := make([]float64, 1+m+m*(m-1)/2)
	values, err := s.odds(ctx, z, r.q.Class)
	if err != nil {
		return nil, err
	}
	f[0] = values[k]
	for a, i := range r.among {
		f[1+a] = values[i]
	}
	for a, i := range r.among[:m-1] {
		rows.Toggle(z, i)
		values, err := s.odds(ctx, z, r.q.Class)
		if err != nil {
			return nil, err
		}
		rows.Toggle(z, i)
		for b := a + 1; b < m; b++ {
			f[1+m+triangle(m, a, b)] = values[r.among[b]]
		}
	}
	return f, nil
}

// eachToggled is toggled by one evaluation for each coalition.
func (r *pairsRun) eachToggled(
	ctx context.Context, s *surroundings, z []uint64,
) ([]float64, error) {
	g, m := r.g, len(r.among)
	n := 1 + m + m*(m-1)/2
	f := make([]float64, 0, n)
	// the next coalitions to evaluate, and their places in f
	all, at := core.NewCoalitions(g.Instances(), 0), []int{}
	most := max(fewestTogether, chunkBytes/(8*len(z)))
	take := func() error {
		values, err := onceEach(ctx, g, all)
		if err != nil {
			return err
		}
		for n, place := range at {
			f[place] = values[n*g.Classes()+r.q.Class]
		}
		all, at = core.NewCoalitions(g.Instances(), 0), at[:0]
		return nil
	}
	enter := func(row []uint64) error {
		switch size := rows.Overlap(row, row); {
		case size > 0 && s.known(size):
			all.Append(row)
			at = append(at, len(f))
			f = append(f, 0)
		case size == 0 && s.empty != nil:
			f = append(f, s.empty[r.q.Class])
		default:
			f = append(f, math.NaN())
		}
		if len(at) < most {
			return nil
		}
		return take()
	}
	if err := r.eachChange(z, enter); err != nil {
		return nil, err
	}
	if err := take(); err != nil {
		return nil, err
	}
	g.LogOdds(f)
	return f, nil
}

// Bounds of the coalitions that are evaluated at a time: their number, and the bytes of their
// masks.
const (
	fewestTogether = 64
	chunkBytes     = 32 << 20
)

// eachChange calls f with a context, with the context with each instance of among added or removed,
// and with each pair. f must not keep the slice.
func (r *pairsRun) eachChange(z []uint64, f func(row []uint64) error) error {
	row := slices.Clone(z)
	if err := f(row); err != nil {
		return err
	}
	for _, i := range r.among {
		rows.Toggle(row, i)
		if err := f(row); err != nil {
			return err
		}
		rows.Toggle(row, i)
	}
	for a, i := range r.among {
		rows.Toggle(row, i)
		for _, j := range r.among[a+1:] {
			rows.Toggle(row, j)
			if err := f(row); err != nil {
				return err
			}
			rows.Toggle(row, j)
		}
		rows.Toggle(row, i)
	}
	return nil
}
