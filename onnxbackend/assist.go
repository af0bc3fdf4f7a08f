package onnxbackend

import (
	"context"
	"slices"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/internal/workshare"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// An assistant is what a model remembers as a helper, from one task to the next: how to encode, and the
// values of one bag. The zero value remembers nothing.
type assistant struct {
	mu   sync.Mutex
	name uint64 // of the bag that is held
	held *Bound
}

// Assist does a task of Helpers and returns the reply. Only the process that made the task may judge it: it
// must come from a model of the same file and options.
func (m *Model) Assist(ctx context.Context, task []byte) (reply []byte, err error) {
	defer fault.Rescue(&err)
	kind, head, u, err := workshare.OpenTask(task, m.fingerprint)
	switch {
	case err != nil:
		return nil, err
	case kind == workshare.Encode:
		return m.encoder.Serve(ctx, head, u)
	case kind == workshare.Hold && len(head) == 5:
		return nil, m.assistHold(u, head[0], head[1], head[2], head[3], head[4])
	case kind == workshare.Score && len(head) == 2:
		return m.assistScore(ctx, u, head[0], head[1])
	}
	return nil, workshare.ErrMessage
}

// holdTask gives a helper the values that coalitions gather from.
func (b *Bound) holdTask() []byte {
	output := slices.IndexFunc(b.m.g.Outputs, func(p graph.Port) bool { return p.ID == b.scores.ID })
	t := workshare.NewTask(workshare.Hold, b.m.fingerprint, int(b.name), b.task.Instances, b.task.Classes, output, len(b.cut.held))
	for _, h := range b.cut.held {
		t.Numbers(h.id, h.axis, workshare.Bit(h.fixed), workshare.Bit(h.sizes))
		t.Tensor(h.value)
	}
	return *t
}

func (m *Model) assistHold(u *workshare.Unpacker, name, k, classes, output, n int) error {
	if k < 1 || classes < 1 || output < 0 || output >= len(m.g.Outputs) || n < 0 || n > len(u.Rest()) {
		return workshare.ErrMessage
	}
	b := &Bound{m: m, scores: &signature.ClassOutput{Port: m.g.Outputs[output]}, cut: &cut{route: &route{}}}
	b.task.Instances, b.task.Classes = k, classes
	var ids []int
	for range n {
		f := u.Numbers()
		t, shape, data := u.Tensor()
		if u.Err() != nil || len(f) != 4 || f[1] < 0 || f[1] >= len(shape) && f[2] == 0 || !m.g.Has(f[0]) {
			return workshare.ErrMessage
		}
		h := held{id: f[0], axis: f[1], fixed: f[2] == 1, sizes: f[3] == 1, value: tensor.New(t, shape...)}
		copy(h.value.Bytes(), data)
		ids, b.cut.held = append(ids, h.id), append(b.cut.held, h)
	}
	var ok bool
	if b.cut.program, ok = plan.New(m.g, ids, []int{b.scores.ID}); !ok {
		return workshare.ErrOther
	}
	m.assist.mu.Lock()
	defer m.assist.mu.Unlock()
	m.assist.held, m.assist.name = b, uint64(name)
	return nil
}

// scoreTask asks for the scores of coalitions. Reply: (coalition, class).
func (b *Bound) scoreTask(z *core.Coalitions) []byte {
	t := workshare.NewTask(workshare.Score, b.m.fingerprint, int(b.name), z.Len())
	t.Data(workshare.BytesOf(z.Words()))
	return *t
}

func (m *Model) assistScore(ctx context.Context, u *workshare.Unpacker, name, n int) ([]byte, error) {
	m.assist.mu.Lock()
	b, have := m.assist.held, m.assist.name
	m.assist.mu.Unlock()
	if b == nil || uint64(name) != have {
		return nil, workshare.ErrOther
	}
	if words := (b.task.Instances + 63) / 64; n < 0 || n != len(u.Rest())/8/words || n*words*8 != len(u.Rest()) {
		return nil, workshare.ErrMessage
	}
	z := core.NewCoalitions(b.task.Instances, n)
	for range n {
		copy(workshare.BytesOf(z.AppendEmpty()), u.Data(8*((b.task.Instances+63)/64)))
	}
	scores := make([]float64, n*b.task.Classes)
	if err := b.Evaluate(ctx, scores, z); err != nil {
		return nil, err
	}
	return workshare.BytesOf(scores), nil
}
