package prefix

import (
	"context"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// Extend is Forward for a bag whose first instances are encoded already: it encodes the others,
// more, and runs the rest of the graph for all. kept has the encoded values of the first instances
// by ID, as a run of the bag without more has left them. The analysis a is one of the bag.
//
// The result is nil without an error if the graph has no prefix, or if kept does not have what the
// rest of the graph reads. The caller then encodes the whole bag.
func (e *Encoder) Extend(
	ctx context.Context, bag, more signature.Fitted, kept map[int]*tensor.Tensor, a *Analysis,
) (*Forward, error) {
	found := e.NewAnalysis(more)
	others, err := e.Forward(ctx, more, found, nil, nil)
	if err != nil {
		return nil, err
	}
	f, read, err := e.room(ctx, bag, others.Whole(), found)
	if f == nil {
		others.Done()
		return nil, err
	}
	if !f.join(kept, others, found) {
		f.Runner.Close()
		others.Done()
		return nil, nil
	}
	if f.probe != others {
		others.Runner.Close() // Done closes the other one
	}
	a.apart = found.apart
	if err := f.rest(a, found, read); err != nil || !e.merges.add(a) {
		return f, err
	}
	f.Done()
	return nil, nil
}

// join copies the encoded values of the first instances and of the others to their room. It returns
// false if a value is missing or has another shape.
func (f *Forward) join(kept map[int]*tensor.Tensor, others *Forward, found *Analysis) bool {
	b := blocks{e: f.e, to: f, places: found.Places}
	first, all := f.Bag.Len()-others.Bag.Len(), f.Bag.Len()
	for _, id := range found.encoded(f.e.Signature.Input().ID) {
		before, after := kept[id], others.Runner.Value(id)
		if before == nil ||
			b.copy(id, 0, first, before.Type, before.Shape, before.Bytes()) != nil ||
			b.copy(id, first, all, after.Type, after.Shape, after.Bytes()) != nil {
			return false
		}
	}
	return true
}
