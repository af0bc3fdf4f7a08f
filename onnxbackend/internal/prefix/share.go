package prefix

import (
	"context"
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/workshare"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// Bounds of sharing.
const (
	workFrom = 1 << 24 // multiplications that pay for a second goroutine: a millisecond or two
	// values of a bag; for fewer, the first block costs more than sharing saves
	leastValues = 1 << 16
	probeSize   = 5 // instances of the first block: few, and no usual length of other axes
	encodeSpeed = 4 // how much faster encoding multiplies than the suffix
)

// sharing says how instances are cut into blocks and who encodes them.
type sharing struct {
	size    int // instances of a block; 0 if sharing does not pay
	locals  int // goroutines
	helpers int
	pool    *workshare.Helpers
}

// shared encodes a bag in blocks that several places share. The result is nil without an error if
// there is one place, if the work is little, and if anything fails except that ctx ends. The caller
// then encodes in one place, which finds the same error each time.
func (e *Encoder) shared(
	ctx context.Context, bag signature.Fitted, a *Analysis,
	pool *workshare.Helpers, progress func(done, total int),
) (*Forward, error) {
	rows := e.Rows(bag)
	first := min(probeSize, rows)
	if e.Plain || bag.Len() < 2*first || e.Workers == 1 && pool.For(math.MaxInt) == 0 ||
		len(bag.Bag.Values) < leastValues && pool.For(0) == 0 {
		return nil, nil
	}
	var watching *Analysis
	if a != nil {
		watching = a.copy()
	}
	f, err := e.inBlocks(ctx, bag, watching, first, func(work int) sharing {
		s := sharing{locals: e.Workers, helpers: pool.For(work / encodeSpeed), pool: pool}
		if work < workFrom {
			s.locals = 1
		}
		// Each goroutine has a block at a time, so that all of them together hold rows instances.
		if places := s.locals + s.helpers; places > 1 {
			s.size = min(workshare.TaskSize(bag.Len(), work, places), max(1, rows/s.locals))
		}
		return s
	}, progress)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if f == nil || err != nil {
		return nil, nil
	}
	if a != nil { // a stays as it was after a failure, for the next attempt
		*a = *watching
	}
	return f, nil
}

// fill computes the encoded values of all instances, in blocks that goroutines and helpers share.
// Those of the first block are known. The error is errUneven if a block has another shape.
func (b *blocks) fill(ctx context.Context, by sharing) error {
	bag, first := b.to.Bag, b.to.probe.Bag.Len()
	if err := b.copyFrom(b.to.probe.Runner.Value, 0, first); err != nil {
		return err
	}
	b.advance(first)
	block := func(i int) (lo, hi int) {
		return first + i*by.size, min(first+(i+1)*by.size, bag.Len())
	}
	s := workshare.Scheduler{
		Local: func(ctx context.Context, i int) (workshare.Result, error) {
			lo, hi := block(i)
			r, err := b.program.run(ctx, b.e, bag.Part(lo, hi))
			return func() error {
				defer b.program.put(r)
				if err := b.copyFrom(r.Value, lo, hi); err != nil {
					return err
				}
				b.advance(hi - lo)
				return nil
			}, err
		},
		Remote: func(ctx context.Context, helper, i int) (workshare.Result, error) {
			lo, hi := block(i)
			reply, err := by.pool.Send(ctx, helper, b.program.task(b.e, bag.Part(lo, hi)))
			return func() error {
				u := workshare.NewUnpacker(reply)
				for _, id := range b.program.ids {
					t, shape, data := u.Tensor()
					if u.Err() != nil {
						return u.Err()
					}
					if err := b.copy(id, lo, hi, t, shape, data); err != nil {
						return err
					}
				}
				b.advance(hi - lo)
				return nil
			}, err
		},
	}
	return s.Run(ctx, (bag.Len()-first+by.size-1)/by.size, by.locals, by.helpers)
}
