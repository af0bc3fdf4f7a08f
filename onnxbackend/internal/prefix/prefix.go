package prefix

import (
	"context"
	"slices"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/workshare"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// A program is the prefix alone: from the bag to some encoded values. Several places may run it at
// a time.
type program struct {
	ids []int // IDs of the encoded values
	*plan.Program

	mu   sync.Mutex
	idle []*plan.Runner
}

// newProgram plans the way from the input to some values, and reports whether there is one.
func (e *Encoder) newProgram(ids []int) (*program, bool) {
	p, ok := plan.New(e.Graph, []int{e.Signature.Input().ID}, ids)
	return &program{ids: ids, Program: p}, ok
}

// run encodes some instances. The runner holds the values until it is put back.
func (p *program) run(
	ctx context.Context, e *Encoder, bag signature.Fitted,
) (*plan.Runner, error) {
	r := p.take(e)
	return r, e.Run(ctx, r, bag, nil)
}

func (p *program) take(e *Encoder) *plan.Runner {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		r := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return r
	}
	return plan.NewRunner(p.Program, e.Limits)
}

func (p *program) put(r *plan.Runner) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, r)
}

// task asks a helper for the encoded values of some instances. The reply has the values in order.
func (p *program) task(e *Encoder, part signature.Fitted) []byte {
	b := part.Bag
	t := workshare.NewTask(workshare.Encode, e.Fingerprint, workshare.Bit(b.Raw), len(b.Values))
	t.Numbers(p.ids...)
	t.Numbers(b.Shape...)
	t.Data(workshare.BytesOf(b.Values))
	return *t
}

// served is the prefix that a helper runs, which it keeps from one task to the next.
type served struct {
	mu      sync.Mutex
	program *program
}

// Serve does a task of kind workshare.Encode, of which head and u are the rest.
func (e *Encoder) Serve(
	ctx context.Context, head []int, u *workshare.Unpacker,
) (reply []byte, err error) {
	if len(head) != 2 {
		return nil, workshare.ErrMessage
	}
	ids, bag := u.Numbers(), &core.Bag{Raw: head[0] == 1}
	bag.Shape = u.Numbers()
	if u.Err() != nil || head[1] != len(u.Rest())/4 {
		return nil, workshare.ErrMessage
	}
	bag.Values = make([]float32, head[1])
	copy(workshare.BytesOf(bag.Values), u.Rest())
	p, err := e.servedProgram(ids)
	if err != nil {
		return nil, err
	}
	fitted, err := e.Signature.Fit(bag)
	if err != nil {
		return nil, err
	}
	r, err := p.run(ctx, e, fitted)
	if err != nil {
		return nil, err
	}
	defer p.put(r)
	var out workshare.Packer
	for _, id := range ids {
		out.Tensor(r.Value(id))
	}
	return out, nil
}

// servedProgram returns the way from the input to some values.
func (e *Encoder) servedProgram(ids []int) (*program, error) {
	s := &e.served
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.program == nil || !slices.Equal(s.program.ids, ids) {
		if !e.Graph.Has(ids...) {
			return nil, workshare.ErrMessage
		}
		p, ok := e.newProgram(ids)
		if !ok {
			return nil, workshare.ErrOther
		}
		s.program = p
	}
	return s.program, nil
}
