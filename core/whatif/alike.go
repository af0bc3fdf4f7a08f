package whatif

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/bagscope/bagscope/core/quota"
)

// Limits of the search for look-alikes.
const (
	mostCompared = 256 // instances that are compared with each other
	mostTurned   = 8   // groups without which the bag is evaluated
)

// alike finds look-alikes among the instances whose evidence supports the answer, or among those
// with the highest scores if there are none. Models without embeddings, or without memory for
// them, have no look-alikes.
func (s *grounds) alike(ctx context.Context) error {
	if s.order == nil {
		return nil
	}
	like, release, err := likeness(ctx, s.g)
	if errors.As(err, new(*quota.MemoryError)) {
		return nil
	}
	if err != nil {
		return err
	}
	defer release()
	compared := slices.Clone(s.order)
	if s.out.For > 0 {
		compared = slices.DeleteFunc(compared, func(i int) bool { return !s.supports(i) })
	}
	compared = compared[:min(len(compared), mostCompared)]
	groups, err := groupsOf(ctx, len(compared), func(i, j int) bool {
		return like(compared[i], compared[j])
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(groups, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	for _, group := range groups[:min(len(groups), mostTurned)] {
		for n, at := range group {
			group[n] = compared[at]
		}
		turns := false
		if rest := s.g.Instances() - len(group); rest > 0 && s.g.Takes(rest) {
			rows, err := s.values(ctx, true, group)
			if err != nil {
				return err
			}
			turns = s.turns(rows[0])
		}
		if turns || s.out.For > 0 {
			slices.Sort(group)
			s.out.Alike, s.out.AlikeTurn = group, turns
			return nil
		}
	}
	return nil
}
