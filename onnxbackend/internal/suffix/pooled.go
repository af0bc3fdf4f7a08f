package suffix

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/masked"
	"github.com/bagscope/bagscope/onnxbackend/internal/offload"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// Pooled pools all coalitions of a batch together. The scores of coalitions whose weights underflow
// beside the bag's largest are in doubt. They are computed from logits, or else by gathering.
type Pooled struct {
	plan   *masked.Plan
	logits logitPlan
	suffix *Suffix       // evaluates what cannot be pooled
	device *offload.Pool // nil for the CPU alone
	empty  *masked.Base  // no instances; its neighbours are the single instances
	full   *masked.Base  // all instances; its neighbours are the bag without each
}

// Numbers of coalitions that are pooled at a time.
const (
	maskedBatch = 1024 // enough for the tables of partial sums to pay
	leastBatch  = 64   // if the memory of a run does not hold so many, coalitions run one by one
)

// newPooled returns the pooled form of a suffix and how it pools, such as "attention", or the
// reason why there is none. The reason follows the words "Coalitions run one by one:".
func (b *Bag) newPooled(ctx context.Context, s *Suffix) (p *Pooled, how, whyNot string) {
	if n, _ := tensor.Count(b.Places[b.Output.ID].Shape); n != b.Task.Classes {
		return nil, "", fmt.Sprintf("the output has %d scores where the file declares %d",
			n, b.Task.Classes)
	}
	plan, err := b.compile(ctx, s, false)
	if err != nil {
		return nil, "", err.Error()
	}
	if row := plan.RowBytes(); row > b.Limits.Bytes/2/leastBatch {
		return nil, "", fmt.Sprintf("a coalition takes %d bytes, too many for the limit of a run",
			row)
	}
	k := b.Task.Instances
	bases := core.NewCoalitions(k, 2)
	bases.AppendEmpty()
	bases.AppendWithout()
	p = &Pooled{
		plan: plan, suffix: s,
		empty: masked.NewBase(k, bases.Row(0)), full: masked.NewBase(k, bases.Row(1)),
	}
	if !plan.Members() { // else there is nothing for a device to pool
		p.device = b.Device.Hold(plan, k, maskedBatch)
	}
	p.logits.compile = func(ctx context.Context) (*masked.Plan, error) {
		return b.compile(ctx, s, true)
	}
	return p, plan.Strategy(), ""
}

// compile compiles the pooled form of a suffix: of the weights that instances have in the whole
// bag, or of their logits.
func (b *Bag) compile(ctx context.Context, s *Suffix, logits bool) (*masked.Plan, error) {
	values, axes := map[int]*tensor.Tensor{}, map[int]int{}
	for _, h := range s.Boundary {
		if h.Form != signature.NoRelation {
			continue // a node that reads edges has no masked form
		}
		values[h.ID], axes[h.ID] = h.Value, h.Axis
	}
	// Compile allocates its tables on the machine of a worker, whose limits are those of a run.
	work := s.getWorker()
	defer s.putWorker(work)
	work.runner.Begin(ctx)
	return masked.Compile(s.Program, masked.Source{
		Instances: b.Task.Instances,
		Matrix: func(id int) (*tensor.Tensor, int) {
			i := slices.IndexFunc(s.Boundary, func(h BoundaryValue) bool {
				return h.ID == id && h.Form == signature.Matrix
			})
			if i < 0 {
				return nil, 0
			}
			return s.Boundary[i].Value, s.Boundary[i].Axis
		},
		Machine: work.runner.Machine(),
		Logits:  logits,
		Wide:    b.Vector,
		Varies:  (&variation{b: b, suffix: s, ctx: ctx}).of,
		Place: func(id int) ops.Place {
			p := b.Places[id]
			if axis, ok := axes[id]; ok {
				p.Axis = axis
			}
			return p
		},
		Value: func(id int) *tensor.Tensor {
			if v := b.Graph.Values[id].Const; v != nil {
				return v
			}
			return values[id]
		},
	}, b.Output.ID)
}

// Neighbours reports whether the neighbours of a coalition cost little more than the coalition.
func (p *Pooled) Neighbours() bool { return p != nil && !p.plan.Members() }

// Plan returns how coalitions are pooled.
func (p *Pooled) Plan() *masked.Plan { return p.plan }

// evaluate implements strategy.
func (p *Pooled) evaluate(ctx context.Context, dst []float64, z *core.Coalitions) error {
	return p.run(ctx, dst, masked.Set{Z: z}, 0)
}

// run computes the scores of a set of coalitions. dst is (coalition, class). The scores of
// coalitions with fewer than least instances are NaN, because the model takes no such bags; least
// is 0 if all coalitions have enough.
func (p *Pooled) run(ctx context.Context, dst []float64, set masked.Set, least int) error {
	doubt, err := p.Pool(ctx, dst, set)
	// A neighbour has one instance less, at most.
	if least > 0 && set.Base.Size() <= least {
		enough := p.enough(dst, set, least)
		if errors.As(err, new(*fault.Run)) {
			// A node may fail on a coalition without scores, beside which others were pooled.
			return p.suffix.EvaluateEach(ctx, dst, set.Members, enough)
		}
		for j := range doubt {
			doubt[j] = doubt[j] && enough[j]
		}
	}
	if err != nil {
		return err
	}
	if !slices.Contains(doubt, true) {
		return nil
	}
	if err := p.PoolLogits(ctx, dst, set, doubt); err != nil {
		return err
	}
	return p.suffix.EvaluateEach(ctx, dst, set.Members, doubt) // those that are still in doubt
}

// enough marks the coalitions of a set that have at least a number of instances, and sets the
// scores of the others to NaN.
func (p *Pooled) enough(dst []float64, set masked.Set, least int) []bool {
	classes := p.suffix.classes
	marked := make([]bool, len(dst)/classes)
	for j := range marked {
		if marked[j] = set.Size(j) >= least; !marked[j] {
			copy(dst[j*classes:], slices.Repeat([]float64{math.NaN()}, classes))
		}
	}
	return marked
}
