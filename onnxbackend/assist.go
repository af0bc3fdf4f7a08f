package onnxbackend

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// An assistant is what a model remembers as a helper, from one task to the next: how to encode, and the
// values of one bag. The zero value remembers nothing.
type assistant struct {
	mu    sync.Mutex
	front *front
	name  uint64 // of the bag that is held
	held  *Bound
}

var errOther = errors.New("the helper has another model, or no longer holds the bag")

// Assist does a task of a Crew and returns the reply. Only the process that made the task may judge it: it
// must come from a model of the same file and options.
func (m *Model) Assist(ctx context.Context, task []byte) (reply []byte, err error) {
	defer rescue(&err)
	u := &unpacker{bytes: task}
	kind, print := u.number(), u.number()
	if u.err == nil && print != m.fingerprint() {
		return nil, errOther
	}
	switch {
	case u.err != nil:
	case kind == taskEncode:
		return m.assistEncode(ctx, u)
	case kind == taskHold:
		return nil, m.assistHold(u)
	case kind == taskScore:
		return m.assistScore(ctx, u)
	}
	return nil, errTask
}

// task begins a task.
func (m *Model) task(kind int) *packer {
	p := &packer{}
	p.number(kind)
	p.number(m.fingerprint())
	return p
}

// fingerprint tells graphs apart whose values have other numbers: a hash of how nodes are connected.
func (m *Model) fingerprint() int {
	h := uint64(14695981039346656037)
	add := func(n int) { h = (h ^ uint64(n)) * 1099511628211 }
	for i := range m.g.Nodes {
		n := &m.g.Nodes[i]
		for _, c := range n.Op {
			add(int(c))
		}
		for _, id := range slices.Concat(n.In, n.Out) {
			add(id)
		}
	}
	return int(h >> 1)
}

func (m *Model) assistEncode(ctx context.Context, u *unpacker) ([]byte, error) {
	ids, raw, shape, n := u.numbers(), u.number(), u.numbers(), u.number()
	if n < 0 || n > len(u.bytes)/4 {
		return nil, errTask
	}
	bag := &core.Bag{Shape: shape, Raw: raw == 1, Values: make([]float32, n)}
	copy(bytesOf(bag.Values), u.data(4*n))
	if u.err != nil {
		return nil, u.err
	}
	f, err := m.assist.encoder(m, ids)
	if err != nil {
		return nil, err
	}
	r, err := f.encode(ctx, m, bag)
	if err != nil {
		return nil, err
	}
	defer f.put(r)
	var reply packer
	for _, id := range ids {
		reply.tensor(r.Value(id))
	}
	return reply, nil
}

// encoder returns the way from the input to some values.
func (a *assistant) encoder(m *Model, ids []int) (*front, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.front == nil || !slices.Equal(a.front.ids, ids) {
		if err := m.known(ids); err != nil {
			return nil, err
		}
		f, ok := newFront(m, ids)
		if !ok {
			return nil, errOther
		}
		a.front = f
	}
	return a.front, nil
}

// known refuses numbers of values that the graph does not have.
func (m *Model) known(ids []int) error {
	for _, id := range ids {
		if id < 0 || id >= len(m.g.Values) {
			return errTask
		}
	}
	return nil
}

// holdTask gives a helper the values that coalitions gather from.
func (b *Bound) holdTask() []byte {
	t := b.m.task(taskHold)
	t.number(int(b.name))
	t.number(b.task.Instances)
	t.number(b.task.Classes)
	t.number(slices.IndexFunc(b.m.g.Outputs, func(p graph.Port) bool { return p.ID == b.scores.ID }))
	t.number(len(b.cut.held))
	for _, h := range b.cut.held {
		t.numbers([]int{h.id, h.axis, bit(h.fixed), bit(h.sizes)})
		t.tensor(h.value)
	}
	return *t
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (m *Model) assistHold(u *unpacker) error {
	name, k, classes, output, n := u.number(), u.number(), u.number(), u.number(), u.number()
	if u.err != nil || k < 1 || classes < 1 || output < 0 || output >= len(m.g.Outputs) || n < 0 || n > len(u.bytes) {
		return errTask
	}
	b := &Bound{m: m, scores: &scores{Port: m.g.Outputs[output]}, cut: &cut{route: &route{}}}
	b.task.Instances, b.task.Classes = k, classes
	var ids []int
	for range n {
		f := u.numbers()
		t, shape, data := u.tensor()
		if u.err != nil || len(f) != 4 || f[1] < 0 || f[1] >= len(shape) && f[2] == 0 || m.known(f[:1]) != nil {
			return errTask
		}
		h := held{id: f[0], axis: f[1], fixed: f[2] == 1, sizes: f[3] == 1, value: tensor.New(t, shape...)}
		copy(elements(h.value), data)
		ids, b.cut.held = append(ids, h.id), append(b.cut.held, h)
	}
	var ok bool
	if b.cut.program, ok = plan.New(m.g, ids, []int{b.scores.ID}); !ok {
		return errOther
	}
	m.assist.mu.Lock()
	defer m.assist.mu.Unlock()
	m.assist.held, m.assist.name = b, uint64(name)
	return nil
}

// scoreTask asks for the scores of coalitions. Reply: (coalition, class).
func (b *Bound) scoreTask(z *core.Coalitions) []byte {
	t := b.m.task(taskScore)
	t.number(int(b.name))
	t.number(z.Len())
	t.data(bytesOf(z.Words()))
	return *t
}

func (m *Model) assistScore(ctx context.Context, u *unpacker) ([]byte, error) {
	name, n := u.number(), u.number()
	m.assist.mu.Lock()
	b, have := m.assist.held, m.assist.name
	m.assist.mu.Unlock()
	if b == nil || uint64(name) != have {
		return nil, errOther
	}
	if words := (b.task.Instances + 63) / 64; u.err != nil || n < 0 || n != len(u.bytes)/8/words || n*words*8 != len(u.bytes) {
		return nil, errTask
	}
	z := core.NewCoalitions(b.task.Instances, n)
	for range n {
		copy(bytesOf(z.AppendEmpty()), u.data(8*((b.task.Instances+63)/64)))
	}
	scores := make([]float64, n*b.task.Classes)
	if err := b.Evaluate(ctx, scores, z); err != nil {
		return nil, err
	}
	return bytesOf(scores), nil
}
