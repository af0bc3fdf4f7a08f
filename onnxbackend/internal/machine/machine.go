// Package machine gives the operators of one run their memory and watches its cost.
package machine

import (
	"context"
	"math"
	"math/bits"
	"unsafe"

	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Limits bound what a run may take.
type Limits struct {
	Elements int // of one tensor
	Bytes    int // held at a time
	Trips    int // of one loop
	Work     int // of one run, as Tick counts it; 0 is no bound
}

// A Machine serves one run at a time. Memory that a run gives back is used again, by this run or a
// later one.
type Machine struct {
	limits  Limits
	ctx     context.Context
	pending int // work since ctx was looked at
	spent   int // work of this run
	live    int // words handed out
	kept    int // words in free
	free    [64 * 8][]*tensor.Block
	scratch []*tensor.Block
	ints    []int // what Ints gives
	given   int   // of ints
}

// New returns a machine without memory.
func New(l Limits) *Machine {
	return &Machine{limits: l, ctx: context.Background()}
}

// Begin starts a run that ends with ctx, when every tensor of earlier runs has been released. What
// an operator that failed has left over is forgotten.
func (m *Machine) Begin(ctx context.Context) { m.ctx, m.pending, m.spent, m.live = ctx, 0, 0, 0 }

// Spent returns the work that the run has told Tick of.
func (m *Machine) Spent() int { return m.spent }

// Context returns what the run ends with.
func (m *Machine) Context() context.Context { return m.ctx }

// Cause returns why the run has been cancelled, nil when it has not.
func (m *Machine) Cause() error {
	if m.ctx.Err() == nil {
		return nil
	}
	return context.Cause(m.ctx)
}

// checkEvery is the work, in multiplications or elements touched, after which a run looks at its
// context: one or two milliseconds.
const checkEvery = 1 << 21

// Tick tells that about so much work, in multiplications or elements touched, is going to be done.
// Operators call it at least every few million. It returns the cause when the run has been
// cancelled, and an error when its work is beyond the limit.
func (m *Machine) Tick(work int) error {
	if work < 0 { // beyond an int
		work = math.MaxInt
	}
	m.pending += work
	m.spent += min(work, math.MaxInt-m.spent)
	if uint(m.pending) < checkEvery { // so is a negative sum
		return nil
	}
	m.pending = 0
	if limit := m.limits.Work; limit > 0 && m.spent > limit {
		return &fault.Limit{What: "units of work in a run", Wanted: uint64(m.spent),
			Limit: uint64(limit)}
	}
	return m.Cause()
}

// Trips checks how often a loop is to be run.
func (m *Machine) Trips(n int) error {
	if n > m.limits.Trips {
		return &fault.Limit{What: "trips of a loop", Wanted: uint64(n),
			Limit: uint64(m.limits.Trips)}
	}
	return nil
}

// class returns the size class of n words and its size: eight classes to each power of two.
func class(n int) (index, words int) {
	if n <= 16 {
		return 0, 16
	}
	e := bits.Len(uint(n-1)) - 4
	step := 1 << e
	words = (n + step - 1) &^ (step - 1)
	return e*8 + words>>e&7, words
}

// Alloc makes out a tensor of the type and shape. Its elements are undefined.
func (m *Machine) Alloc(out *tensor.Tensor, t tensor.Type, shape ...int) error {
	n, ok := tensor.Count(shape)
	if !ok {
		return &fault.Limit{What: "elements of a tensor", Limit: uint64(m.limits.Elements)}
	}
	if n > m.limits.Elements {
		return &fault.Limit{What: "elements of a tensor", Wanted: uint64(n),
			Limit: uint64(m.limits.Elements)}
	}
	b, err := m.block(tensor.WordsFor(t, n))
	if err != nil {
		return err
	}
	out.Type, out.Block, out.Words = t, b, b.Words
	out.Shape = append(out.Shape[:0], shape...)
	return nil
}

// Share makes out a view of in with another shape of as many elements.
func (m *Machine) Share(out, in *tensor.Tensor, shape []int) {
	out.Type, out.Block, out.Words = in.Type, in.Block, in.Words
	out.Shape = append(out.Shape[:0], shape...)
	if in.Block != nil {
		in.Block.Refs++
	}
}

// Scratch returns n elements of undefined value that are valid until the operator returns.
func Scratch[T tensor.Number](m *Machine, n int) ([]T, error) {
	if n < 0 || n > math.MaxInt/16 {
		return nil, &fault.Limit{What: "bytes of a run", Limit: uint64(m.limits.Bytes)}
	}
	var zero T
	b, err := m.block((n*int(unsafe.Sizeof(zero)) + 7) / 8)
	if err != nil {
		return nil, err
	}
	m.scratch = append(m.scratch, b)
	return tensor.View[T](b.Words, n), nil
}

// AtEnd lets go of t when the operator returns.
func (m *Machine) AtEnd(t *tensor.Tensor) {
	if t.Block != nil {
		m.scratch = append(m.scratch, t.Block)
	}
}

// Ints returns n zeros that are valid until the operator returns or runs a body: shapes, strides
// and counters. From the allocator, a transformer of two layers took 466 of them for each
// coalition.
func (m *Machine) Ints(n int) []int {
	if n > len(m.ints)-m.given {
		// lists given before stay with their holders
		m.ints, m.given = make([]int, max(256, n, 2*len(m.ints))), 0
	}
	v := m.ints[m.given : m.given+n : m.given+n]
	m.given += n
	clear(v)
	return v
}

// EndNode takes back what Scratch and Ints gave.
func (m *Machine) EndNode() {
	m.given = 0
	for _, b := range m.scratch {
		m.release(b)
	}
	m.scratch = m.scratch[:0]
}

// Release takes back the memory of t, unless another tensor shares it.
func (m *Machine) Release(t *tensor.Tensor) {
	if t.Block != nil {
		m.release(t.Block)
	}
	t.Block, t.Words = nil, nil
}

// Keep returns t with memory that outlives the machine: its own where no other tensor shares it,
// else a copy. t is released.
func (m *Machine) Keep(t *tensor.Tensor) *tensor.Tensor {
	if t.Block == nil || t.Block.Refs > 1 {
		defer m.Release(t)
		return t.Clone()
	}
	_, words := class(len(t.Block.Words))
	m.live -= words
	kept := &tensor.Tensor{Type: t.Type, Shape: append([]int{}, t.Shape...), Words: t.Words}
	t.Block, t.Words = nil, nil
	return kept
}

func (m *Machine) release(b *tensor.Block) {
	if b.Refs--; b.Refs > 0 {
		return
	}
	c, words := class(len(b.Words))
	m.live -= words
	m.kept += words
	m.free[c] = append(m.free[c], b)
}

func (m *Machine) block(n int) (*tensor.Block, error) {
	c, words := class(n)
	limit := m.limits.Bytes / 8
	if words > limit-m.live {
		return nil, &fault.Limit{What: "bytes of a run", Wanted: uint64(m.live+words) * 8,
			Limit: uint64(m.limits.Bytes)}
	}
	m.live += words
	if f := m.free[c]; len(f) > 0 {
		b := f[len(f)-1]
		m.free[c] = f[:len(f)-1]
		m.kept -= words
		b.Refs = 1
		return b, nil
	}
	if m.kept > limit-m.live {
		m.Trim()
	}
	return &tensor.Block{Words: make([]uint64, words), Refs: 1}, nil
}

// Held returns the bytes that the run has taken so far: those of tensors and scratch, and what they
// gave back.
func (m *Machine) Held() int { return (m.live + m.kept) * 8 }

// Spare returns the bytes of memory that no tensor holds and that a later run may use.
func (m *Machine) Spare() int { return m.kept * 8 }

// Trim lets go of memory that no tensor holds.
func (m *Machine) Trim() {
	clear(m.free[:])
	m.kept = 0
}
