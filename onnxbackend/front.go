package onnxbackend

import (
	"context"
	"sync"

	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/workshare"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// A front is the part of a graph that encodes instances, each alone. Several places may run it at a time.
type front struct {
	ids     []int // of the encoded values
	program *plan.Program

	mu   sync.Mutex
	idle []*plan.Runner
}

// newFront plans the way from the input to some values. It reports whether there is one.
func newFront(m *Model, ids []int) (*front, bool) {
	p, ok := plan.New(m.g, []int{m.sig.Input().ID}, ids)
	return &front{ids: ids, program: p}, ok
}

// encode runs the front on some instances. The runner holds the values until it is put back.
func (f *front) encode(ctx context.Context, m *Model, bag signature.Fitted) (*plan.Runner, error) {
	r := f.take(m)
	return r, m.run(ctx, r, bag, nil)
}

func (f *front) take(m *Model) *plan.Runner {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.idle); n > 0 {
		r := f.idle[n-1]
		f.idle = f.idle[:n-1]
		return r
	}
	return plan.NewRunner(f.program, m.limits.run())
}

func (f *front) put(r *plan.Runner) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.idle = append(f.idle, r)
}

// task asks for the encoded values of some instances. Reply: the values in order.
func (f *front) task(m *Model, part signature.Fitted) []byte {
	b := part.Bag
	t := workshare.NewTask(workshare.Encode, m.fingerprint, workshare.Bit(b.Raw), len(b.Values))
	t.Numbers(f.ids...)
	t.Numbers(b.Shape...)
	t.Data(workshare.BytesOf(b.Values))
	return *t
}
