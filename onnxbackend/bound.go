package onnxbackend

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A Bound is a model bound to one bag. It implements core.Evaluator and core.Attender and is safe for
// concurrent use.
type Bound struct {
	m        *Model
	task     core.Task
	scores   *scores
	places   []ops.Place // (value) for the whole bag
	full     *plan.Runner
	cut      *cut
	masked   *maskedWay // nil when coalitions go through cut
	strategy string
	whyNot   string // why coalitions are not pooled all at once, or ""
	notes    []string

	key     uint64 // by which helpers know it
	loansMu sync.Mutex
	loans   []*loan // (helper)
}

// cut is a way from values of the whole bag to the scores of a coalition.
type cut struct {
	program *plan.Program
	held    []held
	mu      sync.Mutex
	idle    []*worker
	spent   int // work of the last coalition for each of its instances
}

// held is a value of the whole bag that a coalition's run begins with.
type held struct {
	id    int
	axis  int
	value *tensor.Tensor
	fixed bool // it is the same for every coalition
	sizes bool // only its shape is read
}

// worker is the memory of one coalition's run at a time.
type worker struct {
	runner  *plan.Runner
	members []int
	shape   []int
}

var (
	_ core.Evaluator = (*Bound)(nil)
	_ core.Attender  = (*Bound)(nil)
	_ core.Batcher   = (*Bound)(nil)
	_ core.Noter     = (*Bound)(nil)
	_ core.Model     = (*Model)(nil)
)

// Task implements core.Evaluator.
func (b *Bound) Task() core.Task { return b.task }

// Strategy returns how coalitions are evaluated: StrategyGathered, StrategyPlain, or how the model pools
// where all are pooled at once.
func (b *Bound) Strategy() string { return b.strategy }

// Notes implements core.Noter.
func (b *Bound) Notes() []string { return slices.Clone(b.notes) }

// Evaluate implements core.Evaluator: dst is (coalition, class), on the task's scale.
func (b *Bound) Evaluate(ctx context.Context, dst []float64, z *core.Coalitions) (err error) {
	defer rescue(&err)
	if err := b.check(dst, z); err != nil {
		return err
	}
	if b.masked != nil {
		return b.masked.evaluate(ctx, b, dst, z)
	}
	return b.cut.evaluate(ctx, b, dst, z)
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

// evaluate implements way: one coalition after another.
func (c *cut) evaluate(ctx context.Context, b *Bound, dst []float64, z *core.Coalitions) error {
	w := c.take(b.m)
	defer c.put(w)
	classes := b.task.Classes
	for j := range z.Len() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		w.members = z.Members(w.members[:0], j)
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
		return fmt.Errorf("output %q has %d scores for a bag of %d instances and %d for the whole bag, so that they are no class scores", b.scores.Name, t.Len(), len(w.members), len(dst))
	}
	switch t.Type {
	case tensor.Float32:
		for i, v := range tensor.Of[float32](t) {
			dst[i] = float64(v)
		}
	case tensor.Float64:
		copy(dst, tensor.Of[float64](t))
	default:
		return fmt.Errorf("output %q is of %v and holds no class scores", b.scores.Name, t.Type)
	}
	return nil
}

// gather makes a held value's part for the members.
func (w *worker) gather(h *held) error {
	v := h.value
	if h.fixed || len(w.members) == v.Shape[h.axis] {
		w.runner.Give(h.id, v)
		return nil
	}
	w.shape = append(w.shape[:0], v.Shape...)
	w.shape[h.axis] = len(w.members)
	slot, m := w.runner.Slot(h.id), w.runner.Machine()
	if h.sizes {
		w.runner.Give(h.id, v)
		slot.Shape = append(slot.Shape[:0], w.shape...)
		return nil
	}
	if err := m.Alloc(slot, v.Type, w.shape...); err != nil {
		return err
	}
	if err := m.Tick(slot.Len()); err != nil {
		return err
	}
	ops.GatherPlaces(slot, v, h.axis, w.members)
	return nil
}

// take returns an idle worker or a new one.
func (c *cut) take(m *Model) *worker {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.idle); n > 0 {
		w := c.idle[n-1]
		c.idle = c.idle[:n-1]
		return w
	}
	return &worker{runner: plan.NewRunner(c.program, m.limits.run())}
}

func (c *cut) put(w *worker) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle = append(c.idle, w)
	c.spent = w.runner.Machine().Spent() / max(1, len(w.members))
}

// cost returns the work that the last coalition took for each of its instances.
func (c *cut) cost() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.spent
}
