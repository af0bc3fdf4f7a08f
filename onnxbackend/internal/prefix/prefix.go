package prefix

import (
	"context"
	"slices"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/internal/workshare"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// A program is the prefix alone: from the bag to some encoded values. Several goroutines may run it
// at a time.
type program struct {
	ids []int // IDs of the encoded values
	*plan.Program

	idle sync.Pool // holds *plan.Runner
}

// newProgram plans the way from the input to some values, and reports whether there is one.
func (e *Encoder) newProgram(ids []int) (*program, bool) {
	given := []int{e.Signature.Input().ID} // and no relations, which a prefix does not read
	for _, c := range e.Signature.Covariates() {
		given = append(given, c.ID)
	}
	p, ok := plan.New(e.Graph, given, ids)
	newRunner := func() any { return plan.NewRunner(p, e.Limits) }
	return &program{ids: ids, Program: p, idle: sync.Pool{New: newRunner}}, ok
}

// run encodes some instances on the CPU. The runner holds the values until it is put back.
func (p *program) run(
	ctx context.Context, e *Encoder, bag signature.Fitted,
) (*plan.Runner, error) {
	r := p.runner()
	return r, e.RunOnCPU(ctx, r, bag)
}

// runner returns an idle runner or a new one.
func (p *program) runner() *plan.Runner { return p.idle.Get().(*plan.Runner) }

// put keeps a runner for the next block.
func (p *program) put(r *plan.Runner) { p.idle.Put(r) }

// task returns the task that encodes some instances. The reply has the encoded values in order.
func (p *program) task(e *Encoder, part signature.Fitted) []byte {
	b := part.Bag
	t := workshare.NewTask(workshare.Encode, e.Fingerprint, workshare.Bit(b.Raw), len(b.Values))
	t.Numbers(p.ids...)
	t.Numbers(b.Shape...)
	for i := range e.Signature.Covariates() {
		t.Tensor(part.Covariate(i))
	}
	t.Data(workshare.BytesOf(b.Values))
	return *t
}

// latest is the program that ran last. It stays from one bag or task to the next, because all
// blocks of a slide are encoded to the same values: its runners and their memory are used again.
type latest struct {
	mu      sync.Mutex
	program *program
}

// Serve does a task of kind workshare.Encode. head and u are the rest of the task, which another
// program wrote, so that each size is checked. Errors are workshare.ErrMessage and ErrOther, and
// those of a run.
func (e *Encoder) Serve(
	ctx context.Context, head []int, u *workshare.Unpacker,
) (reply []byte, err error) {
	if len(head) != 2 {
		return nil, workshare.ErrMessage
	}
	ids, bag := u.Numbers(), &core.Bag{Raw: head[0] == 1}
	bag.Shape = u.Numbers()
	for _, c := range e.Signature.Covariates() {
		typ, shape, data := u.Tensor()
		if u.Err() != nil {
			return nil, workshare.ErrMessage
		}
		t := tensor.New(typ, shape...)
		copy(t.Bytes(), data)
		values, err := t.Float64s()
		if err != nil {
			return nil, workshare.ErrMessage
		}
		bag.Covariates = append(bag.Covariates, core.Covariate{Name: c.Name, Values: values})
	}
	if u.Err() != nil || head[1] != len(u.Rest())/4 {
		return nil, workshare.ErrMessage
	}
	bag.Values = make([]float32, head[1])
	copy(workshare.BytesOf(bag.Values), u.Rest())
	if !e.Graph.Has(ids...) {
		return nil, workshare.ErrMessage
	}
	p, ok := e.programTo(ids)
	if !ok {
		return nil, workshare.ErrOther
	}
	fitted, err := e.Signature.FitInstances(bag)
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

// programTo returns the program from the input to some values, and reports whether there is one. It
// is the program of the call before if that has the same values.
func (e *Encoder) programTo(ids []int) (*program, bool) {
	l := &e.latest
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.program == nil || !slices.Equal(l.program.ids, ids) {
		p, ok := e.newProgram(ids)
		if !ok {
			return nil, false
		}
		l.program = p
	}
	return l.program, true
}
