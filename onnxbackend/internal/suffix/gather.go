package suffix

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// A Suffix computes the scores of coalitions of one bag from its boundary values.
type Suffix struct {
	*program
	Boundary []BoundaryValue

	instances int // number of instances of the bag
	classes   int
	output    graph.Port // output with the class scores
}

// A BoundaryValue is a value of the whole bag that a coalition's run begins with.
type BoundaryValue struct {
	ID    int
	Axis  int // axis of the instances
	Value *tensor.Tensor
	Fixed bool              // it is the same for every coalition
	Sizes bool              // the suffix reads only its shape
	Form  signature.Form    // form of the relations that it holds, or NoRelation
	Bag   *signature.Fitted // the instances themselves, if no tensor holds them; else nil
}

// bytes returns the memory of the boundary values.
func (s *Suffix) bytes() int {
	n := 0
	for _, b := range s.Boundary {
		n += 8 * len(b.Value.Words)
	}
	return n
}

// Verified reports whether the suffix has been compared with the whole graph.
func (s *Suffix) Verified() bool { return s.verified[0].Load() }

// evaluate implements strategy: every coalition, those of one size together if that changes
// nothing.
func (s *Suffix) evaluate(ctx context.Context, dst []float64, z *core.Coalitions) error {
	if s.Batchable() && len(dst) > s.classes {
		// After an error all run one by one: the error of the first coalition that fails counts.
		if err := s.EvaluateBatches(ctx, dst, z); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return s.EvaluateEach(ctx, dst, z.Members, nil)
}

// EvaluateEach evaluates one coalition after another: those that are marked, nil for all. members
// appends the members of coalition j. dst is (coalition, class).
func (s *Suffix) EvaluateEach(
	ctx context.Context, dst []float64, members func(to []int, j int) []int, marked []bool,
) error {
	if marked != nil && !slices.Contains(marked, true) {
		return nil
	}
	w := s.getWorker()
	defer s.putWorker(w)
	for j := range len(dst) / s.classes {
		if marked != nil && !marked[j] {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		w.members = members(w.members[:0], j)
		if err := s.run(ctx, w, dst[j*s.classes:(j+1)*s.classes]); err != nil {
			return err
		}
	}
	return nil
}

// run gathers the worker's members from the boundary values and runs the suffix.
func (s *Suffix) run(ctx context.Context, w *worker, dst []float64) error {
	if err := s.observe(ctx, w, nil); err != nil {
		return err
	}
	// The class output must not follow the number of instances. Only runs show this if the file
	// declares no shape.
	t := w.runner.Value(s.output.ID)
	if t.Len() != len(dst) {
		return fault.Unsupportedf(msg.Sprintf("output %q", s.output.Name),
			"it has %d scores for a "+
				"bag of %d instances and %d for the whole bag, so that they are no class scores",
			t.Len(), len(w.members), len(dst))
	}
	return readScores(t, dst)
}

// observe gathers the worker's members and runs the suffix under an observer, which may be nil.
func (s *Suffix) observe(ctx context.Context, w *worker, o plan.Observer) error {
	w.runner.Begin(ctx)
	for i := range s.Boundary {
		if err := w.gather(s, &s.Boundary[i]); err != nil {
			return err
		}
	}
	return w.runner.Run(o)
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
		return fault.Unsupportedf("the output of the scores",
			"it is of %v and holds no class scores", t.Type)
	}
	return nil
}

// gather gives the runner a boundary value's part for the members: the value itself if it is the
// same for every coalition or all instances are members, else a copy.
func (w *worker) gather(s *Suffix, b *BoundaryValue) error {
	if b.Bag != nil {
		return w.load(b)
	}
	v := b.Value
	// The whole bag needs no copy: its members are all instances in their order.
	if b.Fixed || len(w.members) == s.instances {
		w.runner.Give(b.ID, v)
		return nil
	}
	if b.Form != signature.NoRelation {
		return w.relate(s, b)
	}
	w.shape = append(w.shape[:0], v.Shape...)
	w.shape[b.Axis] = len(w.members)
	slot, mc := w.runner.Slot(b.ID), w.runner.Machine()
	if b.Sizes {
		w.runner.Give(b.ID, v)
		slot.Shape = append(slot.Shape[:0], w.shape...)
		return nil
	}
	if err := mc.Alloc(slot, v.Type, w.shape...); err != nil {
		return err
	}
	if err := mc.Tick(slot.Len()); err != nil {
		return err
	}
	compute.GatherPlaces(slot, v, b.Axis, w.members)
	return nil
}

// load writes the input of the members. No tensor holds the values of a bag that was encoded in
// blocks, so that they come from the bag itself.
func (w *worker) load(b *BoundaryValue) error {
	bag := *b.Bag
	if len(w.members) < bag.Len() {
		bag = bag.Select(w.members)
	}
	return bag.Load(w.runner.Machine(), w.runner.Slot(b.ID))
}
