package onnxbackend

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/masked"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// A Bound is a model bound to one bag. It implements core.Evaluator and core.Attender and is safe for
// concurrent use.
type Bound struct {
	m         *Model
	task      core.Task
	scores    *signature.ClassOutput
	places    []ops.Place            // (value) for the whole bag
	whole     map[int]*tensor.Tensor // outputs, and what the cut reads, of the whole bag
	bag       *signature.Fitted      // where its values are in no tensor: it was encoded in blocks
	cut       *cut
	masked    *maskedWay // nil when coalitions go through cut
	strategy  string
	whyNot    string // why coalitions are not pooled all at once, or ""
	whyPlain  string // why the whole graph runs for every coalition, or ""
	notes     []string
	ordered   bool
	values    int  // of the bag
	onDevice  bool // a device encoded it
	hadDevice bool // there was a device when the bag was bound

	name    uint64 // by which helpers know it
	loansMu sync.Mutex
	loans   []*loan // (helper)
}

// cut is a way from values of the whole bag to the scores of a coalition.
type cut struct {
	*route
	held []held
}

// held is a value of the whole bag that a coalition's run begins with.
type held struct {
	id    int
	axis  int
	value *tensor.Tensor
	fixed bool              // it is the same for every coalition
	sizes bool              // only its shape is read
	bag   *signature.Fitted // takes the place of the value: the instances themselves
}

// worker is the memory of one coalition's run at a time.
type worker struct {
	runner  *plan.Runner
	members []int
	shape   []int
}

var (
	_ core.Evaluator          = (*Bound)(nil)
	_ core.InstanceEvaluator  = (*Bound)(nil)
	_ core.NeighbourEvaluator = (*Bound)(nil)
	_ core.Attender           = (*Bound)(nil)
	_ core.Batcher            = (*Bound)(nil)
	_ core.Calculator         = (*Bound)(nil)
	_ core.Noter              = (*Bound)(nil)
	_ core.Sizer              = (*Bound)(nil)
	_ core.Model              = (*Model)(nil)
)

// Task implements core.Evaluator.
func (b *Bound) Task() core.Task { return b.task }

// Strategy returns how coalitions are evaluated: StrategyGathered, StrategyPlain, or how the model pools
// where all are pooled at once.
func (b *Bound) Strategy() string { return b.strategy }

// Bytes implements core.Sizer: the bag, what is known of its instances at the cut, and as much again for each
// table that pools all coalitions at once: of weights and, once a coalition has needed it, of logits.
func (b *Bound) Bytes() int64 {
	n, copies := 0, 1
	for _, h := range b.cut.held {
		n += 8 * len(h.value.Words)
	}
	if b.masked != nil {
		copies++
		if b.masked.logits.made() {
			copies++
		}
	}
	n *= copies
	return int64(n + 4*b.values)
}

// Notes implements core.Noter.
func (b *Bound) Notes() []string {
	notes := slices.Clone(b.notes)
	if d := b.m.encoder.Device; b.hadDevice && !d.Ready() {
		notes = append(notes, d.LostNote())
	}
	return notes
}

// Arithmetic implements core.Calculator with the engine's kernels.
func (b *Bound) Arithmetic() core.Arithmetic { return b.m.encoder.Device.Arithmetic() }

// Evaluate implements core.Evaluator: dst is (coalition, class), on the task's scale.
func (b *Bound) Evaluate(ctx context.Context, dst []float64, z *core.Coalitions) (err error) {
	defer fault.Rescue(&err)
	if err := b.check(dst, z); err != nil {
		return err
	}
	if b.masked != nil {
		return b.masked.evaluate(ctx, b, dst, z)
	}
	return b.cut.evaluate(ctx, b, dst, z)
}

// Attention implements core.Attender: the output that the model card names as "inherent", for the whole
// bag. Signature.Inherent says which shapes it may have.
func (b *Bound) Attention(ctx context.Context, class int) (phi []float64, err error) {
	defer fault.Rescue(&err)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var outputs []signature.BagOutput
	for _, port := range b.m.g.Outputs {
		t, p := b.whole[port.ID], b.places[port.ID]
		o := signature.BagOutput{Shape: t.Shape, Axis: -1, Values: t.Float64s}
		if p.Class == ops.Instance {
			o.Axis = p.Axis
		}
		outputs = append(outputs, o)
	}
	return b.m.sig.Inherent(b.scores, b.task.Instances, class, outputs)
}

// check refuses coalitions that the bag does not have.
func (b *Bound) check(dst []float64, z *core.Coalitions) error {
	if z.Instances() != b.task.Instances || len(dst) != z.Len()*b.task.Classes {
		return fmt.Errorf("coalitions of %d instances and %d results do not fit %d instances and %d classes", z.Instances(), len(dst), b.task.Instances, b.task.Classes)
	}
	for j := range z.Len() {
		if z.Size(j) == 0 {
			return fmt.Errorf("coalition %d is empty, and the model takes no empty bag", j)
		}
	}
	return nil
}

