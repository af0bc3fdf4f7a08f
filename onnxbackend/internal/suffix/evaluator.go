package suffix

import (
	"context"
	"fmt"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/masked"
	"github.com/bagscope/bagscope/onnxbackend/internal/offload"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// A Bag is a bag as the run of the whole graph has left it.
type Bag struct {
	Graph       *graph.Graph
	Limits      machine.Limits
	Device      *offload.Model // nil for the CPU alone
	Fingerprint int            // fingerprint of the model, for helpers

	Input    int        // ID of the input
	Output   graph.Port // output with the class scores
	Task     core.Task
	Places   []ops.Place            // (value)
	Whole    map[int]*tensor.Tensor // boundary values and outputs of the whole bag, by ID
	Fitted   signature.Fitted
	InBlocks bool // the bag was encoded in blocks, so that no tensor holds its values
	OnDevice bool // a device encoded it
}

// An Evaluator computes the scores of coalitions of one bag. It is safe for concurrent use.
type Evaluator struct {
	Bag
	Strategy string   // how coalitions are evaluated
	WhyNot   string   // why coalitions are not pooled together, or ""
	WhyPlain string   // why the whole graph runs for every coalition, or ""
	Notes    []string // what was decided, in sentences
	Ordered  bool     // scores of some instances depend on their order

	Suffix *Suffix
	Pooled *Pooled // nil if coalitions are not pooled together

	name    uint64 // name of the bag, for helpers
	loansMu sync.Mutex
	loans   []*loan // (helper)
}

// A strategy computes the scores of coalitions: dst is (coalition, class).
type strategy interface {
	evaluate(ctx context.Context, dst []float64, z *core.Coalitions) error
}

// Bytes returns the memory of the boundary values, and as much again for each table that pools all
// coalitions together: of weights and, once a coalition has needed it, of logits.
func (e *Evaluator) Bytes() int64 {
	n, copies := 0, 1
	for _, b := range e.Suffix.Boundary {
		n += 8 * len(b.Value.Words)
	}
	if e.Pooled != nil {
		copies++
		if e.Pooled.logits.made() {
			copies++
		}
	}
	return int64(n * copies)
}

// Batch returns how many coalitions are best evaluated in one call.
func (e *Evaluator) Batch() int {
	if e.Pooled != nil {
		// A node at work takes as much again.
		return min(maskedBatch, e.Limits.Bytes/2/max(e.Pooled.plan.RowBytes(), 1))
	}
	return 1
}

// Evaluate computes the scores of coalitions, none of which may be empty. dst is (coalition,
// class).
func (e *Evaluator) Evaluate(ctx context.Context, dst []float64, z *core.Coalitions) error {
	if err := e.check(dst, z); err != nil {
		return err
	}
	if e.Pooled != nil {
		return e.Pooled.evaluate(ctx, dst, z)
	}
	return e.Suffix.evaluate(ctx, dst, z)
}

// check refuses coalitions that the bag does not have.
func (e *Evaluator) check(dst []float64, z *core.Coalitions) error {
	k, classes := e.Task.Instances, e.Task.Classes
	if z.Instances() != k || len(dst) != z.Len()*classes {
		return fmt.Errorf(
			"coalitions of %d instances and %d results do not fit %d instances and %d "+
				"classes",
			z.Instances(), len(dst), k, classes)
	}
	for j := range z.Len() {
		if z.Size(j) == 0 {
			return fmt.Errorf("coalition %d is empty, and the model takes no empty bag", j)
		}
	}
	return nil
}

// EvaluateInstances computes the scores of single instances lo up to hi or, with removed, of the
// bag without each of them. dst is (instance, class).
func (e *Evaluator) EvaluateInstances(
	ctx context.Context, dst []float64, removed bool, lo, hi int,
) error {
	k, classes := e.Task.Instances, e.Task.Classes
	if lo < 0 || hi < lo || hi > k || len(dst) != (hi-lo)*classes || removed && k == 1 {
		return fmt.Errorf(
			"instances %d up to %d and %d results do not fit %d instances and %d classes",
			lo, hi, len(dst), k, classes)
	}
	if e.Pooled == nil {
		return e.Suffix.evaluate(ctx, dst, core.InstanceCoalitions(k, removed, lo, hi))
	}
	base := e.Pooled.empty
	if removed {
		base = e.Pooled.full
	}
	return e.Pooled.run(ctx, dst, masked.Set{Base: base, From: lo, Count: hi - lo})
}

// EvaluateNeighbours computes the scores of coalition z and of its neighbours in each instance. dst
// is (k + 1, class). It needs pooled coalitions.
func (e *Evaluator) EvaluateNeighbours(ctx context.Context, dst []float64, z []uint64) error {
	k, classes := e.Task.Instances, e.Task.Classes
	if len(z) != (k+63)/64 || len(dst) != (k+1)*classes || e.Pooled == nil {
		return fmt.Errorf("a coalition of %d words and %d results do not fit the neighbours of a "+
			"coalition of %d instances and %d classes", len(z), len(dst), k, classes)
	}
	base := masked.NewBase(k, z)
	for lo, size := 0, e.Batch(); lo <= k; lo += size {
		hi := min(lo+size, k+1)
		set := masked.Set{Base: base, From: lo, Count: hi - lo}
		part := dst[lo*classes : hi*classes]
		if err := e.Pooled.neighbours(ctx, part, set, e.Task.Least); err != nil {
			return err
		}
	}
	return nil
}

// Leave returns what the evaluator reads of the run of the whole bag: the boundary values of its
// strategy and the outputs. The runner r leaves their memory to it. All else belongs to the
// runner's next bag.
func (e *Evaluator) Leave(r *plan.Runner) map[int]*tensor.Tensor {
	kept := map[int]*tensor.Tensor{}
	for _, b := range e.Suffix.Boundary {
		kept[b.ID] = e.Whole[b.ID]
	}
	for _, p := range e.Graph.Outputs {
		kept[p.ID] = e.Whole[p.ID]
	}
	for id := range kept {
		r.Leave(id)
	}
	e.Whole = kept
	return kept
}

// note appends a note.
func (e *Evaluator) note(text string) {
	if text != "" {
		e.Notes = append(e.Notes, text)
	}
}

// newSuffix plans the computation of the scores from boundary values. With an axis of -1 the
// analysis says along which axis the instances lie.
func (b *Bag) newSuffix(c *Cache, ids []int, axis int) (*Suffix, error) {
	p, err := c.find(b, ids)
	if err != nil {
		return nil, err
	}
	s := &Suffix{program: p, instances: b.Task.Instances, classes: b.Task.Classes, output: b.Output}
	for _, id := range ids {
		reads := p.Reads(id)
		if reads == plan.ReadsNothing {
			continue
		}
		v := BoundaryValue{
			ID: id, Axis: b.Places[id].Axis, Value: b.Whole[id],
			Fixed: b.Places[id].Class == ops.Constant, Sizes: reads == plan.ReadsShape,
		}
		if axis >= 0 {
			v.Axis = axis
		}
		if id == b.Input && !v.Sizes && b.InBlocks {
			v.Bag = &b.Fitted
		}
		s.Boundary = append(s.Boundary, v)
	}
	return s, nil
}
