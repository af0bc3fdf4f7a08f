package masked

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// blockMembers is about how many members the coalitions of a block have together. 512 members of
// 128 numbers take 256 KB, so that the values of a few steps stay in the second-level cache.
const blockMembers = 512

// block holds the members of the coalitions that a run computes at a time.
type block struct {
	span                   // constant places and members
	first  span            // constant places
	heads  []int           // places in the list of span of those of first
	values []tensor.Tensor // (slot of members)

	// Memory of the step at work.
	shape  []int
	in     []*tensor.Tensor // inputs of a node
	places []tensor.Tensor  // (input) its tensor if the step makes it
	out    []*tensor.Tensor // outputs of a node
	ones   []float32
	order  []int // 0, 1, 2 and so on
	pairs  []tensor.Tensor

	kept [][]tensor.Tensor // (number, coalition) pairs that several steps read
}

// span lists the places of a block's coalitions that a value has: those of instances, behind
// constant ones, see lead.go.
type span struct {
	list   []int // one coalition after another
	starts []int // (coalition) its first place in list; then the length of list
}

// begin empties the list.
func (s *span) begin() { s.list, s.starts = s.list[:0], append(s.starts[:0], 0) }

// end ends the places of a coalition.
func (s *span) end() { s.starts = append(s.starts, len(s.list)) }

// size returns the number of places of coalition j.
func (s *span) size(j int) int { return s.starts[j+1] - s.starts[j] }

// of returns the places of coalition j.
func (s *span) of(j int) []int { return s.list[s.starts[j]:s.starts[j+1]] }

// span returns the places of a slot.
func (r *Runner) span(at int) *span {
	if r.p.members[at].first {
		return &r.block.first
	}
	return &r.block.span
}

// tensorsOfPairs returns the empty tensors of an attention.
func (b *block) tensorsOfPairs(n int) []tensor.Tensor {
	for len(b.pairs) < n {
		b.pairs = append(b.pairs, tensor.Tensor{})
	}
	return b.pairs[:n]
}

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

// places returns about how many places the values of coalition j have in a block.
func (r *Runner) places(z *Set, j int) int {
	if !r.p.wide {
		return r.p.lead
	}
	return r.p.lead + z.Size(j)
}

// inBlocks runs a plan with values of members.
func (r *Runner) inBlocks(
	ctx context.Context, dst []float64, z Set,
) (doubt []bool, err error) {
	n := z.Len()
	width := len(dst) / max(n, 1)
	for lo := 0; lo < n; {
		hi, total := lo, 0
		for hi < n && (hi == lo || total+r.places(&z, hi) <= blockMembers) {
			total += r.places(&z, hi)
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

// SpentByMember returns the work of the last block of a plan with values of members for each of
// them.
func (r *Runner) SpentByMember() int { return r.m.Spent() / max(1, len(r.block.list)) }

// slice returns coalitions lo up to hi.
func (s *Set) slice(lo, hi int) Set {
	if s.Z != nil {
		return Set{Z: s.Z.Slice(lo, hi)}
	}
	return Set{Base: s.Base, From: s.From + lo, Count: hi - lo}
}

// beginBlock lists the members of the set: for each coalition its constant places, then its members
// as places of the bag. Values that a failed run has left are forgotten.
func (r *Runner) beginBlock() {
	b := &r.block
	if !r.p.Members() {
		return
	}
	b.begin()
	b.first.begin()
	b.heads = b.heads[:0]
	for j := range r.Len() {
		for i := range r.p.lead {
			b.heads = append(b.heads, len(b.list))
			b.first.list, b.list = append(b.first.list, i), append(b.list, i)
		}
		at := len(b.list)
		b.list = r.Members(b.list, j)
		for i := range b.list[at:] {
			b.list[at+i] += r.p.lead
		}
		b.first.end()
		b.end()
	}
	// A plan needs as many values as it has slots; a runner keeps them from plan to plan.
	for len(b.kept) < r.p.kept {
		b.kept = append(b.kept, nil)
	}
	for i := range b.kept {
		b.kept[i] = append(b.kept[i][:0], make([]tensor.Tensor, r.Len())...)
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
	r.block.shape[s.axis] = len(r.span(at).list)
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
func (r *Runner) whole(list []int) bool { return len(list) == r.p.lead+r.p.k }

// differs is the error of a node whose result for some members is not a part of the whole bag's.
func (s *memberSlot) differs(t *tensor.Tensor, members int) error {
	return msg.Errorf("the result has shape %v and type %v for %d members, and %v and %v for "+
		"the whole bag", t.Shape, t.Type, members, s.shape, s.typ)
}

// sameShape reports whether t has the shape of a slot with a number of members.
func (s *memberSlot) sameShape(t *tensor.Tensor, members int) bool {
	if t.Type != s.typ || len(t.Shape) != len(s.shape) || t.Shape[s.axis] != members {
		return false
	}
	return slices.Equal(t.Shape[:s.axis], s.shape[:s.axis]) &&
		slices.Equal(t.Shape[s.axis+1:], s.shape[s.axis+1:])
}
