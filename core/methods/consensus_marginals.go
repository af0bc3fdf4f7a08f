package methods

import (
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/rows"
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
// shaped (class, user). The difference is NaN where a coalition has no answer.
func (m marginals) evaluate(
	ctx context.Context, refs []reference, add func(r reference, gains [][]float64),
) error {
	if m.g.Neighbours() != nil {
		return m.together(ctx, refs, add)
	}
	return m.oneByOne(ctx, refs, add)
}

// together evaluates all neighbours of a context in one pass, and contexts on all workers.
func (m marginals) together(
	ctx context.Context, refs []reference, add func(r reference, gains [][]float64),
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
			w := newNeighbourhood(m.g, m.classes)
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

// oneByOne evaluates each coalition on its own, many in a batch.
func (m marginals) oneByOne(
	ctx context.Context, refs []reference, add func(r reference, gains [][]float64),
) error {
	k, values := m.g.Instances(), m.g.Answers
	if k > mostCached {
		values = m.g.AnswersOnce
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
