package masked

import (
	"context"

	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// A Runner holds the memory of one batch at a time.
type Runner struct {
	p *Plan
	m *machine.Machine
	Set
	deviceRun
	members []int
	stacks  []stack
	sums    []float32 // of a portion of the coalitions
	running []float64 // the sums of one coalition
	scale   []float64 // (divisor) what the sums of a coalition are multiplied by
	near    kernel.NeighbourSums
	largest []float64 // (logit) of the members of one coalition
	fade    []float64 // (logit) what sums are multiplied by when a row is added
	weight  []float64 // (logit) what a row is multiplied by when it is added
	bytes   int       // that the stacks may take
	doubt   []bool    // (coalition) what was pooled is too small to be trusted
}

// stack holds a row for each coalition, each at a word of its own.
type stack struct {
	slot
	count int // elements of a row
	words int // of a row
	data  []uint64
}

// NewRunner returns a runner of the plan.
func NewRunner(p *Plan, l machine.Limits) *Runner {
	r := &Runner{m: machine.New(l), bytes: l.Bytes}
	r.Serve(p)
	return r
}

// Serve makes r a runner of another plan, in the memory that it has.
func (r *Runner) Serve(p *Plan) {
	if r.p = p; len(r.stacks) != len(p.slots) {
		r.stacks = make([]stack, len(p.slots))
	}
	for i, s := range p.slots {
		n, _ := tensor.Count(s.shape)
		r.stacks[i] = stack{slot: s, count: n, words: tensor.WordsFor(s.typ, n),
			data: r.stacks[i].data[:0]}
	}
}

// Rest lets go of the plan, until the next Serve.
func (r *Runner) Rest() { r.p, r.Set = nil, Set{} }

// Run computes the scores of every coalition of a set. Those it cannot answer for, because the
// weights of their members are lost beside the bag's largest, are marked in doubt, valid until the
// next run.
func (r *Runner) Run(ctx context.Context, dst []float64, z Set) (doubt []bool, err error) {
	r.m.Begin(ctx)
	r.Set = z
	n := z.Len()
	if row := r.p.RowBytes(); row > r.bytes/max(n, 1) {
		return nil, &fault.Limit{What: "bytes of a run", Wanted: uint64(row) * uint64(n),
			Limit: uint64(r.bytes)}
	}
	r.doubt = append(r.doubt[:0], make([]bool, n)...)
	if s := r.p.direct(); s != nil && z.Z == nil {
		return r.doubt, neighbourRows(s, r, dst, s.width)
	}
	for i := range r.stacks {
		s := &r.stacks[i]
		if s.of != i {
			s.data = r.stacks[s.of].data // which comes before
			continue
		}
		if need := n * s.words; cap(s.data) < need {
			s.data = make([]uint64, need)
		} else {
			s.data = s.data[:need]
		}
	}
	if err := r.fetch(); err != nil {
		return nil, err
	}
	for _, s := range r.p.steps {
		if err := s.run(r); err != nil {
			return nil, err
		}
	}
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

// view returns row j.
func view[T tensor.Number](s *stack, j int) []T {
	return tensor.View[T](s.data[j*s.words:(j+1)*s.words], s.count)
}

// at makes t row j of a stack.
func (s *stack) at(t *tensor.Tensor, j int) {
	t.Type, t.Words, t.Block = s.typ, s.data[j*s.words:(j+1)*s.words], nil
	t.Shape = append(t.Shape[:0], s.shape...)
}
