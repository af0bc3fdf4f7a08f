package onnxbackend

import (
	"context"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/workshare"
)

// heldMost bounds the bytes that each helper is given to hold.
const heldMost = 256 << 20

// EvaluateWith is Evaluate with helpers that share the coalitions. Its result is the same.
func (b *Bound) EvaluateWith(ctx context.Context, pool *Helpers, dst []float64, z *core.Coalitions) (err error) {
	defer fault.Rescue(&err)
	work := workshare.Times(workshare.Times(int(b.cut.spent.Load()), b.task.Instances/2), z.Len())
	helpers := pool.For(work)
	if helpers == 0 || !b.Shares(pool) || z.Len() < 2 || b.check(dst, z) != nil {
		return b.Evaluate(ctx, dst, z)
	}
	size := workshare.TaskSize(z.Len(), work, 1+helpers)
	at := func(i int) (lo, hi int) { return i * size, min((i+1)*size, z.Len()) }
	c := b.task.Classes
	s := workshare.Scheduler{
		Local: func(ctx context.Context, i int) (workshare.Result, error) {
			lo, hi := at(i)
			scores := make([]float64, (hi-lo)*c)
			err := b.Evaluate(ctx, scores, z.Slice(lo, hi))
			return func() error { copy(dst[lo*c:], scores); return nil }, err
		},
		Remote: func(ctx context.Context, helper, i int) (workshare.Result, error) {
			lo, hi := at(i)
			if err := b.lend(ctx, pool, helper); err != nil {
				return nil, err
			}
			reply, err := pool.Ask(ctx, helper, b.scoreTask(z.Slice(lo, hi)))
			if err != nil && ctx.Err() == nil {
				b.forget(helper)
			}
			return func() error {
				if len(reply) != (hi-lo)*c*8 {
					return workshare.ErrMessage
				}
				copy(workshare.BytesOf(dst[lo*c:hi*c]), reply)
				return nil
			}, err
		},
	}
	err = s.Run(ctx, (z.Len()+size-1)/size, 1, helpers)
	if err != nil && ctx.Err() == nil {
		return b.Evaluate(ctx, dst, z) // the first error in the order of the coalitions, as without helpers
	}
	return err
}

// BatchWith is Batch with helpers: each gets as many coalitions at a time as one place would.
func (b *Bound) BatchWith(pool *Helpers) int {
	if !b.Shares(pool) {
		return b.Batch()
	}
	return 64 * (1 + pool.Count)
}

// Shares reports whether helpers can share the coalitions: where the model runs once for each, and what they gather from
// is tensors that each helper can hold.
func (b *Bound) Shares(pool *Helpers) bool {
	if pool == nil || pool.Count == 0 || b.masked != nil {
		return false
	}
	bytes := 0
	for _, h := range b.cut.held {
		if h.bag != nil {
			return false
		}
		bytes += 8 * len(h.value.Words)
	}
	return bytes <= heldMost
}

// A loan says whether a helper holds the values of a bag.
type loan struct {
	mu  sync.Mutex
	has bool
}

// lend gives a helper the values, once.
func (b *Bound) lend(ctx context.Context, pool *Helpers, helper int) error {
	l := b.loanOf(helper)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.has {
		return nil
	}
	_, err := pool.Ask(ctx, helper, b.holdTask())
	l.has = err == nil
	return err
}

// forget notes that a helper may hold nothing any more.
func (b *Bound) forget(helper int) {
	l := b.loanOf(helper)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.has = false
}

func (b *Bound) loanOf(helper int) *loan {
	b.loansMu.Lock()
	defer b.loansMu.Unlock()
	for len(b.loans) <= helper {
		b.loans = append(b.loans, &loan{})
	}
	return b.loans[helper]
}
