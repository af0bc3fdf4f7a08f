package methods

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/sampling"
)

// An Interval is a confidence interval of a score and the value that it is to hold.
type Interval struct {
	Score, StdErr, Freedom, Target float64
}

// ConsensusTargets runs Consensus, and then its estimates again with times as many other contexts,
// drawn from the same ranks and joined with the same weights. It returns the intervals, shaped
// (class, instance), whether the leading scores of each class were called separated, and whether
// the targets have the same leading instances.
func ConsensusTargets(
	ctx context.Context, ev core.Evaluator, o core.GameOptions, times int,
) (intervals [][]Interval, separated, same []bool, err error) {
	g, err := core.NewGame(ev, o)
	if err != nil {
		return nil, nil, nil, err
	}
	classes := linear.Indices(g.Classes())
	importance, err := g.Importance(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	r := newConsensusRun(Consensus{}, g, classes)
	if err := r.choose(ctx); err != nil {
		return nil, nil, nil, err
	}
	if err := r.start(ctx, importance); err != nil {
		return nil, nil, nil, err
	}
	if _, err := r.finish(ctx); err != nil {
		return nil, nil, nil, err
	}
	again := map[*estimate]*estimate{}
	for _, j := range r.joins() {
		target := join{class: j.class}
		for _, p := range j.parts {
			if again[p.estimate] == nil {
				c := p.contexts
				d := sampling.Inclusion{ByRank: c.source.ByRank, Order: c.source.Order}
				if again[p.estimate], err = r.estimate(ctx, c.name+" again", d,
					times*c.drawn); err != nil {
					return nil, nil, nil, err
				}
			}
			target.parts = append(target.parts, part{again[p.estimate], p.factor})
		}
		scores, errors, want := j.scores(), roots(j.squares()), target.scores()
		row := make([]Interval, len(scores))
		for i := range row {
			row[i] = Interval{scores[i], errors[i], j.freedom(), want[i]}
		}
		intervals = append(intervals, row)
		same = append(same, sameLeading(scores, want))
	}
	return intervals, r.separated, same, nil
}

// sameLeading reports whether the leading instances of two lists of scores are the same ones.
func sameLeading(a, b []float64) bool {
	_, x := core.ByMagnitude(a)
	_, y := core.ByMagnitude(b)
	for _, i := range x[:min(leading, len(x))] {
		if !slices.Contains(y[:min(leading, len(y))], i) {
			return false
		}
	}
	return true
}
