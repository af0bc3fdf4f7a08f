package suffix

import (
	"context"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/internal/workshare"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// Served is the suffix of one bag that this program keeps as a helper, from one task to the next.
// The zero value keeps none. It is safe for concurrent use. Another program writes the tasks, so
// that every number of them is checked.
type Served struct {
	mu     sync.Mutex
	name   uint64 // random number that identifies the bag to helpers
	suffix *Suffix
	pooled func(context.Context) (*Pooled, error) // compiles once; nil without members
}

// Hold does a task of kind workshare.Hold for a model's graph: it keeps the boundary values of a
// bag instead of those of the bag before. head and u are the rest of the task. Errors are
// workshare.ErrMessage and ErrOther.
func (s *Served) Hold(
	g *graph.Graph, limits machine.Limits, head []int, u *workshare.Unpacker,
) error {
	if len(head) != 6 {
		return workshare.ErrMessage
	}
	// HoldTask writes these numbers. Each boundary value takes more than a byte, which bounds n.
	name, k, classes, output, members, n := head[0], head[1], head[2], head[3], head[4], head[5]
	if k < 1 || classes < 1 || output < 0 || output >= len(g.Outputs) || n < 0 ||
		n > len(u.Rest()) {
		return workshare.ErrMessage
	}
	held := &Suffix{instances: k, classes: classes, output: g.Outputs[output]}
	var ids []int
	for range n {
		f := u.Numbers()
		t, shape, data := u.Tensor()
		if u.Err() != nil || len(f) != 5 || f[1] < 0 || f[1] >= len(shape) && f[2] != 1 ||
			!g.Has(f[0]) {
			return workshare.ErrMessage
		}
		b := BoundaryValue{
			ID: f[0], Axis: f[1], Fixed: f[2] == 1, Sizes: f[3] == 1,
			Form: signature.Form(f[4]), Value: tensor.New(t, shape...),
		}
		copy(b.Value.Bytes(), data)
		if !b.Fixed && b.Form == signature.NoRelation && shape[b.Axis] != k {
			return workshare.ErrMessage
		}
		ids, held.Boundary = append(ids, b.ID), append(held.Boundary, b)
	}
	// The plan fails if the other program has cut the graph in another place.
	if !held.relationsFit() {
		return workshare.ErrMessage
	}
	p, ok := plan.New(g, ids, []int{held.output.ID})
	if !ok {
		return workshare.ErrOther
	}
	held.program = &program{Program: p, limits: limits}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.suffix, s.pooled, s.name = held, nil, uint64(name)
	if members == 1 {
		s.pooled = held.onceCompiled(g, limits)
	}
	return nil
}

// Score does a task of kind workshare.Score for the bag that is held. The reply is (coalition,
// class). Errors are workshare.ErrMessage, ErrOther if another bag is held, and those of a run.
func (s *Served) Score(
	ctx context.Context, head []int, u *workshare.Unpacker,
) ([]byte, error) {
	if len(head) != 2 {
		return nil, workshare.ErrMessage
	}
	s.mu.Lock()
	held, pooled, name := s.suffix, s.pooled, s.name
	s.mu.Unlock()
	if held == nil || uint64(head[0]) != name {
		return nil, workshare.ErrOther
	}
	n, bytes := head[1], 8*((held.instances+63)/64) // coalitions, and the bytes of one
	if n < 1 || n != len(u.Rest())/bytes || n*bytes != len(u.Rest()) {
		return nil, workshare.ErrMessage
	}
	z := core.NewCoalitions(held.instances, n)
	for j := range n {
		copy(workshare.BytesOf(z.AppendEmpty()), u.Data(bytes))
		if z.Size(j) == 0 {
			return nil, workshare.ErrMessage
		}
	}
	scores := make([]float64, n*held.classes)
	by := strategy(held)
	if pooled != nil {
		p, err := pooled(ctx)
		if err != nil {
			return nil, err
		}
		by = p
	}
	if err := by.evaluate(ctx, scores, z); err != nil {
		return nil, err
	}
	return workshare.BytesOf(scores), nil
}
