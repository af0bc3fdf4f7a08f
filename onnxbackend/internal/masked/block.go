package masked

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// blockMembers is about how many members the coalitions of a block have together. 512 members of
// 128 numbers take 256 KB, so that the values of a few steps stay in the second-level cache.
const blockMembers = 512

// block holds the members of the coalitions that a run computes at a time.
type block struct {
	list   []int           // instances of all coalitions, one coalition after another
	starts []int           // (coalition) place of its first member in list; then the length of list
	values []tensor.Tensor // (slot of members)

	// Memory of the step at work.
	shape  []int
	in     []*tensor.Tensor // inputs of a node
	places []tensor.Tensor  // (input) its tensor if the step makes it
	out    []*tensor.Tensor // outputs of a node
	ones   []float32
	order  []int // 0, 1, 2 and so on
}

// size returns the number of members of coalition j.
func (b *block) size(j int) int { return b.starts[j+1] - b.starts[j] }

// of returns the instances of coalition j.
func (b *block) of(j int) []int { return b.list[b.starts[j]:b.starts[j+1]] }

// node returns the inputs and outputs of a node: empty tensors, and pointers to them.
func (b *block) node(
	inputs, outputs int,
) (in []*tensor.Tensor, places []tensor.Tensor, out []*tensor.Tensor) {
	for len(b.places) < inputs {
		b.places = append(b.places, tensor.Tensor{})
	}
	for len(b.out) < outputs {
		b.out = append(b.out, &tensor.Tensor{})
	}
	b.in = b.in[:0]
	for i := range inputs {
		t := &b.places[i]
		t.Words, t.Block = nil, nil
		b.in = append(b.in, t)
	}
	for _, t := range b.out[:outputs] {
		t.Words, t.Block = nil, nil
	}
	return b.in, b.places[:inputs], b.out[:outputs]
}

// count returns the numbers from 0 to n - 1.
func (b *block) count(n int) []int {
	for len(b.order) < n {
		b.order = append(b.order, len(b.order))
	}
	return b.order[:n]
}

// inBlocks runs a plan with values of members.
func (r *Runner) inBlocks(
	ctx context.Context, dst []float64, z Set,
) (doubt []bool, err error) {
	n := z.Len()
	width := len(dst) / max(n, 1)
	for lo := 0; lo < n; {
		hi, total := lo, 0
		for hi < n && (hi == lo || total+z.Size(hi) <= blockMembers) {
			total += z.Size(hi)
			hi++
		}
		some, err := r.part(ctx, dst[lo*width:hi*width], z.slice(lo, hi))
		if err != nil {
			return nil, err
		}
		doubt = append(doubt, some...)
		lo = hi
	}
	return doubt, nil
}

// slice returns coalitions lo up to hi.
func (s *Set) slice(lo, hi int) Set {
	if s.Z != nil {
		return Set{Z: s.Z.Slice(lo, hi)}
	}
	return Set{Base: s.Base, From: s.From + lo, Count: hi - lo}
}

// beginBlock lists the members of the set. Values that a failed run has left are forgotten.
func (r *Runner) beginBlock() {
	b := &r.block
	if !r.p.Members() {
		return
	}
	b.list, b.starts = b.list[:0], append(b.starts[:0], 0)
	for j := range r.Len() {
		b.list = r.Members(b.list, j)
		b.starts = append(b.starts, len(b.list))
	}
	for len(b.values) < len(r.p.members) {
		b.values = append(b.values, tensor.Tensor{})
	}
	for i := range b.values {
		b.values[i].Words, b.values[i].Block = nil, nil
	}
}

// endStep frees the values of members that no later step reads.
func (r *Runner) endStep(i int) {
	for _, at := range r.p.free[i] {
		r.m.Release(&r.block.values[at])
	}
}

// alloc makes the value of a slot a tensor for all members of the block.
func (r *Runner) alloc(at int) (*tensor.Tensor, error) {
	s, t := &r.p.members[at], &r.block.values[at]
	r.block.shape = append(r.block.shape[:0], s.shape...)
	r.block.shape[s.axis] = len(r.block.list)
	return t, r.m.Alloc(t, s.typ, r.block.shape...)
}

// gather makes t the instances in a list of a tensor of the whole bag.
func (r *Runner) gather(t, of *tensor.Tensor, axis int, list []int) error {
	shape := append(r.block.shape[:0], of.Shape...)
	r.block.shape, shape[axis] = shape, len(list)
	if err := r.m.Alloc(t, of.Type, shape...); err != nil {
		return err
	}
	if err := r.m.Tick(t.Len()); err != nil {
		return err
	}
	copySlices(t, 0, of, list, axis)
	return nil
}

// copySlices copies slices of from, at the places of a list, to the slices of to from number at on.
func copySlices(to *tensor.Tensor, at int, from *tensor.Tensor, list []int, axis int) {
	outer, n, inner := tensor.Split(from.Shape, axis)
	m := to.Shape[axis]
	inner *= from.Type.Size()
	src, dst := from.Bytes(), to.Bytes()
	for o := range outer {
		for j, i := range list {
			copy(dst[(o*m+at+j)*inner:][:inner], src[(o*n+i)*inner:])
		}
	}
}

// counted makes t a list of sizes for a number of members.
func (r *Runner) counted(t *tensor.Tensor, o *memberOperand, members int) error {
	if err := r.m.Alloc(t, o.tensor.Type, o.tensor.Shape...); err != nil {
		return err
	}
	writeSizes(t, o.sizes, members)
	return nil
}

// whole reports whether a coalition has all instances.
func (r *Runner) whole(list []int) bool { return len(list) == r.p.k }

// sameShape reports whether t has the shape of a slot with a number of members.
func (s *memberSlot) sameShape(t *tensor.Tensor, members int) bool {
	if t.Type != s.typ || len(t.Shape) != len(s.shape) || t.Shape[s.axis] != members {
		return false
	}
	return slices.Equal(t.Shape[:s.axis], s.shape[:s.axis]) &&
		slices.Equal(t.Shape[s.axis+1:], s.shape[s.axis+1:])
}
