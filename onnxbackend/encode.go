package onnxbackend

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/internal/workshare"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// An encoder takes blocks of instances to the encoded values of a run. Kernels promise that a row does not depend on
// the rows beside it, so that no bit depends on how the bag is cut or on who encodes a block.
type encoder struct {
	m      *Model
	to     *forward
	front  *front
	places []ops.Place // (value) as the first block has them

	progress func(done, total int) // nil when nobody watches
	done     int                   // instances that are encoded
}

// errUneven says that a block has not the shape of the first.
var errUneven = errors.New("blocks of instances are encoded to values of different shapes")

// fill makes the encoded values: the first block's are known, the others' are made by those who share them.
func (e *encoder) fill(ctx context.Context, by sharing) error {
	bag, first := e.to.bag, e.to.probe.bag.Len()
	if err := e.takeFrom(e.to.probe.runner.Value, 0, first); err != nil {
		return err
	}
	e.tell(first)
	block := func(i int) (lo, hi int) { return first + i*by.size, min(first+(i+1)*by.size, bag.Len()) }
	s := workshare.Scheduler{
		Local: func(ctx context.Context, i int) (workshare.Result, error) {
			lo, hi := block(i)
			r, err := e.front.encode(ctx, e.m, bag.Part(lo, hi))
			return func() error {
				defer e.front.put(r)
				if err := e.takeFrom(r.Value, lo, hi); err != nil {
					return err
				}
				e.tell(hi - lo)
				return nil
			}, err
		},
		Remote: func(ctx context.Context, helper, i int) (workshare.Result, error) {
			lo, hi := block(i)
			reply, err := by.pool.Ask(ctx, helper, e.front.task(e.m, bag.Part(lo, hi)))
			return func() error {
				u := workshare.NewUnpacker(reply)
				for _, id := range e.front.ids {
					t, shape, data := u.Tensor()
					if u.Err() != nil {
						return u.Err()
					}
					if err := e.take(id, lo, hi, t, shape, data); err != nil {
						return err
					}
				}
				e.tell(hi - lo)
				return nil
			}, err
		},
	}
	return s.Run(ctx, (bag.Len()-first+by.size-1)/by.size, by.locals, by.helpers)
}

// tell says that n more instances are encoded.
func (e *encoder) tell(n int) {
	e.done += n
	if e.progress != nil {
		e.progress(e.done, e.to.bag.Len())
	}
}

// takeFrom copies values of instances lo up to hi to their places.
func (e *encoder) takeFrom(value func(id int) *tensor.Tensor, lo, hi int) error {
	for _, id := range e.front.ids {
		t := value(id)
		if err := e.take(id, lo, hi, t.Type, t.Shape, t.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// take copies a value's bytes for instances lo up to hi to their place.
func (e *encoder) take(id, lo, hi int, t tensor.Type, shape []int, data []byte) error {
	to, axis := e.to.runner.Value(id), e.places[id].Axis
	want := slices.Clone(to.Shape)
	want[axis] = hi - lo
	if t != to.Type || !slices.Equal(shape, want) {
		return errUneven
	}
	outer, inner := 1, t.Size()
	for _, d := range shape[:axis] {
		outer *= d
	}
	for _, d := range shape[axis+1:] {
		inner *= d
	}
	k, n := to.Shape[axis]*inner, (hi-lo)*inner
	target := to.Bytes()
	for o := range outer {
		copy(target[o*k+lo*inner:], data[o*n:(o+1)*n])
	}
	return nil
}

// Bounds of sharing.
const (
	workFrom    = 1 << 24 // multiplications that are worth a second goroutine: a millisecond or two
	leastValues = 1 << 16 // of a bag; for fewer, a first block would cost more than sharing saves
	probeSize   = 5       // instances of the first block: few, and a length that other axes rarely have
	encodeSpeed = 4       // multiplications of a second of encoding, by those of a second of the suffix
)

// sharing says how instances are cut to blocks and who encodes them.
type sharing struct {
	size    int // instances of a block; 0 when it is not worth while
	locals  int // goroutines
	helpers int
	pool    *workshare.Helpers
}

// shared computes a bag whose blocks several places encode. It returns nothing when there is one place, when the
// work is little, and when anything fails but for the end of ctx: what is wrong, one place tells.
func (m *Model) shared(ctx context.Context, bag signature.Fitted, a *analysis, pool *workshare.Helpers, progress func(done, total int)) (*forward, error) {
	first := min(probeSize, m.rows(bag))
	if m.plain || bag.Len() < 2*first || m.workers == 1 && pool.For(math.MaxInt) == 0 || len(bag.Bag.Values) < leastValues && pool.For(0) == 0 {
		return nil, nil
	}
	var watching *analysis
	if a != nil {
		watching = a.copy()
	}
	f, err := m.inBlocks(ctx, bag, watching, first, func(work int) sharing {
		s := sharing{locals: m.workers, helpers: pool.For(work / encodeSpeed), pool: pool}
		if work < workFrom {
			s.locals = 1
		}
		if places := s.locals + s.helpers; places > 1 {
			s.size = min(workshare.TaskSize(bag.Len(), work, places), max(1, m.rows(bag)/s.locals))
		}
		return s
	}, progress)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if f == nil || err != nil {
		return nil, nil
	}
	if a != nil {
		*a = *watching
	}
	return f, nil
}
