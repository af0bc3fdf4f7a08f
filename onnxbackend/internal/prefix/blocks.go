package prefix

import (
	"context"
	"errors"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/internal/workshare"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// errUneven is the error of a block that has another shape than the first. The bag is then encoded
// at once.
var errUneven = errors.New("blocks of instances are encoded to values of different shapes")

// even returns the size of the fewest blocks of at most size each that n instances make. The last
// block is then about as large as the others and reuses their memory. A much smaller one would
// allocate memory of other sizes.
func even(n, size int) int {
	blocks := (n + size - 1) / size
	return (n + blocks - 1) / blocks
}

// inBlocks encodes block by block and runs the rest of the graph for the whole bag. The first block
// has first instances. share gets the work of all instances, in multiplications, and decides how
// the others are cut and who encodes them. The result is nil without an error if the first block
// shows that the graph has no prefix, or if blocks have different shapes.
func (e *Encoder) inBlocks(
	ctx context.Context, bag signature.Fitted, a *Analysis, first int,
	share func(work int) sharing, progress func(done, total int),
) (*Forward, error) {
	probe, found, err := e.probe(ctx, bag.Part(0, first), false)
	if err != nil || probe == nil {
		return nil, err
	}
	// The first block shows the work of an instance, and which values its instances are encoded to.
	s := share(workshare.Times(probe.Runner.Machine().Spent()/first, bag.Len()))
	p, ok := e.programTo(found.encoded(e.Signature.Input().ID))
	if s.size == 0 || !ok {
		return nil, nil
	}
	f, read, err := e.room(ctx, bag, probe, found)
	if f == nil {
		return nil, err
	}
	b := blocks{e: e, to: f, program: p, places: found.Places, progress: progress}
	if err := b.fill(ctx, s); err != nil {
		if err == errUneven {
			err = nil
		}
		return nil, err
	}
	return f, f.rest(a, found, read)
}

// room returns a run of the rest of the graph for a bag, with the shapes of the encoded values of
// its instances, and the IDs of the values of the prefix that the rest of the graph reads. encoded
// is the run of other instances, which the analysis found has watched: it shows the shapes. The run
// is nil without an error if the graph has no prefix.
func (e *Encoder) room(
	ctx context.Context, bag signature.Fitted, encoded *Forward, found *Analysis,
) (f *Forward, read []int, err error) {
	input := e.Signature.Input()
	ids, fixed := found.encoded(input.ID), found.fixed()
	shapes := found.shapes(append(ids, input.ID))
	rest, ok := plan.New(e.Graph,
		slices.Concat(ids, fixed, shapes, []int{input.ID}, e.Signature.BesideIDs()),
		graph.IDs(e.Graph.Outputs))
	if len(ids) == 0 || !ok || rest.Reads(input.ID) == plan.ReadsAll {
		return nil, nil, nil
	}
	r := plan.NewRunner(rest, e.Limits)
	f = &Forward{Runner: r, Bag: bag, e: e, probe: encoded}
	r.Begin(ctx)
	shape := &tensor.Tensor{Type: input.Type.Runtime(), Shape: bag.Shape}
	r.Give(input.ID, shape) // only its shape is read
	if err := bag.GiveBeside(r); err != nil {
		return nil, nil, err
	}
	for _, id := range fixed {
		r.Give(id, encoded.Runner.Value(id).Clone())
	}
	for _, id := range shapes {
		p := found.Places[id]
		shape := &tensor.Tensor{Type: p.Type, Shape: slices.Clone(p.Shape)}
		shape.Shape[p.Axis] = bag.Len()
		r.Give(id, shape)
	}
	for _, id := range ids {
		v := encoded.Runner.Value(id)
		shape := &tensor.Tensor{Type: v.Type, Shape: slices.Clone(v.Shape)}
		shape.Shape[found.Places[id].Axis] = bag.Len()
		r.Give(id, shape) // the first block is copied to memory, on the CPU or on a device
	}
	return f, slices.Concat(ids, fixed, shapes), nil
}

// rest runs the rest of the graph, once the encoded values of all instances are in their room. The
// analysis a watches it, unless it is nil, after it has adopted what found knows of the values
// read.
func (f *Forward) rest(a, found *Analysis, read []int) error {
	// The rest of the graph has freed as much memory as the layers of the prefix took.
	defer f.Runner.Machine().Trim()
	if a == nil {
		return f.Runner.Run(nil)
	}
	a.adopt(found, read)
	return f.Runner.Run(a)
}

// probe runs the first block, again for each conflict of merged axes that it shows. The result is
// nil without an error if the graph cannot compute it. The error is a *device.Retreat if a device
// runs it and fails.
func (e *Encoder) probe(
	ctx context.Context, block signature.Fitted, onDevice bool,
) (*Forward, *Analysis, error) {
	for {
		a := e.NewAnalysis(block)
		f := &Forward{Runner: e.NewRunner(), Bag: block, e: e}
		if onDevice {
			e.Device.Begin(f.Runner)
		}
		err := e.once(ctx, f.Runner, block, a)
		f.Runner.Unuse()
		switch {
		case ctx.Err() != nil:
			return nil, nil, context.Cause(ctx)
		case e.Device.Retreats(err):
			return nil, nil, err
		case err != nil:
			return nil, nil, nil
		case !e.merges.add(a):
			return f, a, nil
		}
		f.Runner.Close()
	}
}

// blocks copies encoded blocks of instances into the encoded values of a run. Its methods are not
// called concurrently: results of blocks arrive one after another.
type blocks struct {
	e       *Encoder
	to      *Forward    // run of the whole bag, whose values have room for all instances
	program *program    // the prefix
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

// matches reports whether a value of n instances has the type and shape of the first block's,
// beside their number.
func (b *blocks) matches(id, n int, t tensor.Type, shape []int) bool {
	to := b.to.Runner.Value(id)
	expected := slices.Clone(to.Shape)
	expected[b.places[id].Axis] = n
	return t == to.Type && slices.Equal(shape, expected)
}

// copy copies a value's bytes for instances lo up to hi to their place.
func (b *blocks) copy(id, lo, hi int, t tensor.Type, shape []int, data []byte) error {
	to, axis := b.to.Runner.Value(id), b.places[id].Axis
	if !b.matches(id, hi-lo, t, shape) {
		return errUneven
	}
	if to.Words == nil {
		if err := b.to.Runner.Machine().Alloc(to, to.Type, to.Shape...); err != nil {
			return err
		}
	}
	outer, k, inner := tensor.Split(to.Shape, axis)
	inner *= t.Size()
	k, n := k*inner, (hi-lo)*inner // bytes of a row of all instances, and of one of the block
	target := to.Bytes()
	for o := range outer {
		copy(target[o*k+lo*inner:], data[o*n:(o+1)*n])
	}
	return nil
}