// EvaluateInstances implements core.InstanceEvaluator.
func (b *Bound) EvaluateInstances(ctx context.Context, dst []float64, removed bool, lo, hi int) (err error) {
	defer fault.Rescue(&err)
	k := b.task.Instances
	if lo < 0 || hi < lo || hi > k || len(dst) != (hi-lo)*b.task.Classes || removed && k == 1 {
		return fmt.Errorf("instances %d up to %d and %d results do not fit %d instances and %d classes", lo, hi, len(dst), k, b.task.Classes)
	}
	if b.masked != nil {
		base := b.masked.empty
		if removed {
			base = b.masked.full
		}
		return b.masked.run(ctx, b, dst, masked.Set{Base: base, From: lo, Count: hi - lo})
	}
	return b.cut.evaluate(ctx, b, dst, core.InstanceCoalitions(k, removed, lo, hi))
}

// HasNeighbours implements core.NeighbourEvaluator: coalitions that are pooled all at once have.
func (b *Bound) HasNeighbours() bool { return b.masked != nil }

// EvaluateNeighbours implements core.NeighbourEvaluator.
func (b *Bound) EvaluateNeighbours(ctx context.Context, dst []float64, z []uint64) (err error) {
	defer fault.Rescue(&err)
	k, classes := b.task.Instances, b.task.Classes
	if len(z) != (k+63)/64 || len(dst) != (k+1)*classes || b.masked == nil {
		return fmt.Errorf("a coalition of %d words and %d results do not fit the neighbours of a coalition of %d instances and %d classes", len(z), len(dst), k, classes)
	}
	base := masked.NewBase(k, z)
	for lo, size := 0, b.Batch(); lo <= k; lo += size {
		hi := min(lo+size, k+1)
		set := masked.Set{Base: base, From: lo, Count: hi - lo}
		if err := b.masked.neighbours(ctx, b, dst[lo*classes:hi*classes], set); err != nil {
			return err
		}
	}
	return nil
}

// evaluate implements way.
func (c *cut) evaluate(ctx context.Context, b *Bound, dst []float64, z *core.Coalitions) error {
	return c.all(ctx, b, dst, z.Members)
}

// all evaluates every coalition, those of one size together where that is proved to change nothing.
func (c *cut) all(ctx context.Context, b *Bound, dst []float64, members func(to []int, j int) []int) error {
	if c.together.Load() == togetherProved && len(dst) > b.task.Classes {
		if err := c.inStacks(ctx, b, dst, members); err == nil || ctx.Err() != nil {
			return err
		} // the error to tell is that of the first coalition that has one
	}
	return c.run(ctx, b, dst, members, nil)
}

// run evaluates one coalition after another: those that are marked, nil for all. members appends those of coalition j.
func (c *cut) run(ctx context.Context, b *Bound, dst []float64, members func(to []int, j int) []int, marked []bool) error {
	if marked != nil && !slices.Contains(marked, true) {
		return nil
	}
	w := c.take(b.m)
	defer c.put(w)
	classes := b.task.Classes
	for j := range len(dst) / classes {
		if marked != nil && !marked[j] {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		w.members = members(w.members[:0], j)
		if err := b.evaluate(ctx, c, w, dst[j*classes:(j+1)*classes]); err != nil {
			return err
		}
	}
	return nil
}

// evaluate gathers the members of a coalition from the held values and runs the rest of the graph.
func (b *Bound) evaluate(ctx context.Context, c *cut, w *worker, dst []float64) error {
	w.runner.Begin(ctx)
	for i := range c.held {
		if err := w.gather(&c.held[i]); err != nil {
			return err
		}
	}
	if err := w.runner.Run(nil); err != nil {
		return err
	}
	t := w.runner.Value(b.scores.ID)
	if t.Len() != len(dst) {
		return fault.Unsupportedf(fmt.Sprintf("output %q", b.scores.Name), "it has %d scores for a bag of %d instances and %d for the whole bag, so that they are no class scores", t.Len(), len(w.members), len(dst))
	}
	return readScores(t, dst)
}

// readScores reads the scores from an output of as many elements.
func readScores(t *tensor.Tensor, dst []float64) error {
	switch t.Type {
	case tensor.Float32:
		for i, v := range tensor.Of[float32](t) {
			dst[i] = float64(v)
		}
	case tensor.Float64:
		copy(dst, tensor.Of[float64](t))
	default:
		return fault.Unsupportedf("the output of the scores", "it is of %v and holds no class scores", t.Type)
	}
	return nil
}

// gather makes a held value's part for the members.
func (w *worker) gather(h *held) error {
	if h.bag != nil {
		return w.load(h)
	}
	v := h.value
	if h.fixed || len(w.members) == v.Shape[h.axis] {
		w.runner.Give(h.id, v)
		return nil
	}
	w.shape = append(w.shape[:0], v.Shape...)
	w.shape[h.axis] = len(w.members)
	slot, mc := w.runner.Slot(h.id), w.runner.Machine()
	if h.sizes {
		w.runner.Give(h.id, v)
		slot.Shape = append(slot.Shape[:0], w.shape...)
		return nil
	}
	if err := mc.Alloc(slot, v.Type, w.shape...); err != nil {
		return err
	}
	if err := mc.Tick(slot.Len()); err != nil {
		return err
	}
	ops.GatherPlaces(slot, v, h.axis, w.members)
	return nil
}

// load makes the input of the members.
func (w *worker) load(h *held) error {
	bag := h.bag
	if len(w.members) < bag.Len() {
		some := bag.Select(w.members)
		bag = &some
	}
	return bag.Load(w.runner.Machine(), w.runner.Slot(h.id))
}
