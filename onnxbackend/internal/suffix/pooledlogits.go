package suffix

import (
	"context"
	"slices"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/masked"
)

// A logitPlan pools coalitions relative to the largest logit of each. The usual plan takes the
// weights that instances have in the whole bag, which underflow for coalitions without its heaviest
// instances. The first such coalition compiles it.
type logitPlan struct {
	mu    sync.Mutex
	tried bool         // compile has run
	plan  *masked.Plan // nil if there is no such plan

	compile func(ctx context.Context) (*masked.Plan, error)
}

// get returns the plan, or nil if weights are no exponentials or do not compile from logits. The
// coalitions in doubt are then gathered. weights is the usual plan.
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
	if l.tried = true; err == nil {
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
	r := p.suffix.getMasked(p.plan)
	defer p.suffix.putMasked(r)
	p.device.Ask(r, set)
	doubt, err = r.Run(ctx, dst, set)
	if p.device.Refused(r, err) {
		doubt, err = r.Run(ctx, dst, set)
	}
	if p.plan.Members() { // else helpers do not share the coalitions
		p.suffix.spent.Store(int64(r.SpentByMember()))
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
	r := p.suffix.getMasked(plan)
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
