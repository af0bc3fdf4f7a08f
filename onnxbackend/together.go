package onnxbackend

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
)

// Gathered coalitions of one size go through the rest of the graph together: their values lie along one axis more, a product
// of matrices has the rows of all of them, and what an operator costs before it computes is paid once. Each gets the
// bits that it gets alone.

// togetherRows is about how many instances go together, and togetherMost how many coalitions.
const (
	togetherRows = 512
	togetherMost = 64
)

// Whether coalitions can go together is found out once for a route.
const (
	togetherUnknown = iota
	togetherProved
	togetherRefused
)

// A stack is the memory of several coalitions' run at a time.
type stack struct {
	runner  *plan.Runner
	members [][]int // (place in the stack)
	order   []int   // coalitions by size
	starts  []int   // (size) where those of a size begin in order
	sizes   []int   // (coalition)
	shape   []int
	scores  []float64
}

// takeStack returns an idle stack or a new one.
func (c *cut) takeStack(m *Model) *stack {
	if s, ok := c.stacks.Get().(*stack); ok {
		return s
	}
	var ids []int
	for _, h := range c.held {
		if !h.fixed && !h.sizes {
			ids = append(ids, h.id)
		}
	}
	return &stack{runner: plan.NewStackRunner(c.program, m.limits.run(), ids), members: make([][]int, togetherMost)}
}

// putStack takes a stack back, which lets go of the bag that it was given.
func (c *cut) putStack(s *stack) {
	s.runner.Begin(context.Background())
	c.stacks.Put(s)
}

// inStacks evaluates n coalitions of a bag, those of one size together. members appends those of coalition j.
func (c *cut) inStacks(ctx context.Context, b *Bound, dst []float64, members func(to []int, j int) []int) error {
	s := c.takeStack(b.m)
	defer c.putStack(s)
	classes := b.task.Classes
	s.sort(len(dst)/classes, b.task.Instances, members)
	for lo := 0; lo < len(s.order); {
		size := s.sizes[s.order[lo]]
		hi := lo + 1
		for most := min(togetherMost, max(1, togetherRows/size)); hi < len(s.order) && hi-lo < most && s.sizes[s.order[hi]] == size; hi++ {
		}
		if err := c.stackOrEach(ctx, b, s, dst, members, s.order[lo:hi]); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// sort orders coalitions by size, and those of a size by number.
func (s *stack) sort(n, k int, members func(to []int, j int) []int) {
	s.sizes, s.order = slices.Grow(s.sizes[:0], n)[:n], slices.Grow(s.order[:0], n)[:n]
	s.starts = slices.Grow(s.starts[:0], k+2)[:k+2]
	clear(s.starts)
	for j := range n {
		s.members[0] = members(s.members[0][:0], j)
		s.sizes[j] = len(s.members[0])
		s.starts[s.sizes[j]+1]++
	}
	for i := range k + 1 {
		s.starts[i+1] += s.starts[i]
	}
	for j, size := range s.sizes {
		s.order[s.starts[size]] = j
		s.starts[size]++
	}
}

// stackOrEach evaluates the coalitions of a list, which have one size: one by one where they cannot go together.
func (c *cut) stackOrEach(ctx context.Context, b *Bound, s *stack, dst []float64, members func(to []int, j int) []int, list []int) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	classes := b.task.Classes
	if len(list) > 1 {
		for i, j := range list {
			s.members[i] = members(s.members[i][:0], j)
		}
		s.scores = slices.Grow(s.scores[:0], len(list)*classes)[:len(list)*classes]
		err := b.evaluateStack(ctx, c, s, s.members[:len(list)], s.scores)
		if err == nil {
			for i, j := range list {
				copy(dst[j*classes:(j+1)*classes], s.scores[i*classes:])
			}
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	for _, j := range list {
		// The error of a coalition alone is the one to tell.
		if err := c.run(ctx, b, dst[j*classes:(j+1)*classes], func(to []int, _ int) []int { return members(to, j) }, nil); err != nil {
			return err
		}
	}
	return nil
}

// evaluateStack gathers the members of coalitions of one size and runs the rest of the graph for all of them.
func (b *Bound) evaluateStack(ctx context.Context, c *cut, s *stack, members [][]int, dst []float64) error {
	r := s.runner
	r.Begin(ctx)
	r.Stack(len(members))
	for i := range c.held {
		if err := s.gather(&c.held[i], members); err != nil {
			return err
		}
	}
	if err := r.Run(nil); err != nil {
		return err
	}
	t := r.Value(b.scores.ID)
	if !r.Stacked(b.scores.ID) || t.Len() != len(dst) {
		return ops.ErrShapesDiffer
	}
	return readScores(t, dst)
}

// gather makes a held value's parts for the members of all coalitions.
func (s *stack) gather(h *held, members [][]int) error {
	v, r := h.value, s.runner
	if h.fixed {
		r.Give(h.id, v)
		return nil
	}
	slot, size := r.Slot(h.id), len(members[0])
	if h.sizes {
		r.Give(h.id, v)
		slot.Shape[h.axis] = size
		return nil
	}
	s.shape = append(append(s.shape[:0], len(members)), v.Shape...)
	s.shape[1+h.axis] = size
	if err := r.Machine().Alloc(slot, v.Type, s.shape...); err != nil {
		return err
	}
	for j, list := range members {
		ops.StackPlaces(slot, j, v, h.axis, list)
	}
	return r.Machine().Tick(slot.Len())
}

// proveTogether finds out whether coalitions of a route can go together: whether two of one size get the scores that each
// gets alone.
func (b *Bound) proveTogether(ctx context.Context, c *cut) error {
	k := b.task.Instances
	if c.together.Load() != togetherUnknown || k < 3 {
		return nil
	}
	for _, h := range c.held {
		if h.bag != nil {
			return nil
		}
	}
	s := c.takeStack(b.m)
	defer c.putStack(s)
	for _, size := range []int{min(provingSizes[2], k-1), (k + 1) / 2} {
		first, second := make([]int, size), make([]int, size)
		for i := range size {
			first[i], second[i] = i, k-size+i
		}
		lists := [][]int{first, second}
		alone := make([]float64, 2*b.task.Classes)
		err := c.run(ctx, b, alone, func(to []int, j int) []int { return append(to, lists[j]...) }, nil)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			continue // the model takes no bag of this size
		}
		x := make([]float64, len(alone))
		state := int32(togetherProved)
		if err := b.evaluateStack(ctx, c, s, lists, x); err != nil || !slices.Equal(x, alone) {
			state = togetherRefused
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		c.together.Store(state)
		return nil
	}
	return nil
}
