package suffix

import (
	"context"
	"sync"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// A helper that shares coalitions with values of their members compiles the plan of the owner
// again, from the same boundary values. The owner has compared it with the whole graph.

// compileMembers compiles a suffix whose whole bag has not been run in this program.
func (s *Suffix) compileMembers(
	ctx context.Context, g *graph.Graph, limits machine.Limits,
) (*Pooled, error) {
	places, err := s.places(ctx, g)
	if err != nil {
		return nil, err
	}
	b := &Bag{Graph: g, Limits: limits, Output: s.output, Places: places}
	b.Task.Instances, b.Task.Classes = s.instances, s.classes
	p, _, whyNot := b.newPooled(ctx, s)
	if p == nil {
		return nil, msg.Errorf("%s", msg.Text(whyNot))
	}
	return p, nil
}

// onceCompiled returns a function that compiles the suffix when it is first called. A run that was
// cancelled does not count.
func (s *Suffix) onceCompiled(
	g *graph.Graph, limits machine.Limits,
) func(context.Context) (*Pooled, error) {
	var mu sync.Mutex
	var p *Pooled
	var err error
	return func(ctx context.Context) (*Pooled, error) {
		mu.Lock()
		defer mu.Unlock()
		if p == nil && err == nil {
			if p, err = s.compileMembers(ctx, g, limits); ctx.Err() != nil {
				p, err = nil, nil
				return nil, context.Cause(ctx)
			}
		}
		return p, err
	}
}

// places returns what compiling reads of the places of values: those of constants, of the boundary
// and of what the suffix computes for the whole bag.
func (s *Suffix) places(ctx context.Context, g *graph.Graph) ([]ops.Place, error) {
	p := make(placing, len(g.Values))
	for id, v := range g.Values {
		if v.Const != nil {
			p[id] = ops.Place{Class: ops.Constant, Shape: v.Const.Shape, Type: v.Const.Type}
		}
	}
	for _, h := range s.Boundary {
		place := ops.Place{Axis: h.Axis, Shape: h.Value.Shape, Type: h.Value.Type}
		switch {
		case h.Fixed:
			place.Class = ops.Constant
		case h.Form == signature.NoRelation:
			place.Class = ops.Instance
		}
		p[h.ID] = place
	}
	w := s.getWorker()
	defer s.putWorker(w)
	w.members = w.members[:0]
	for i := range s.instances {
		w.members = append(w.members, i)
	}
	return p, s.observe(ctx, w, p)
}

// placing records the shapes and types of values of a run.
type placing []ops.Place

// After implements plan.Observer.
func (p placing) After(s *plan.Step, _, out []*tensor.Tensor) {
	for i, id := range s.Node.Out {
		if id >= 0 {
			p[id] = ops.Place{Shape: append([]int{}, out[i].Shape...), Type: out[i].Type}
		}
	}
}

// Keep implements plan.Observer.
func (p placing) Keep(int) bool { return false }
