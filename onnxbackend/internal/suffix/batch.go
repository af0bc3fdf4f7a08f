package suffix

import (
	"cmp"
	"context"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// Coalitions of one size run through the suffix together: their values lie along one more axis, a
// matrix product has the rows of all of them, and the fixed cost of an operator is paid once. Each
// coalition gets the bits that it gets alone.

// Sizes of a batch.
const (
	batchRows = 512 // instances of all coalitions together, about
	batchMost = 64  // coalitions
)

// Whether coalitions can run together is decided once for a program.
const (
	batchUnknown  = iota // no bag was suitable to find out
	batchVerified        // scores of a batch are those of single runs, bit for bit
	batchRejected        // they differ, or an operator has no batching rule
)

// A batch is the memory of the runs of several coalitions at a time.
type batch struct {
	runner  *plan.Runner
	members [][]int   // (place in the batch) the coalition's instances
	order   []int     // coalitions by size
	sizes   []int     // (coalition) its number of instances
	shape   []int     // shape of a boundary value for the batch
	scores  []float64 // (place in the batch, class)
}

// Batchable reports whether coalitions of one size run together.
func (s *Suffix) Batchable() bool { return s.batchable.Load() == batchVerified }

// getBatch returns an idle batch or a new one.
func (s *Suffix) getBatch() *batch {
	if b, ok := s.batches.Get().(*batch); ok {
		return b
	}
	// Only values that differ between coalitions get the axis of the batch.
	var ids []int
	for _, h := range s.Boundary {
		if !h.Fixed && !h.Sizes {
			ids = append(ids, h.ID)
		}
	}
	r := plan.NewStackRunner(s.Program, s.limits, ids)
	return &batch{runner: r, members: make([][]int, batchMost)}
}

// putBatch keeps a batch for the next bag, and drops the values of this one.
func (s *Suffix) putBatch(b *batch) {
	b.runner.Rest()
	s.batches.Put(b)
}

// EvaluateBatches evaluates coalitions, those of one size together. dst is (coalition, class).
// Scores are those of EvaluateEach, bit for bit. The suffix must be Batchable.
func (s *Suffix) EvaluateBatches(ctx context.Context, dst []float64, z *core.Coalitions) error {
	b := s.getBatch()
	defer s.putBatch(b)
	b.sort(len(dst)/s.classes, z.Members)
	for list := b.order; len(list) > 0; {
		size := b.sizes[list[0]]
		// About batchRows instances in all, and at least one coalition, however large it is.
		n := min(len(list), batchMost, max(1, batchRows/size))
		if other := slices.IndexFunc(list[:n], func(j int) bool {
			return b.sizes[j] != size
		}); other >= 0 {
			n = other
		}
		if err := s.batchOrEach(ctx, b, dst, z.Members, list[:n]); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// sort orders n coalitions by size, and those of a size by number, so that a batch is a run of one
// size. members appends the members of coalition j.
func (b *batch) sort(n int, members func(to []int, j int) []int) {
	b.sizes, b.order = slices.Grow(b.sizes[:0], n)[:n], slices.Grow(b.order[:0], n)[:n]
	for j := range n {
		b.members[0] = members(b.members[0][:0], j)
		b.sizes[j], b.order[j] = len(b.members[0]), j
	}
	slices.SortStableFunc(b.order, func(i, j int) int {
		return cmp.Compare(b.sizes[i],
			b.sizes[j])
	})
}

// batchOrEach evaluates the coalitions of a list, which have one size: one by one if they cannot
// run together, for example because the batch takes more memory than a run may.
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

// runBatch gathers the members of coalitions of one size and runs the suffix for all of them. dst
// is (coalition, class). It fails if an operator has no batching rule.
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
	// Scores without the axis of the batch would be the same for all of its coalitions.
	t := r.Value(s.output.ID)
	if !r.Stacked(s.output.ID) || t.Len() != len(dst) {
		return ops.ErrShapesDiffer
	}
	return readScores(t, dst)
}

// gather gives the runner a boundary value's parts for the members of all coalitions, shaped (place
// in the batch, shape of the value). Values that all coalitions share, and sizes, are given as they
// are.
func (b *batch) gather(h *BoundaryValue, members [][]int) error {
	v, r := h.Value, b.runner
	slot, size := r.Slot(h.ID), len(members[0])
	if h.Fixed || h.Sizes {
		r.Give(h.ID, v)
		if h.Sizes {
			slot.Shape[h.Axis] = size
			if h.Form == signature.Matrix {
				slot.Shape[h.Axis+1] = size
			}
		}
		return nil
	}
	b.shape = append(append(b.shape[:0], len(members)), v.Shape...)
	b.shape[1+h.Axis] = size
	if h.Form == signature.Matrix {
		b.shape[2+h.Axis] = size
	}
	if err := r.Machine().Alloc(slot, v.Type, b.shape...); err != nil {
		return err
	}
	for j, list := range members {
		if h.Form == signature.Matrix {
			compute.StackPairs(slot, j, v, h.Axis, list)
			continue
		}
		compute.StackPlaces(slot, j, v, h.Axis, list)
	}
	return r.Machine().Tick(slot.Len())
}

// verifyBatches sets whether coalitions can run together: two of one size must get the same bits as
// each gets alone. It stays unknown for bags of fewer than three instances, for bags that are
// loaded part by part, and if the model takes none of the sizes.
func (s *Suffix) verifyBatches(ctx context.Context) error {
	k := s.instances
	if s.batchable.Load() != batchUnknown || k < 3 {
		return nil
	}
	if slices.ContainsFunc(s.Boundary, func(h BoundaryValue) bool {
		// Coalitions of one size have different numbers of edges.
		return h.Bag != nil || h.Form == signature.EdgeEnds || h.Form == signature.EdgeWeights
	}) {
		return nil
	}
	b := s.getBatch()
	defer s.putBatch(b)
	// Half the bag is for models that take no few instances.
	for _, size := range []int{min(verifySizes[2], k-1), (k + 1) / 2} {
		lists := [][]int{make([]int, size), make([]int, size)} // the first instances, and the last
		for i := range size {
			lists[0][i], lists[1][i] = i, k-size+i
		}
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
			state = batchRejected
		}
		if ctx.Err() != nil { // the run may have failed because ctx ended
			return context.Cause(ctx)
		}
		s.batchable.Store(state)
		return nil
	}
	return nil
}
