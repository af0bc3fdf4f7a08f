package masked

import (
	"context"

	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// A Runner runs a plan for one caller at a time. It reuses its memory from run to run.
type Runner struct {
	p *Plan
	m *machine.Machine
	Set
	deviceRun
	block
	members []int
	stacks  []stack   // (slot)
	sums    []float32 // sums of a portion of the coalitions
	running []float64 // sums of one coalition
	scale   []float64 // (divisor) reciprocals of one coalition
	near    kernel.NeighbourSums
	largest []float64 // (logit) largest logits of the members of one coalition
	fade    []float64 // (logit) factor of the sums when a row is added
	weight  []float64 // (logit) factor of a row when it is added
	bytes   int       // limit of the stacks
	bounded bool      // the limits have a Memory
	doubt   []bool    // (coalition) a divisor is too small to be trusted
}

// stack holds the rows of a slot for all coalitions. Every row begins at a word, so that rows of
// any type can be viewed as tensors.
type stack struct {
	slot
	count int // elements of a row
	words int // words of a row
	data  []uint64
}

// NewRunner returns a runner of the plan.
func NewRunner(p *Plan, l machine.Limits) *Runner {
	r := &Runner{m: machine.New(l), bytes: l.Bytes, bounded: l.Memory != nil}
	r.Serve(p)
	return r
}

// Serve makes r a runner of another plan. The memory of equal slots is reused.
func (r *Runner) Serve(p *Plan) {
	if r.p = p; len(r.stacks) != len(p.slots) {
		r.free()
		r.stacks = make([]stack, len(p.slots))
	}
	for i, s := range p.slots {
		if s.of != i || r.stacks[i].of != i { // the memory of another slot
			r.freeStack(i)
		}
		n, _ := tensor.Count(s.shape)
		r.stacks[i] = stack{slot: s, count: n, words: tensor.WordsFor(s.typ, n),
			data: r.stacks[i].data[:0]}
	}
}

// free frees the memory of all slots.
func (r *Runner) free() {
	for i := range r.stacks {
		r.freeStack(i)
	}
	r.block = block{}
}

// freeStack frees the memory of a slot, which may be that of another.
func (r *Runner) freeStack(i int) {
	s := &r.stacks[i]
	if s.of == i {
		r.m.Give(8 * cap(s.data))
	}
	s.data = nil
}

// Detach removes the plan, so that it can be freed while the runner is idle. Serve sets the next
// one. A runner with a bound of its memory frees it: a pool has several runners.
func (r *Runner) Detach() {
	r.p, r.Set = nil, Set{}
	if r.bounded {
		r.free()
		r.m.Trim()
	}
	r.m.Begin(context.Background())
}

// Run writes the scores of every coalition of a set to dst, (coalition, class). doubt marks the
// coalitions with untrusted scores: their members' weights are too small beside the largest weight
// of the bag. The caller must compute these in another way. doubt is valid until the next run.
// Errors are *fault.Limit, the cause of ctx, and those of operators.
func (r *Runner) Run(ctx context.Context, dst []float64, z Set) (doubt []bool, err error) {
	if r.p.Members() {
		return r.inBlocks(ctx, dst, z)
	}
	return r.part(ctx, dst, z)
}

// part runs the plan for a part of a set.
func (r *Runner) part(ctx context.Context, dst []float64, z Set) (doubt []bool, err error) {
	r.m.Begin(ctx)
	r.Set = z
	n := z.Len()
	if row := r.p.RowBytes(); row > r.bytes/max(n, 1) {
		return nil, &fault.Limit{What: "bytes of a run", Wanted: uint64(row) * uint64(n),
			Limit: uint64(r.bytes), Setting: "runBytes"}
	}
	// A plan of one sum writes the scores of neighbours in float64, without a slot.
	r.doubt = append(r.doubt[:0], make([]bool, n)...)
	if s := r.p.direct(); s != nil && z.Z == nil {
		return r.doubt, neighbourRows(s, r, dst, s.width)
	} else if s != nil && s.wide != nil {
		return r.doubt, wideRows(s, r, dst)
	}
	for i := range r.stacks {
		s := &r.stacks[i]
		if s.of != i {
			s.data = r.stacks[s.of].data // s.of < i: its memory is set already
			continue
		}
		if more := n*s.words - cap(s.data); more > 0 {
			if err := r.m.Take(8 * more); err != nil {
				return nil, err
			}
			s.data = make([]uint64, 0, n*s.words)
		}
		s.data = s.data[:n*s.words]
	}
	if err := r.poolOnDevice(); err != nil {
		return nil, err
	}
	r.beginBlock()
	for i, s := range r.p.steps {
		if err := s.run(r); err != nil {
			return nil, err
		}
		r.endStep(i)
	}
	// Scores are float64 for callers, whatever type the model computes in.
	s := &r.stacks[r.p.result]
	for j := range n {
		switch row := dst[j*s.count : (j+1)*s.count]; s.typ {
		case tensor.Float64:
			copy(row, view[float64](s, j))
		default:
			for i, v := range view[float32](s, j) {
				row[i] = float64(v)
			}
		}
	}
	return r.doubt, nil
}

// view returns row j of a stack.
func view[T tensor.Number](s *stack, j int) []T {
	return tensor.View[T](s.data[j*s.words:(j+1)*s.words], s.count)
}

// at makes t row j of a stack.
func (s *stack) at(t *tensor.Tensor, j int) {
	t.Type, t.Words, t.Block = s.typ, s.data[j*s.words:(j+1)*s.words], nil
	t.Shape = append(t.Shape[:0], s.shape...)
}
