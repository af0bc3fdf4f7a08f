package methods

import (
	"context"
	"math"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/rows"
	"github.com/bagscope/bagscope/core/internal/stats"
)

const (
	// contextValues bounds the marginal contributions that are held before they are added up.
	contextValues = 1 << 20
	// batchBits bounds the bits of the coalitions that are evaluated at a time, 8 MB.
	batchBits = 1 << 26
	// mostCached is the largest bag whose coalitions a game caches: about 13 k of k bits. Those of
	// larger bags are evaluated each time.
	mostCached = 1 << 13
)

// marginals evaluates what instances add in contexts.
type marginals struct {
	g       *core.Game
	classes []int
}

// evaluate calls add for each reference, in order, with f of a context's users less f without them,
// shaped (class, user).
func (m marginals) evaluate(
	ctx context.Context, refs []reference, add func(r reference, gains [][]float64),
) error {
	if ev := m.g.Neighbours(); ev != nil {
		return m.together(ctx, ev, refs, add)
	}
	return m.oneByOne(ctx, refs, add)
}

// together evaluates all neighbours of a context in one pass, and contexts on all workers.
func (m marginals) together(
	ctx context.Context, ev core.NeighbourEvaluator, refs []reference,
	add func(r reference, gains [][]float64),
) error {
	k := m.g.Instances()
	if err := m.g.CheckBudget(len(refs) * (k + 1)); err != nil {
		return err
	}
	wave := max(m.g.Options().Workers, contextValues/(k*len(m.classes)))
	for len(refs) > 0 {
		part := refs[:min(wave, len(refs))]
		refs = refs[len(part):]
		gains := make([][][]float64, len(part))
		err := m.g.Parallel(ctx, len(part), func() func(at int) error {
			w := neighbourhood{m, ev, make([]uint64, (k+63)/64),
				make([]float64, (k+1)*m.g.Classes()), linear.NewMatrix(len(m.classes), k+1)}
			return func(at int) (err error) {
				gains[at], err = w.gains(ctx, part[at])
				return err
			}
		})
		if err != nil {
			return err
		}
		for at, r := range part {
			add(r, gains[at])
		}
	}
	return nil
}

// A neighbourhood evaluates one context at a time.
type neighbourhood struct {
	marginals
	ev      core.NeighbourEvaluator
	context []uint64
	values  []float64   // (neighbour, class of the model)
	odds    [][]float64 // (class, neighbour) f
}

// gains returns the marginal contributions (class, user).
func (w neighbourhood) gains(ctx context.Context, r reference) ([][]float64, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	k := w.g.Instances()
	clear(w.context)
	for _, i := range r.members {
		rows.Toggle(w.context, i)
	}
	if err := w.ev.EvaluateNeighbours(ctx, w.values, w.context); err != nil {
		return nil, err
	}
	w.g.Odds(w.odds, w.values, w.classes)
	if err := w.checkFinite(k); err != nil {
		return nil, err
	}
	gains := linear.NewMatrix(len(w.classes), len(r.users))
	for n, i := range r.users {
		if err := w.checkFinite(i); err != nil {
			return nil, err
		}
		sign := 1.0
		if rows.Has(w.context, i) {
			sign = -1
		}
		for class, odds := range w.odds {
			gains[class][n] = sign * (odds[i] - odds[k])
		}
	}
	w.g.ReportEvaluations(k + 1)
	return gains, nil
}

// checkFinite returns a *NonFiniteError if the value of neighbour i, or of the context for k, is
// not a number.
func (w neighbourhood) checkFinite(i int) error {
	if !math.IsNaN(w.odds[0][i]) {
		return nil
	}
	k, c := w.g.Instances(), w.g.Classes()
	z := core.NewCoalitions(k, 1)
	z.Append(w.context)
	if i < k {
		rows.Toggle(z.Row(0), i)
	}
	row := w.values[i*c : (i+1)*c]
	class := stats.NonFinite(row)
	return &core.NonFiniteError{Coalition: z.String(0), Class: class, Value: row[class]}
}

// oneByOne evaluates each coalition on its own, many in a batch.
func (m marginals) oneByOne(
	ctx context.Context, refs []reference, add func(r reference, gains [][]float64),
) error {
	k, values := m.g.Instances(), m.g.Values
	if k > mostCached {
		values = m.g.ValuesOnce
	}
	batch := max(1, batchBits/k)
	var part []reference
	z := core.NewCoalitions(k, 0)
	for at, r := range refs {
		for from := 0; from < len(r.users); from += batch {
			piece := r
			piece.users = r.users[from:min(from+batch, len(r.users))]
			part = append(part, piece)
			piece.appendTo(z)
			if z.Len() < batch && (at+1 < len(refs) || from+batch < len(r.users)) {
				continue
			}
			v, err := values(ctx, z)
			if err != nil {
				return err
			}
			m.addAll(part, z, v, add)
			part, z = part[:0], core.NewCoalitions(k, 0)
		}
	}
	return nil
}

// appendTo appends the context of a reference, and the context with or without each user.
func (r reference) appendTo(z *core.Coalitions) {
	z.AppendMembers(r.members...)
	base := z.Row(z.Len() - 1)
	for _, i := range r.users {
		z.Append(base)
		rows.Toggle(z.Row(z.Len()-1), i)
	}
}

// addAll calls add for references whose coalitions have the values (coalition, class of the model).
func (m marginals) addAll(
	part []reference, z *core.Coalitions, values []float64,
	add func(r reference, gains [][]float64),
) {
	m.g.LogOdds(values)
	c, at := m.g.Classes(), 0
	for _, r := range part {
		gains := linear.NewMatrix(len(m.classes), len(r.users))
		for n, class := range m.classes {
			base := values[at*c+class]
			for u, i := range r.users {
				v := values[(at+1+u)*c+class] - base
				if z.Has(at, i) {
					v = -v
				}
				gains[n][u] = v
			}
		}
		add(r, gains)
		at += 1 + len(r.users)
	}
}
