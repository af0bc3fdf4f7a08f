package suffix

import (
	"context"
	"slices"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/masked"
)

// A logitPlan pools coalitions by the largest logit of each, where the weights that their
// members have in the whole bag underflow. It is made for the first such coalition, and is nil
// where it would not differ.
type logitPlan struct {
	mu    sync.Mutex
	tried bool
	plan  *masked.Plan

	compile func(ctx context.Context) (*masked.Plan, error)
}

// get returns the plan, or nil.
func (l *logitPlan) get(ctx context.Context, weights *masked.Plan) (*masked.Plan, error) {
	if !weights.Exponential() {
		return nil, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tried {
		return l.plan, nil
	}
	plan, err := l.compile(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	l.tried = true
	if err == nil { // else coalitions in doubt are gathered
		l.plan = plan
	}
	return l.plan, nil
}

// made reports whether there is a plan.
func (l *logitPlan) made() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.plan != nil
}

// Pool computes the scores of a set, and returns which of them are in doubt. A score in doubt is
// undefined.
func (p *Pooled) Pool(
	ctx context.Context, dst []float64, set masked.Set,
) (doubt []bool, err error) {
	r := p.suffix.takeMasked(p.plan)
	defer p.suffix.putMasked(r)
	p.device.Ask(r, set)
	doubt, err = r.Run(ctx, dst, set)
	if p.device.Refused(r, err) {
		doubt, err = r.Run(ctx, dst, set)
	}
	return slices.Clone(doubt), err
}

// PoolLogits computes the scores in doubt of a set again, from logits, and clears the marks of
// those that it could compute.
func (p *Pooled) PoolLogits(
	ctx context.Context, dst []float64, set masked.Set, doubt []bool,
) error {
	plan, err := p.logits.get(ctx, p.plan)
	if plan == nil || err != nil {
		return err
	}
	r := p.suffix.takeMasked(plan)
	defer p.suffix.putMasked(r)
	classes := p.suffix.classes
	var scores []float64
	// The scores of one unit must not depend on the coalitions of another.
	for lo := 0; lo < len(doubt); lo += core.BatchUnit {
		hi := min(lo+core.BatchUnit, len(doubt))
		if !slices.Contains(doubt[lo:hi], true) {
			continue
		}
		part, numbers := set.Marked(doubt, lo, hi)
		scores = slices.Grow(scores[:0], len(numbers)*classes)[:len(numbers)*classes]
		still, err := r.Run(ctx, scores, part)
		if err != nil {
			return err
		}
		for i, j := range numbers {
			if doubt[j] && !still[i] {
				doubt[j] = false
				copy(dst[j*classes:(j+1)*classes], scores[i*classes:])
			}
		}
	}
	return nil
}
