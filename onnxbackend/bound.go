package onnxbackend

import (
	"context"
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/expose"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/prefix"
	"github.com/bagscope/bagscope/onnxbackend/internal/suffix"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// A Bound is a model bound to one bag. It implements core.Evaluator and core.Attender and is safe
// for concurrent use.
type Bound struct {
	m         *Model
	classes   *signature.ClassOutput // class output of this bag
	suffix    *suffix.Evaluator      // scores coalitions
	values    int                    // number of values of the bag
	notes     []string               // notes of the model and the bag
	hadDevice bool                   // there was a device when the bag was bound
}

var (
	_ core.Evaluator          = (*Bound)(nil)
	_ core.HeadsEvaluator     = (*Bound)(nil)
	_ core.Identifier         = (*Bound)(nil)
	_ core.InstanceEvaluator  = (*Bound)(nil)
	_ core.NeighbourEvaluator = (*Bound)(nil)
	_ core.Attender           = (*Bound)(nil)
	_ core.Batcher            = (*Bound)(nil)
	_ core.Calculator         = (*Bound)(nil)
	_ core.CovariateEvaluator = (*Bound)(nil)
	_ core.Embedder           = (*Bound)(nil)
	_ core.Extender           = (*Bound)(nil)
	_ core.Noter              = (*Bound)(nil)
	_ core.Sizer              = (*Bound)(nil)
	_ core.Model              = (*Model)(nil)
)

// Task implements core.Evaluator.
func (b *Bound) Task() core.Task {
	t := b.classes.Task(b.suffix.Task.Instances)
	of := b.suffix.Task
	t.Least, t.Step, t.Why = of.Least, of.Step, of.Why
	return t
}

// Heads implements core.HeadsEvaluator.
func (b *Bound) Heads() []core.Head { return b.classes.Heads() }

// Identity implements core.Identifier by the values of an instance.
func (b *Bound) Identity(instance int) uint64 { return b.suffix.Fitted.Bag.Identity(instance) }

// Strategy returns how coalitions are evaluated: StrategyMembers, StrategyGathered, StrategyPlain,
// or how the model pools if all coalitions are pooled together.
func (b *Bound) Strategy() string { return b.suffix.Strategy }

// Ordered reports whether the scores of some instances of the bag depend on their order, as in
// recurrent networks and with positional encodings. It is false if coalitions are pooled together.
func (b *Bound) Ordered() bool { return b.suffix.Ordered }

// OrderNotes returns what there is to say of the order of instances if Ordered; else nil. Notes
// contains it.
func (b *Bound) OrderNotes() []string { return b.suffix.OrderNotes() }

// Bytes implements core.Sizer: the bag, its boundary values, and the tables of masked pooling.
func (b *Bound) Bytes() int64 { return b.suffix.Bytes() + 4*int64(b.values) }

// Notes implements core.Noter. The loss of a device is noted only on bags that it was there for.
func (b *Bound) Notes() []string {
	notes := slices.Concat(b.notes, b.suffix.Notes)
	if d := b.m.encoder.Device; b.hadDevice && !d.Ready() {
		notes = append(notes, d.LostNote())
	}
	return notes
}

// Arithmetic implements core.Calculator with the engine's kernels.
func (b *Bound) Arithmetic() core.Arithmetic { return b.m.encoder.Device.Arithmetic() }

// Batch implements core.Batcher: how many coalitions are best evaluated in one call.
func (b *Bound) Batch() int { return b.suffix.Batch() }

// Evaluate implements core.Evaluator: dst is (coalition, class), on the task's scale. Coalitions
// must not be empty. Errors are those of Bind.
func (b *Bound) Evaluate(ctx context.Context, dst []float64, z *core.Coalitions) (err error) {
	defer fault.Rescue(&err)
	return b.classes.Read(dst, func(raw []float64) error { return b.suffix.Evaluate(ctx, raw, z) })
}

// EvaluateInstances implements core.InstanceEvaluator: dst is (instance, class), of the instances
// lo up to hi alone or, with removed, of the bag without each. Errors are those of Bind.
func (b *Bound) EvaluateInstances(
	ctx context.Context, dst []float64, removed bool, lo, hi int,
) (err error) {
	defer fault.Rescue(&err)
	return b.classes.Read(dst, func(raw []float64) error {
		return b.suffix.EvaluateInstances(ctx, raw, removed, lo, hi)
	})
}

// HasNeighbours implements core.NeighbourEvaluator: it is true if coalitions are pooled together,
// and no value depends on single members.
func (b *Bound) HasNeighbours() bool { return b.suffix.Pooled.Neighbours() }

// EvaluateNeighbours implements core.NeighbourEvaluator: dst is (k + 1, class), of the neighbours
// of z in each instance and of z itself. Errors are those of Bind.
func (b *Bound) EvaluateNeighbours(ctx context.Context, dst []float64, z []uint64) (err error) {
	defer fault.Rescue(&err)
	n := b.classes.Classes
	if all := (b.suffix.Task.Instances + 1) * n; len(dst) != all {
		return fmt.Errorf("%d results do not match %d of all neighbours", len(dst), all)
	}
	return b.suffix.EvaluateNeighbours(ctx, z,
		func(lo, hi int, scores func(dst []float64) error) error {
			return b.classes.Read(dst[lo*n:hi*n], scores)
		})
}

// Attention implements core.Attender: the output that the model card names as "inherent", for the
// whole bag. Signature.Inherent states which shapes it may have, and its errors.
func (b *Bound) Attention(ctx context.Context, class int) (phi []float64, err error) {
	defer fault.Rescue(&err)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var outputs []signature.BagOutput
	for _, port := range b.m.g.Outputs {
		t, p := b.suffix.Whole[port.ID], b.suffix.Places[port.ID]
		o := signature.BagOutput{Shape: t.Shape, Axis: -1, Values: t.Float64s}
		if p.Class == ops.Instance {
			o.Axis = p.Axis
		}
		outputs = append(outputs, o)
	}
	return b.m.sig.Inherent(b.classes, b.Task().Instances, class, outputs)
}

// Embeddings implements core.Embedder: the values that the model computes of each instance before
// the first operator that mixes instances, or the instances themselves, (instance, width). It
// returns a *core.UnavailableError if it keeps no values of single instances.
func (b *Bound) Embeddings(ctx context.Context) (values []float32, width int, err error) {
	defer fault.Rescue(&err)
	values, width, err = b.suffix.Suffix.Embeddings(quota.MemoryOf(ctx))
	if err != nil {
		return nil, 0, err
	}
	if width == 0 {
		return nil, 0, &core.UnavailableError{Reason: "the model reads instances from the file " +
			"part by part, and computes nothing of single instances"}
	}
	return values, width, nil
}

// Tests of the packages below, and package onnxgo, reach what they need through package expose.
func init() {
	expose.Encoder = func(m any) *prefix.Encoder { return m.(*Model).encoder }
	expose.Programs = func(m any) *suffix.Cache { return &m.(*Model).suffixes }
	expose.Evaluator = func(b any) *suffix.Evaluator { return b.(*Bound).suffix }
	expose.Limits = func(l any) (decode.Limits, machine.Limits) {
		limits := l.(Limits).filled()
		return limits.decode(), limits.run()
	}
}
