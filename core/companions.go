package core

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/stats"
)

// Some models take only bags of at least m > 1 instances, for example because they pool the m
// highest scores or use m neighbours. A single instance then has no prediction. Singles scores it
// together with the m - 1 least important instances, its companions:
//
//	v(B) = 1 - F_neg of a bag B, or max_c F_c if there is no negative class: MILLI ranks by it
//	G    = m instances, the least important first; C = the first m - 1 of them
//	F_i  = F(C + x_i), and F(G) for the members of G
//
// G starts as m random instances. Each round ranks all instances relative to the last member of G.
// An instance i outside G has the rank value v(C + x_i) - v(G). A member j has the change when it
// is replaced by x_o, the instance outside G with the lowest v: v(C + x_o) - v(G - x_j + x_o). Both
// are equal if contributions are additive. The m lowest are the next G, with ties in random order.
// The search ends when v(G) no longer decreases, after at most companionRounds rounds.
//
// Cost: at most k (companionRounds + 1) evaluations, including those of the scores.
const companionRounds = 4

// mostAccompanied bounds k, because the game caches each coalition: 32 MiB for a round at the
// bound.
const mostAccompanied = 1 << 14

// accompanied returns the scores of all instances with companions, shaped (instance, class).
func (g *Game) accompanied(ctx context.Context) ([]float64, error) {
	if err := g.Reducible("single"); err != nil {
		return nil, err
	}
	if k := g.task.Instances; k > mostAccompanied {
		return nil, &UnavailableError{Method: "single", Reason: fmt.Sprintf(
			"the model does not take single instances, and scoring %d instances together with "+
				"others takes too much memory; explain a bag of at most %d instances", k,
			mostAccompanied)}
	}
	if g.companions != nil {
		return g.scoredWith(ctx, g.companions)
	}
	k, m := g.task.Instances, g.task.LeastBag()
	rng := fixedRand("company")
	group := rng.Perm(k)[:m]
	values, err := g.scoredWith(ctx, group)
	if err != nil {
		return nil, err
	}
	for range companionRounds {
		next, err := g.leastImportant(ctx, group, values, rng)
		if err != nil {
			return nil, err
		}
		fresh, err := g.scoredWith(ctx, next)
		if err != nil {
			return nil, err
		}
		if g.Foreground(fresh)[next[0]] >= g.Foreground(values)[group[0]] {
			break
		}
		group, values = next, fresh
	}
	g.companions = group
	return values, nil
}

// leastImportant returns the m least important instances relative to a group, the least important
// first. scores are those of all instances with the group as companions.
func (g *Game) leastImportant(
	ctx context.Context, group []int, scores []float64, rng *rand.Rand,
) ([]int, error) {
	k, m := g.task.Instances, len(group)
	v := g.Foreground(scores)
	whole, other := v[group[0]], -1
	for _, i := range rng.Perm(k) {
		if !slices.Contains(group, i) && (other < 0 || v[i] < v[other]) {
			other = i
		}
	}
	z := NewCoalitions(k, m)
	for at := range group {
		exchanged := slices.Clone(group)
		exchanged[at] = other
		z.AppendMembers(exchanged...)
	}
	values, err := g.Values(ctx, z)
	if err != nil {
		return nil, err
	}
	matter := make([]float64, k)
	for i := range matter {
		matter[i] = v[i] - whole
	}
	for at, without := range g.Foreground(values) {
		matter[group[at]] = v[other] - without
	}
	order := Order(matter, rng)
	slices.Reverse(order)
	return order[:m], nil
}

// scoredWith returns the scores of all instances, each with the first m - 1 members of a group of
// m, shaped (instance, class). Members of the group have the score of the group.
func (g *Game) scoredWith(ctx context.Context, group []int) ([]float64, error) {
	k, m := g.task.Instances, len(group)
	member := make([]bool, k)
	for _, i := range group {
		member[i] = true
	}
	return g.valuesInChunks(ctx, k, false, func(lo, hi int) *Coalitions {
		z := NewCoalitions(k, hi-lo)
		for i := lo; i < hi; i++ {
			if member[i] {
				z.AppendMembers(group...)
			} else {
				z.AppendMembers(append([]int{i}, group[:m-1]...)...)
			}
		}
		return z
	})
}

// Foreground returns v of each bag, as defined above, from scores shaped (bag, class).
func (g *Game) Foreground(scores []float64) []float64 {
	out := make([]float64, len(scores)/g.Classes())
	first, end := g.Columns()
	for i := range out {
		row := scores[i*g.Classes() : (i+1)*g.Classes()]
		if c := g.Negative(); c >= 0 {
			out[i] = 1 - row[c]
		} else {
			out[i] = slices.Max(row[first:end])
		}
	}
	return out
}

// CompanyNote returns the note for scores that were computed with companions.
func (g *Game) CompanyNote() string {
	return fmt.Sprintf("the model does not take single instances: each one is scored together "+
		"with the %d least important instances", g.task.LeastBag()-1)
}

// Importance returns how strongly each instance alone contradicts the negative class or, if there
// is none, how strongly it supports any class. If single instances cannot be evaluated, not even
// with companions, it is the decrease when the instance is removed. An instance without an answer
// has the least importance of all.
func (g *Game) Importance(ctx context.Context) ([]float64, error) {
	singles, err := g.SingleAnswers(ctx)
	var missing *UnavailableError
	if !errors.As(err, &missing) {
		if err != nil {
			return nil, err
		}
		return stats.Fill(g.Foreground(singles), math.Min), nil
	}
	removed, err := g.RemovedAnswers(ctx)
	if err != nil {
		return nil, err
	}
	return stats.Fill(linear.Negated(g.Foreground(removed)), math.Min), nil
}
