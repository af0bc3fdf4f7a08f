package prefix

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/offload"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/internal/workshare"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// An Encoder runs the graph of one model on bags. It is safe for concurrent use. The exported
// fields are set before its first use.
type Encoder struct {
	Graph       *graph.Graph
	Program     *plan.Program // steps from the bag to all outputs
	Signature   *signature.Signature
	Limits      machine.Limits
	Device      *offload.Model // nil for the CPU alone
	Workers     int            // goroutines
	BlockValues int            // values of instances that are encoded at a time
	Plain       bool           // no goroutines or helpers share a bag
	Fingerprint int            // fingerprint of the model, for helpers
	// Now returns the time, for probes of the device
	Now func() time.Time

	idle   sync.Pool // holds *plan.Runner of Program
	latest latest
	merges merges
}

// DefaultBlockValues makes blocks of 2 MB: 512 instances of 1024 features, or three pictures of 224
// by 224. Hidden layers of pictures are tens of times larger, and should stay in the cache. Smaller
// blocks slow layers down.
const DefaultBlockValues = 1 << 19

// spareBytes is how much memory an idle runner keeps for the next bag: the activations of 200
// digits. Small bags take a tenth longer if they allocate it.
const spareBytes = 16 << 20

// A Forward is one run of the graph over a bag.
type Forward struct {
	Runner *plan.Runner // holds the outputs, and the values that an observer kept
	Bag    signature.Fitted

	e     *Encoder
	probe *Forward // the run of the first block, nil if the bag was encoded at once
}

// InBlocks reports whether the bag was encoded in blocks, so that no tensor holds its values.
func (f *Forward) InBlocks() bool { return f.probe != nil }

// Whole returns a run that encoded its bag at once: f itself, or the run of the first block.
func (f *Forward) Whole() *Forward {
	if f.probe != nil {
		return f.probe
	}
	return f
}

// Done keeps the runner for the next bag. The values of f are gone then.
func (f *Forward) Done() {
	if f.probe != nil { // the runner has another program
		f.Runner.Close()
		f.probe.Runner.Close()
		return
	}
	r := f.Runner
	r.Rest()
	if r.Machine().Spare() > spareBytes {
		r.Machine().Trim()
	}
	f.e.idle.Put(r)
}

// NewRunner returns a runner of the whole graph.
func (e *Encoder) NewRunner() *plan.Runner { return plan.NewRunner(e.Program, e.Limits) }

// runner returns an idle runner of the whole graph or a new one.
func (e *Encoder) runner() *plan.Runner {
	if r, ok := e.idle.Get().(*plan.Runner); ok {
		return r
	}
	return e.NewRunner()
}

// Forward runs the graph to all outputs for a bag. The analysis a watches it, and may be nil, as
// may pool and progress. Instances go in blocks through the prefix if there is one and the bag is
// large, or if several places share it. progress gets the number of encoded instances after each
// block. Every way to encode gives the same bits.
func (e *Encoder) Forward(
	ctx context.Context, bag signature.Fitted, a *Analysis,
	pool *workshare.Helpers, progress func(done, total int),
) (*Forward, error) {
	if a == nil {
		return e.forward(ctx, bag, nil, pool, progress)
	}
	for start := a.copy(); ; start.apart = e.merges.known() {
		*a = *start.copy()
		f, err := e.forward(ctx, bag, a, pool, progress)
		if err != nil || !e.merges.add(a) {
			return f, err
		}
		f.Done()
	}
}

// forward is one attempt of Forward. The analysis may then show a conflict, see merges.
func (e *Encoder) forward(
	ctx context.Context, bag signature.Fitted, a *Analysis,
	pool *workshare.Helpers, progress func(done, total int),
) (*Forward, error) {
	if rows := e.deviceRows(ctx, bag); rows > 0 { // a device encodes alone
		f, err := e.onDevice(ctx, bag, a, rows, progress)
		if f != nil || err != nil {
			return f, err
		}
	}
	// A shared bag first, then blocks in turn, then the whole bag at once.
	if f, err := e.shared(ctx, bag, a, pool, progress); f != nil || err != nil {
		return f, err
	}
	if size := e.Rows(bag); bag.Len() >= 2*size {
		size = even(bag.Len(), size)
		one := func(int) sharing { return sharing{size: size, locals: 1} }
		f, err := e.inBlocks(ctx, bag, a, size, one, progress)
		if f != nil || err != nil {
			return f, err
		}
	}
	f := &Forward{Runner: e.runner(), Bag: bag, e: e}
	f.Runner.Use(nil)
	return f, e.once(ctx, f.Runner, bag, watched(a))
}

// watched returns an analysis as the observer of a run: a nil *Analysis is no nil Observer.
func watched(a *Analysis) plan.Observer {
	if a == nil {
		return nil
	}
	return a
}

// Rows returns how many instances of a bag the CPU encodes at a time, at most.
func (e *Encoder) Rows(bag signature.Fitted) int {
	return max(1, e.BlockValues/bag.Bag.Stride())
}

// input describes the input of a bag to a device.
func (e *Encoder) input(at signature.Layout) offload.Input {
	in := e.Signature.Input()
	return offload.Input{ID: in.ID, Tensor: tensor.Tensor{Type: in.Type.Runtime(), Shape: at.Shape}}
}

// Run computes what a runner's program computes of a bag. If a device fails, the CPU begins again.
func (e *Encoder) Run(
	ctx context.Context, r *plan.Runner, bag signature.Fitted, o plan.Observer,
) error {
	r.Use(nil)
	if e.Device.Takes(r.Program(), e.input(bag.Layout)) {
		e.Device.Begin(r)
		if err := e.once(ctx, r, bag, o); !e.Device.End(r, err) {
			return err
		}
	}
	return e.once(ctx, r, bag, o)
}

// RunOnCPU computes what a runner's program computes of a bag, without the device.
func (e *Encoder) RunOnCPU(ctx context.Context, r *plan.Runner, bag signature.Fitted) error {
	r.Use(nil)
	return e.once(ctx, r, bag, nil)
}

// once is one attempt of Run, on the device or the CPU as the runner is set.
func (e *Encoder) once(
	ctx context.Context, r *plan.Runner, bag signature.Fitted, o plan.Observer,
) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	r.Begin(ctx)
	if err := bag.Give(r); err != nil {
		return err
	}
	return r.Run(o)
}

// Shapes returns the shapes of all outputs after a run.
func (e *Encoder) Shapes(r *plan.Runner) [][]int {
	var out [][]int
	for _, p := range e.Graph.Outputs {
		out = append(out, slices.Clone(r.Value(p.ID).Shape))
	}
	return out
}
