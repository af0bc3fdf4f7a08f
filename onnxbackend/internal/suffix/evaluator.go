package suffix

import (
	"context"
	"fmt"
	"maps"
	"slices"
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

	Input    int                    // ID of the input
	Output   graph.Port             // output with the class scores
	Task     core.Task              // what the evaluator returns as its task; Least is found here
	Places   []ops.Place            // (value) how it depends on the instances
	Whole    map[int]*tensor.Tensor // boundary values and outputs of the whole bag, by ID
	Fitted   signature.Fitted       // the bag itself
	InBlocks bool                   // the bag was encoded in blocks: no tensor holds its values
	OnDevice bool                   // a device encoded the bag
	Vector   bool                   // the scores are a vector that is compared with a target
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

	name  uint64   // random number that identifies the bag to helpers
	loans sync.Map // (helper) *loan
}

// A strategy computes the scores of coalitions: dst is (coalition, class).
type strategy interface {
	evaluate(ctx context.Context, dst []float64, z *core.Coalitions) error
}

// Bytes returns the memory of the boundary values, and as much again for each table that pools all
// coalitions together: of weights and, once a coalition has needed it, of logits.
func (e *Evaluator) Bytes() int64 {
	copies := 1
	if e.Pooled != nil {
		copies++
		if e.Pooled.logits.made() {
			copies++
		}
	}
	return int64(e.Suffix.bytes() * copies)
}

// Batch returns how many coalitions are best evaluated in one call: as many as the memory of a run
// holds if they are pooled together, else 1. A coalition with values of its members takes so long
// that small batches, after which progress is reported, cost nothing.
func (e *Evaluator) Batch() int {
	if e.Pooled.Neighbours() {
		// A node at work takes as much again.
		return min(maskedBatch, e.Limits.Bytes/2/max(e.Pooled.plan.RowBytes(), 1))
	}
	return 1
}

// Evaluate computes the scores of coalitions, which must not be empty. dst is (coalition, class),
// on the task's scale. The same coalition gets the same bits, whatever coalitions are beside it.
func (e *Evaluator) Evaluate(ctx context.Context, dst []float64, z *core.Coalitions) error {
	if err := e.check(dst, z); err != nil {
		return err
	}
	if e.Pooled != nil {
		return e.Pooled.evaluate(ctx, dst, z)
	}
	return e.Suffix.evaluate(ctx, dst, z)
}

// check rejects coalitions that the bag does not have, and empty ones.
func (e *Evaluator) check(dst []float64, z *core.Coalitions) error {
	k, classes := e.Task.Instances, e.Task.Classes
	if z.Instances() != k || len(dst) != z.Len()*classes {
		return fmt.Errorf(
			"coalitions of %d instances and %d results do not match %d instances and "+
				"%d classes", z.Instances(), len(dst), k, classes)
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
		return fmt.Errorf("instances %d up to %d and %d results do not match %d instances and "+
			"%d classes", lo, hi, len(dst), k, classes)
	}
	if e.Pooled == nil {
		return e.Suffix.evaluate(ctx, dst, core.InstanceCoalitions(k, removed, lo, hi))
	}
	base := e.Pooled.empty
	if removed {
		base = e.Pooled.full
	}
	return e.Pooled.run(ctx, dst, masked.Set{Base: base, From: lo, Count: hi - lo}, 0)
}

// EvaluateNeighbours computes the scores of the k neighbours of coalition z and of z itself, in
// parts, because memory grows with their number. part gets the first neighbour of a part, the one
// behind its last, and a function that writes their scores, (neighbour, class). It needs
// Pooled.Neighbours.
func (e *Evaluator) EvaluateNeighbours(ctx context.Context, z []uint64,
	part func(lo, hi int, scores func(dst []float64) error) error,
) error {
	k := e.Task.Instances
	if len(z) != (k+63)/64 || !e.Pooled.Neighbours() {
		return fmt.Errorf("a coalition of %d words has no neighbours in a bag of %d instances",
			len(z), k)
	}
	base := masked.NewBase(k, z)
	for lo, size := 0, e.Batch(); lo <= k; lo += size {
		hi := min(lo+size, k+1)
		set := masked.Set{Base: base, From: lo, Count: hi - lo}
		if err := part(lo, hi, func(dst []float64) error {
			return e.Pooled.run(ctx, dst, set, max(1, e.Task.Least))
		}); err != nil {
			return err
		}
	}
	return nil
}

// Leave keeps what the evaluator reads of the run of the whole bag: the boundary values of its
// strategy and the outputs. The runner r gives their memory up. All else belongs to the runner's
// next bag.
func (e *Evaluator) Leave(r *plan.Runner) {
	read := graph.IDs(e.Graph.Outputs)
	for _, b := range e.Suffix.Boundary {
		read = append(read, b.ID)
	}
	maps.DeleteFunc(e.Whole, func(id int, _ *tensor.Tensor) bool {
		return !slices.Contains(read, id)
	})
	for id := range e.Whole {
		r.Leave(id)
	}
}

// note appends a note.
func (e *Evaluator) note(text string) {
	if text != "" {
		e.Notes = append(e.Notes, text)
	}
}

// newSuffix plans the computation of the scores from boundary values. axis is that of their
// instances, or -1 for the axis that the analysis has found for each. Values that no step reads are
// left out.
func (b *Bag) newSuffix(c *Cache, ids []int, axis int) (*Suffix, error) {
	p, err := c.find(b, ids)
	if err != nil {
		return nil, err
	}
	s := &Suffix{program: p, instances: b.Task.Instances, classes: b.Task.Classes, output: b.Output}
	for _, id := range ids {
		reads := p.Reads(id)
		relation := b.Fitted.RelationOf(id)
		// The ends of edges say which weights a coalition has, even if no step reads them.
		if reads == plan.ReadsNothing && (relation == nil || relation.Form != signature.EdgeEnds) {
			continue
		}
		// A value of which only the shape is read is not gathered: its elements do not matter.
		v := BoundaryValue{
			ID: id, Axis: b.Places[id].Axis, Value: b.Whole[id],
			Fixed: b.Places[id].Class == ops.Constant, Sizes: reads == plan.ReadsShape,
		}
		if axis >= 0 {
			v.Axis = axis
		}
		if relation != nil {
			v.Form, v.Axis = relation.Form, relation.Axis()
		}
		if id == b.Input && !v.Sizes && b.InBlocks {
			v.Bag = &b.Fitted
		}
		s.Boundary = append(s.Boundary, v)
	}
	return s, nil
}
