package onnxbackend

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/signature"
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
	defer fault.Rescue(&err)
	u := &unpacker{bytes: task}
	head := u.numbers()
	if len(head) < 2 {
		return nil, errTask
	}
	if head[1] != m.print {
		return nil, errOther
	}
	switch kind, head := head[0], head[2:]; {
	case kind == taskEncode && len(head) == 2:
		return m.assistEncode(ctx, u, head[0] == 1, head[1])
	case kind == taskHold && len(head) == 5:
		return nil, m.assistHold(u, head[0], head[1], head[2], head[3], head[4])
	case kind == taskScore && len(head) == 2:
		return m.assistScore(ctx, u, head[0], head[1])
	}
	return nil, errTask
}

// task begins a task.
func (m *Model) task(kind int, head ...int) *packer {
	p := &packer{}
	p.numbers(append([]int{kind, m.print}, head...)...)
	return p
}

// printOf tells graphs apart whose values may have other numbers, by a part of the file's digest.
func printOf(digest []byte, plain bool) int {
	return int(binary.LittleEndian.Uint64(digest)>>2)<<1 | bit(plain)
}

func (m *Model) assistEncode(ctx context.Context, u *unpacker, raw bool, values int) ([]byte, error) {
	bag, ids := &core.Bag{Raw: raw}, u.numbers()
	bag.Shape = u.numbers()
	if u.err != nil || values != len(u.bytes)/4 {
		return nil, errTask
	}
	bag.Values = make([]float32, values)
	copy(bytesOf(bag.Values), u.bytes)
	f, err := m.assist.encoder(m, ids)
	if err != nil {
		return nil, err
	}
	fitted, err := m.sig.Fit(bag)
	if err != nil {
		return nil, err
	}
	r, err := f.encode(ctx, m, fitted)
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
	output := slices.IndexFunc(b.m.g.Outputs, func(p graph.Port) bool { return p.ID == b.scores.ID })
	t := b.m.task(taskHold, int(b.name), b.task.Instances, b.task.Classes, output, len(b.cut.held))
	for _, h := range b.cut.held {
		t.numbers(h.id, h.axis, bit(h.fixed), bit(h.sizes))
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

func (m *Model) assistHold(u *unpacker, name, k, classes, output, n int) error {
	if k < 1 || classes < 1 || output < 0 || output >= len(m.g.Outputs) || n < 0 || n > len(u.bytes) {
		return errTask
	}
	b := &Bound{m: m, scores: &signature.ClassOutput{Port: m.g.Outputs[output]}, cut: &cut{route: &route{}}}
	b.task.Instances, b.task.Classes = k, classes
	var ids []int
	for range n {
		f := u.numbers()
		t, shape, data := u.tensor()
		if u.err != nil || len(f) != 4 || f[1] < 0 || f[1] >= len(shape) && f[2] == 0 || m.known(f[:1]) != nil {
			return errTask
		}
		h := held{id: f[0], axis: f[1], fixed: f[2] == 1, sizes: f[3] == 1, value: tensor.New(t, shape...)}
		copy(h.value.Bytes(), data)
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
	t := b.m.task(taskScore, int(b.name), z.Len())
	t.data(bytesOf(z.Words()))
	return *t
}

func (m *Model) assistScore(ctx context.Context, u *unpacker, name, n int) ([]byte, error) {
	m.assist.mu.Lock()
	b, have := m.assist.held, m.assist.name
	m.assist.mu.Unlock()
	if b == nil || uint64(name) != have {
		return nil, errOther
	}
	if words := (b.task.Instances + 63) / 64; n < 0 || n != len(u.bytes)/8/words || n*words*8 != len(u.bytes) {
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
