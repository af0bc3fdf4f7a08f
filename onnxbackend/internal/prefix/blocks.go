package prefix

import (
	"context"
	"errors"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/internal/workshare"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// errUneven says that a block has another shape than the first.
var errUneven = errors.New("blocks of instances are encoded to values of different shapes")

// even returns the size of the fewest blocks of at most size each that n instances make. The last
// block is about as large as the others and uses their memory. A smaller one would take its own: 16
// MB beside 44 MB for 10,000 digits.
func even(n, size int) int {
	blocks := (n + size - 1) / size
	return (n + blocks - 1) / blocks
}

// inBlocks encodes block by block and runs the rest of the graph for the whole bag. The first block
// has first instances. share gets the work of all instances, in multiplications, and decides how
// the others are cut and who encodes them. The result is nil without an error if the first block
// shows that the graph has no prefix.
func (e *Encoder) inBlocks(
	ctx context.Context, bag signature.Fitted, a *Analysis, first int,
	share func(work int) sharing, progress func(done, total int),
) (*Forward, error) {
	probe, found, err := e.probe(ctx, bag.Part(0, first))
	if err != nil || probe == nil {
		return nil, err
	}
	s := share(workshare.Times(probe.Runner.Machine().Spent()/first, bag.Len()))
	input := e.Signature.Input()
	encoded, fixed := found.encoded(input.ID), found.fixed()
	p, ok := e.newProgram(encoded)
	rest, able := plan.New(e.Graph, slices.Concat(encoded, fixed, []int{input.ID}), e.outputs())
	if s.size == 0 || len(encoded) == 0 || !ok || !able || rest.Reads(input.ID) == plan.ReadsAll {
		return nil, nil
	}
	r := plan.NewRunner(rest, e.Limits)
	f := &Forward{Runner: r, Bag: bag, e: e, probe: probe}
	r.Begin(ctx)
	shape := &tensor.Tensor{Type: input.Type.Runtime(), Shape: bag.Shape}
	r.Give(input.ID, shape) // only its shape is read
	for _, id := range fixed {
		r.Give(id, probe.Runner.Value(id).Clone())
	}
	for _, id := range encoded {
		v := probe.Runner.Value(id)
		shape := slices.Clone(v.Shape)
		shape[found.Places[id].Axis] = bag.Len()
		if err := r.Machine().Alloc(r.Slot(id), v.Type, shape...); err != nil {
			return nil, err
		}
	}
	b := blocks{e: e, to: f, program: p, places: found.Places, progress: progress}
	if err := b.fill(ctx, s); err != nil {
		if err == errUneven {
			err = nil
		}
		return nil, err
	}
	defer r.Machine().Trim() // the rest has dropped as much memory as the layers of the prefix took
	if a == nil {
		return f, r.Run(nil)
	}
	a.adopt(found, slices.Concat(encoded, fixed))
	return f, r.Run(a)
}

// probe runs the first block. The result is nil without an error if the graph cannot compute it.
func (e *Encoder) probe(
	ctx context.Context, block signature.Fitted,
) (*Forward, *Analysis, error) {
	a := e.NewAnalysis(block)
	f := &Forward{Runner: e.NewRunner(), Bag: block, e: e}
	if err := e.Run(ctx, f.Runner, block, a); err != nil {
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		return nil, nil, nil
	}
	return f, a, nil
}

// blocks copies encoded blocks of instances into the encoded values of a run.
type blocks struct {
	e       *Encoder
	to      *Forward
	program *program
	places  []ops.Place // (value) as the first block has them

	progress func(done, total int) // may be nil
	done     int                   // instances that are encoded
}

// advance reports that n more instances are encoded.
func (b *blocks) advance(n int) {
	b.done += n
	if b.progress != nil {
		b.progress(b.done, b.to.Bag.Len())
	}
}

// copyFrom copies the encoded values of instances lo up to hi to their places.
func (b *blocks) copyFrom(value func(id int) *tensor.Tensor, lo, hi int) error {
	for _, id := range b.program.ids {
		t := value(id)
		if err := b.copy(id, lo, hi, t.Type, t.Shape, t.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// copy copies a value's bytes for instances lo up to hi to their place.
func (b *blocks) copy(id, lo, hi int, t tensor.Type, shape []int, data []byte) error {
	to, axis := b.to.Runner.Value(id), b.places[id].Axis
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
