package suffix

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
)

// Coalitions of one size run through the suffix together: their values lie along one more axis, a
// matrix product has the rows of all of them, and the fixed cost of an operator is paid once. Each
// coalition gets the bits that it gets alone.

// batchRows is about how many instances run together, and batchMost how many coalitions.
const (
	batchRows = 512
	batchMost = 64
)

// Whether coalitions can run together is decided once for a program.
const (
	batchUnknown = iota
	batchVerified
	batchRefused
)

// A batch is the memory of the runs of several coalitions at a time.
type batch struct {
	runner  *plan.Runner
	members [][]int // (place in the batch)
	order   []int   // coalitions by size
	starts  []int   // (size) where coalitions of a size begin in order
	sizes   []int   // (coalition)
	shape   []int
	scores  []float64
}

// Batchable reports whether coalitions of one size run together.
func (s *Suffix) Batchable() bool { return s.batchable.Load() == batchVerified }

// takeBatch returns an idle batch or a new one.
func (s *Suffix) takeBatch() *batch {
	if b, ok := s.batches.Get().(*batch); ok {
		return b
	}
	var ids []int
	for _, h := range s.Boundary {
		if !h.Fixed && !h.Sizes {
			ids = append(ids, h.ID)
		}
	}
	r := plan.NewStackRunner(s.Program, s.limits, ids)
	return &batch{runner: r, members: make([][]int, batchMost)}
}

// putBatch takes a batch back, which drops the values of its bag.
func (s *Suffix) putBatch(b *batch) {
	b.runner.Begin(context.Background())
	s.batches.Put(b)
}

// EvaluateBatches evaluates coalitions, those of one size together. dst is (coalition, class).
func (s *Suffix) EvaluateBatches(ctx context.Context, dst []float64, z *core.Coalitions) error {
	b := s.takeBatch()
	defer s.putBatch(b)
	b.sort(len(dst)/s.classes, s.instances, z.Members)
	for lo := 0; lo < len(b.order); {
		size := b.sizes[b.order[lo]]
		most := min(batchMost, max(1, batchRows/size))
		hi := lo + 1
		for hi < len(b.order) && hi-lo < most && b.sizes[b.order[hi]] == size {
			hi++
		}
		if err := s.batchOrEach(ctx, b, dst, z.Members, b.order[lo:hi]); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// sort orders coalitions by size, and those of a size by number.
func (b *batch) sort(n, k int, members func(to []int, j int) []int) {
	b.sizes, b.order = slices.Grow(b.sizes[:0], n)[:n], slices.Grow(b.order[:0], n)[:n]
	b.starts = slices.Grow(b.starts[:0], k+2)[:k+2]
	clear(b.starts)
	for j := range n {
		b.members[0] = members(b.members[0][:0], j)
		b.sizes[j] = len(b.members[0])
		b.starts[b.sizes[j]+1]++
	}
	for i := range k + 1 {
		b.starts[i+1] += b.starts[i]
	}
	for j, size := range b.sizes {
		b.order[b.starts[size]] = j
		b.starts[size]++
	}
}

// batchOrEach evaluates the coalitions of a list, which have one size: one by one if they cannot
// run together.
func (s *Suffix) batchOrEach(
	ctx context.Context, b *batch, dst []float64, members func(to []int, j int) []int, list []int,
) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	classes := s.classes
	if len(list) > 1 {
		for i, j := range list {
			b.members[i] = members(b.members[i][:0], j)
		}
		b.scores = slices.Grow(b.scores[:0], len(list)*classes)[:len(list)*classes]
		err := s.runBatch(ctx, b, b.members[:len(list)], b.scores)
		if err == nil {
			for i, j := range list {
				copy(dst[j*classes:(j+1)*classes], b.scores[i*classes:])
			}
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	for _, j := range list {
		one := func(to []int, _ int) []int { return members(to, j) }
		if err := s.EvaluateEach(ctx, dst[j*classes:(j+1)*classes], one, nil); err != nil {
			return err // the error of a coalition alone is the one to return
		}
	}
	return nil
}

// runBatch gathers the members of coalitions of one size and runs the suffix for all of them.
func (s *Suffix) runBatch(ctx context.Context, b *batch, members [][]int, dst []float64) error {
	r := b.runner
	r.Begin(ctx)
	r.Stack(len(members))
	for i := range s.Boundary {
		if err := b.gather(&s.Boundary[i], members); err != nil {
			return err
		}
	}
	if err := r.Run(nil); err != nil {
		return err
	}
	t := r.Value(s.output.ID)
	if !r.Stacked(s.output.ID) || t.Len() != len(dst) {
		return ops.ErrShapesDiffer
	}
	return readScores(t, dst)
}

// gather computes a boundary value's parts for the members of all coalitions.
func (b *batch) gather(h *BoundaryValue, members [][]int) error {
	v, r := h.Value, b.runner
	if h.Fixed {
		r.Give(h.ID, v)
		return nil
	}
	slot, size := r.Slot(h.ID), len(members[0])
	if h.Sizes {
		r.Give(h.ID, v)
		slot.Shape[h.Axis] = size
		return nil
	}
	b.shape = append(append(b.shape[:0], len(members)), v.Shape...)
	b.shape[1+h.Axis] = size
	if err := r.Machine().Alloc(slot, v.Type, b.shape...); err != nil {
		return err
	}
	for j, list := range members {
		ops.StackPlaces(slot, j, v, h.Axis, list)
	}
	return r.Machine().Tick(slot.Len())
}

// verifyBatches finds out whether coalitions can run together: whether two of one size get the
// scores that each gets alone.
func (s *Suffix) verifyBatches(ctx context.Context) error {
	k := s.instances
	if s.batchable.Load() != batchUnknown || k < 3 {
		return nil
	}
	for _, h := range s.Boundary {
		if h.Bag != nil {
			return nil
		}
	}
	b := s.takeBatch()
	defer s.putBatch(b)
	for _, size := range []int{min(verifySizes[2], k-1), (k + 1) / 2} {
		first, second := make([]int, size), make([]int, size)
		for i := range size {
			first[i], second[i] = i, k-size+i
		}
		lists := [][]int{first, second}
		members := func(to []int, j int) []int { return append(to, lists[j]...) }
		alone := make([]float64, 2*s.classes)
		err := s.EvaluateEach(ctx, alone, members, nil)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			continue // the model takes no bag of this size
		}
		x := make([]float64, len(alone))
		state := int32(batchVerified)
		if err := s.runBatch(ctx, b, lists, x); err != nil || !slices.Equal(x, alone) {
			state = batchRefused
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.batchable.Store(state)
		return nil
	}
	return nil
}
