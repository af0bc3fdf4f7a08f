package suffix

import (
	"context"
	"slices"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/workshare"
)

// heldMost bounds the bytes of boundary values that each helper keeps.
const heldMost = 256 << 20

// EvaluateShared is Evaluate with helpers that share the coalitions. Its result is the same,
// because a coalition gets the same bits wherever it is computed. It evaluates alone if the work is
// little, if helpers cannot share it, or if sharing fails.
func (e *Evaluator) EvaluateShared(
	ctx context.Context, pool *workshare.Helpers, dst []float64, z *core.Coalitions,
) error {
	k, c := e.Task.Instances, e.Task.Classes
	// A random coalition has half of the instances.
	work := workshare.Times(workshare.Times(int(e.Suffix.spent.Load()), k/2), z.Len())
	helpers := pool.For(work)
	if helpers == 0 || !e.Shares(pool) || z.Len() < 2 || e.check(dst, z) != nil {
		return e.Evaluate(ctx, dst, z)
	}
	size := workshare.TaskSize(z.Len(), work, 1+helpers)
	at := func(i int) (lo, hi int) { return i * size, min((i+1)*size, z.Len()) }
	s := workshare.Scheduler{
		Local: func(ctx context.Context, i int) (workshare.Result, error) {
			lo, hi := at(i)
			scores := make([]float64, (hi-lo)*c)
			err := e.Evaluate(ctx, scores, z.Slice(lo, hi))
			return func() error { copy(dst[lo*c:], scores); return nil }, err
		},
		Remote: func(ctx context.Context, helper, i int) (workshare.Result, error) {
			lo, hi := at(i)
			if err := e.lend(ctx, pool, helper); err != nil {
				return nil, err
			}
			reply, err := pool.Send(ctx, helper, e.ScoreTask(z.Slice(lo, hi)))
			if err != nil && ctx.Err() == nil {
				e.forget(helper) // it may serve another bag by now
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
	err := s.Run(ctx, (z.Len()+size-1)/size, 1, helpers)
	if err != nil && ctx.Err() == nil {
		return e.Evaluate(ctx, dst, z) // returns the first error in the order of the coalitions
	}
	return err
}

// BatchShared is Batch with helpers: each gets as many coalitions at a time as one place would.
func (e *Evaluator) BatchShared(pool *workshare.Helpers) int {
	if !e.Shares(pool) {
		return e.Batch()
	}
	return 64 * (1 + pool.Count)
}

// Shares reports whether helpers can share the coalitions: they are not pooled, and the boundary
// values are tensors that every helper can keep.
func (e *Evaluator) Shares(pool *workshare.Helpers) bool {
	if pool == nil || pool.Count == 0 || e.Pooled.Neighbours() {
		return false
	}
	for _, b := range e.Suffix.Boundary {
		if b.Bag != nil {
			return false
		}
	}
	return e.Suffix.bytes() <= heldMost
}

// A loan says whether a helper holds the boundary values of a bag. Tasks for one helper lock it, so
// that the first sends the values and the others wait.
type loan struct {
	mu   sync.Mutex
	held bool
}

// lend sends a helper the boundary values, once.
func (e *Evaluator) lend(ctx context.Context, pool *workshare.Helpers, helper int) error {
	l := e.loanOf(helper)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held {
		return nil
	}
	_, err := pool.Send(ctx, helper, e.HoldTask())
	l.held = err == nil
	return err
}

// forget notes that a helper may have lost the values.
func (e *Evaluator) forget(helper int) { e.loans.Delete(helper) }

// loanOf returns the loan of a helper.
func (e *Evaluator) loanOf(helper int) *loan {
	l, _ := e.loans.LoadOrStore(helper, &loan{})
	return l.(*loan)
}

// HoldTask returns the task that has a helper hold the boundary values. The reply is empty.
func (e *Evaluator) HoldTask() []byte {
	output := slices.Index(graph.IDs(e.Graph.Outputs), e.Output.ID)
	t := workshare.NewTask(workshare.Hold, e.Fingerprint,
		int(e.name), e.Task.Instances, e.Task.Classes, output,
		workshare.Bit(e.Pooled != nil), len(e.Suffix.Boundary))
	for _, b := range e.Suffix.Boundary {
		t.Numbers(b.ID, b.Axis, workshare.Bit(b.Fixed), workshare.Bit(b.Sizes), int(b.Form))
		t.Tensor(b.Value)
	}
	return *t
}

// ScoreTask returns the task that scores coalitions. The reply is (coalition, class).
func (e *Evaluator) ScoreTask(z *core.Coalitions) []byte {
	t := workshare.NewTask(workshare.Score, e.Fingerprint, int(e.name), z.Len())
	t.Data(workshare.BytesOf(z.Words()))
	return *t
}
