package prefix

import (
	"context"

	"github.com/bagscope/bagscope/onnxbackend/internal/device"
	"github.com/bagscope/bagscope/onnxbackend/internal/offload"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// deviceRows returns how many instances of a bag a device encodes at a time, 0 if the CPU encodes
// the bag: by assumptions about the device, and then by a probe of both.
func (e *Encoder) deviceRows(ctx context.Context, bag signature.Fitted) int {
	few := bag.Part(0, min(probeSize, bag.Len()))
	rows := e.Device.BlockOf(e.Program, e.input(few.Layout), few.Len(), bag.Len(),
		e.Rows(bag))
	if rows == 0 {
		return 0
	}
	block := e.input(bag.Part(0, rows).Layout)
	probe := func(onDevice, onThread int) (*offload.Rates, error) {
		return e.rates(ctx, bag, onDevice, onThread)
	}
	if !e.Device.Takes(e.Program, block) ||
		!e.Device.Faster(e.Program, block, rows, bag.Len(), probe) {
		return 0
	}
	return rows
}

// onDevice is forward on a device, with so many instances at a time. The result is nil without an
// error if the device fails; the CPU then begins again.
func (e *Encoder) onDevice(
	ctx context.Context, bag signature.Fitted, a *Analysis, rows int,
	progress func(done, total int),
) (*Forward, error) {
	var watching *Analysis
	if a != nil { // a stays as it was after a failure
		watching = a.copy()
	}
	var f *Forward
	var err error
	if bag.Len() > rows {
		f, err = e.deviceBlocks(ctx, bag, watching, rows, progress)
	}
	if f == nil && err == nil {
		f = &Forward{Runner: e.runner(), Bag: bag, e: e}
		e.Device.Begin(f.Runner)
		err = e.once(ctx, f.Runner, bag, watched(watching))
		f.Runner.Unuse()
	}
	if e.Device.Retreats(err) {
		return nil, nil
	}
	if a != nil && err == nil {
		*a = *watching
	}
	return f, err
}

// deviceBlocks encodes block by block and runs the rest of the graph, in two sessions: one for the
// first block, whose results show what blocks are encoded to, and one for all others, whose results
// stay on the device until the rest of the graph has read them. So the CPU waits twice, however
// many blocks there are. The result is nil without an error if the graph has no prefix, or if
// blocks have different shapes.
func (e *Encoder) deviceBlocks(
	ctx context.Context, bag signature.Fitted, a *Analysis, rows int,
	progress func(done, total int),
) (*Forward, error) {
	probe, found, err := e.probe(ctx, bag.Part(0, min(probeSize, rows)), true)
	if err != nil || probe == nil {
		return nil, err
	}
	p, ok := e.programTo(found.encoded(e.Signature.Input().ID))
	if !ok {
		return nil, nil
	}
	f, read, err := e.room(ctx, bag, probe, found)
	if f == nil {
		return nil, err
	}
	b := deviceBlocks{
		blocks:  blocks{e: e, to: f, program: p, places: found.Places, progress: progress},
		session: e.Device.Session(false), apart: map[int]bool{},
	}
	f.Runner.Use(b.session)
	defer f.Runner.Unuse()
	if err := b.fill(ctx, even(bag.Len()-probe.Bag.Len(), rows)); err != nil {
		if err == errUneven {
			err = nil
		}
		return nil, err
	}
	return f, f.rest(a, found, read)
}

// deviceBlocks copies encoded blocks of instances into the encoded values of a run, on a device.
type deviceBlocks struct {
	blocks
	session device.Session
	apart   map[int]bool // IDs of values that the device cannot hold for all instances
}

// fill computes the encoded values of all instances, in blocks of a size. Those of the first block
// are in memory. The error is errUneven if a block has another shape.
func (b *deviceBlocks) fill(ctx context.Context, size int) error {
	bag, probe := b.to.Bag, b.to.probe
	first := probe.Bag.Len()
	for _, id := range b.program.ids {
		t := probe.Runner.Value(id)
		in := func() (*tensor.Tensor, error) { return t, nil }
		if err := b.join(id, 0, first, t, in); err != nil {
			return err
		}
		b.session.Drop(t)
	}
	b.advance(first)
	for lo := first; lo < bag.Len(); lo += size {
		hi := min(lo+size, bag.Len())
		if err := b.block(ctx, lo, hi); err != nil {
			return err
		}
		b.advance(hi - lo)
	}
	return nil
}

// block encodes instances lo up to hi, and copies the encoded values to their places.
func (b *deviceBlocks) block(ctx context.Context, lo, hi int) error {
	r := b.program.runner()
	defer b.program.put(r)
	if err := b.encode(ctx, r, lo, hi); err != nil {
		return err
	}
	return b.session.Turn(ctx)
}

// encode is block for a runner, and without its end. The runner has nothing on the device then.
func (b *deviceBlocks) encode(ctx context.Context, r *plan.Runner, lo, hi int) error {
	r.Share(b.session)
	defer r.Shed()
	if err := b.e.once(ctx, r, b.to.Bag.Part(lo, hi), nil); err != nil {
		return err
	}
	for _, id := range b.program.ids {
		in := func() (*tensor.Tensor, error) { return r.Fetch(id) }
		if err := b.join(id, lo, hi, r.Value(id), in); err != nil {
			return err
		}
	}
	return nil
}

// join copies a value of instances lo up to hi to its place: on the device, or in memory if the
// device cannot hold the value of all instances. in returns the value in memory.
func (b *deviceBlocks) join(
	id, lo, hi int, t *tensor.Tensor, in func() (*tensor.Tensor, error),
) error {
	if !b.matches(id, hi-lo, t.Type, t.Shape) {
		return errUneven
	}
	if !b.apart[id] {
		done, err := b.session.Join(b.to.Runner.Value(id), t, b.places[id].Axis, lo)
		if done || err != nil {
			return err
		}
		b.apart[id] = true
	}
	t, err := in()
	if err != nil {
		return err
	}
	return b.copy(id, lo, hi, t.Type, t.Shape, t.Bytes())
}
