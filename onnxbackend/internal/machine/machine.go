// Package machine allocates the memory of a run's operators, and enforces the limits of memory,
// work and time. It reuses memory: a run for each coalition would otherwise leave megabytes of
// garbage per coalition.
package machine

import (
	"context"
	"math"
	"math/bits"
	"runtime"
	"unsafe"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Limits bound the resources of a run.
type Limits struct {
	Elements int // elements of one tensor
	Bytes    int // bytes in use at a time
	Trips    int // iterations of one loop
	Work     int // work of one run, as Tick counts it; 0 for no limit

	// Memory reserves what machines hold, unless the context of a run has a Memory; nil for no
	// bound beside Bytes.
	Memory *core.Memory
}

// A Machine serves one run at a time. Memory that a run releases is reused by this run or later
// ones. It is not safe for concurrent use.
type Machine struct {
	limits  Limits
	ctx     context.Context
	pending int                     // work since the context was checked
	spent   int                     // work of this run
	live    int                     // words in use
	idle    int                     // words in free
	free    [64 * 8][]*tensor.Block // (size class)
	scratch []*tensor.Block         // released at the end of the operator
	ints    []int                   // memory of Ints
	given   int                     // used elements of ints
	*account
}

// New returns a machine without memory.
func New(l Limits) *Machine {
	m := &Machine{limits: l, ctx: context.Background(), account: &account{memory: l.Memory}}
	if l.Memory != nil { // pools drop idle machines without notice
		runtime.AddCleanup(m, (*account).close, m.account)
	}
	return m
}

// Begin starts a run that ends with ctx. Every tensor of earlier runs must have been released.
// Memory that a failed operator did not release does not count any more; the garbage collector
// frees it. What the machine holds is reserved in the Memory of ctx, or else in that of its limits.
func (m *Machine) Begin(ctx context.Context) {
	m.unreserve(8 * max(0, m.live))
	m.ctx, m.pending, m.spent, m.live = ctx, 0, 0, 0
	to := core.MemoryOf(ctx)
	if to == nil {
		to = m.limits.Memory
	}
	if to != m.memory && m.move(to) != nil {
		m.drop()
	}
}

// Spent returns the work of the run so far, as Tick counts it.
func (m *Machine) Spent() int { return m.spent }

// Context returns the context of the run.
func (m *Machine) Context() context.Context { return m.ctx }

// Cause returns the cause of the run's cancellation, or nil if the run is not cancelled.
func (m *Machine) Cause() error {
	if m.ctx.Err() == nil {
		return nil
	}
	return context.Cause(m.ctx)
}

// checkEvery is the work, in multiplications or elements touched, between two checks of the
// context: one or two milliseconds.
const checkEvery = 1 << 21

// Tick counts work that will be done next, in multiplications or elements touched; an estimate is
// enough. Operators call it at least every few million. It returns the cause if the run is
// cancelled, and a *fault.Limit if its work exceeds the limit.
func (m *Machine) Tick(work int) error {
	if work < 0 { // the caller's product has overflowed
		work = math.MaxInt
	}
	m.pending += work
	m.spent += min(work, math.MaxInt-m.spent)
	if uint(m.pending) < checkEvery { // an overflowed sum is negative, and large as uint
		return nil
	}
	m.pending = 0
	if limit := m.limits.Work; limit > 0 && m.spent > limit {
		return &fault.Limit{What: "units of work in a run", Wanted: uint64(m.spent),
			Limit: uint64(limit), Setting: "work"}
	}
	return m.Cause()
}

// Trips returns a *fault.Limit if a loop of n iterations exceeds the limit.
func (m *Machine) Trips(n int) error {
	if n > m.limits.Trips {
		return &fault.Limit{What: "trips of a loop", Wanted: uint64(n),
			Limit: uint64(m.limits.Trips), Setting: "loopTrips"}
	}
	return nil
}

// class returns the size class of n words and its size. There are eight classes for each power of
// two: at most an eighth of a block is unused.
func class(n int) (index, words int) {
	if n <= 16 {
		return 0, 16
	}
	e := bits.Len(uint(n-1)) - 4
	step := 1 << e
	words = (n + step - 1) &^ (step - 1)
	return e*8 + words>>e&7, words
}

// Alloc makes out a tensor of a type and shape. Its elements are undefined. The error is a
// *fault.Limit.
func (m *Machine) Alloc(out *tensor.Tensor, t tensor.Type, shape ...int) error {
	if err := m.Fits(shape); err != nil {
		return err
	}
	n, _ := tensor.Count(shape)
	b, err := m.block(tensor.WordsFor(t, n))
	if err != nil {
		return err
	}
	out.Type, out.Block, out.Words = t, b, b.Words
	out.Shape = append(out.Shape[:0], shape...)
	return nil
}

// Fits returns a *fault.Limit if a tensor of a shape has more elements than a tensor may have.
// Operators that compute a tensor in several steps call it before the first one.
func (m *Machine) Fits(shape []int) error {
	n, ok := tensor.Count(shape)
	if !ok {
		return &fault.Limit{What: "elements of a tensor", Limit: uint64(m.limits.Elements),
			Setting: "elements"}
	}
	if n > m.limits.Elements {
		return &fault.Limit{What: "elements of a tensor", Wanted: uint64(n),
			Limit: uint64(m.limits.Elements), Setting: "elements"}
	}
	return nil
}

// Share makes out a view of in with another shape of the same number of elements. The memory is
// freed after both are released.
func (m *Machine) Share(out, in *tensor.Tensor, shape []int) {
	out.Type, out.Block, out.Words = in.Type, in.Block, in.Words
	out.Shape = append(out.Shape[:0], shape...)
	if in.Block != nil {
		in.Block.Refs++
	}
}

// Scratch returns n elements of undefined value, which are valid until the operator returns.
func Scratch[T tensor.Number](m *Machine, n int) ([]T, error) {
	if n < 0 || n > math.MaxInt/16 {
		return nil, &fault.Limit{What: "bytes of a run", Limit: uint64(m.limits.Bytes),
			Setting: "runBytes"}
	}
	var zero T
	b, err := m.block((n*int(unsafe.Sizeof(zero)) + 7) / 8)
	if err != nil {
		return nil, err
	}
	m.scratch = append(m.scratch, b)
	return tensor.View[T](b.Words, n), nil
}

// AtEnd releases t when the operator returns.
func (m *Machine) AtEnd(t *tensor.Tensor) {
	if t.Block != nil {
		m.scratch = append(m.scratch, t.Block)
	}
}

// Ints returns n zeros for shapes, strides and counters. They are valid until the operator returns
// or runs a body. Operators need hundreds of such lists for a coalition, which would be garbage.
func (m *Machine) Ints(n int) []int {
	if n > len(m.ints)-m.given {
		// Earlier lists stay valid: their holders refer to the old memory.
		m.ints, m.given = make([]int, max(256, n, 2*len(m.ints))), 0
	}
	v := m.ints[m.given : m.given+n : m.given+n]
	m.given += n
	clear(v)
	return v
}

// EndNode releases the memory of Scratch, AtEnd and Ints. It must be called after each operator.
func (m *Machine) EndNode() {
	m.given = 0
	for _, b := range m.scratch {
		m.release(b)
	}
	m.scratch = m.scratch[:0]
}

// Release releases the memory of t, unless another tensor shares it.
func (m *Machine) Release(t *tensor.Tensor) {
	if t.Block != nil {
		m.release(t.Block)
	}
	t.Block, t.Words = nil, nil
}

// Keep releases t and returns a tensor with the same elements whose memory outlives the run: t's
// own memory, or a copy if another tensor shares it.
func (m *Machine) Keep(t *tensor.Tensor) *tensor.Tensor {
	if t.Block == nil || t.Block.Refs > 1 {
		defer m.Release(t)
		return t.Clone()
	}
	out := &tensor.Tensor{Type: t.Type, Shape: append([]int{}, t.Shape...), Words: t.Words}
	m.Leave(t)
	return out
}

// Leave makes the caller the owner of the memory of t. It stays reserved until the Memory of the
// run is closed.
func (m *Machine) Leave(t *tensor.Tensor) {
	if t.Block != nil {
		_, words := class(len(t.Block.Words))
		m.live -= words
		m.bytes -= 8 * int64(words)
	}
	t.Block, t.Words = nil, nil
}

// Outlive reserves n bytes beside the machine's own, which stay reserved until the Memory of the
// run is closed.
func (m *Machine) Outlive(n int) error { return m.memory.Reserve(int64(n), purpose) }

// release ends one reference to a block.
func (m *Machine) release(b *tensor.Block) {
	if b.Refs--; b.Refs > 0 {
		return
	}
	c, words := class(len(b.Words))
	m.live -= words
	m.idle += words
	m.free[c] = append(m.free[c], b)
}

// block returns a block of at least n words, an idle one if there is one.
func (m *Machine) block(n int) (*tensor.Block, error) {
	c, words := class(n)
	limit := m.limits.Bytes / 8
	if words > limit-m.live {
		return nil, &fault.Limit{What: "bytes of a run", Wanted: uint64(m.live+words) * 8,
			Limit: uint64(m.limits.Bytes), Setting: "runBytes"}
	}
	m.live += words
	if f := m.free[c]; len(f) > 0 {
		b := f[len(f)-1]
		m.free[c] = f[:len(f)-1]
		m.idle -= words
		b.Refs = 1
		return b, nil
	}
	if m.idle > limit-m.live { // live and idle memory together must not exceed the limit
		m.Trim()
	}
	if err := m.reserve(words); err != nil {
		m.live -= words
		return nil, err
	}
	return &tensor.Block{Words: make([]uint64, words), Refs: 1}, nil
}

// Held returns the bytes of tensors, scratch and idle memory.
func (m *Machine) Held() int { return (m.live + m.idle) * 8 }

// Spare returns the bytes of idle memory, which later runs may use.
func (m *Machine) Spare() int { return m.idle * 8 }

// Trim frees idle memory.
func (m *Machine) Trim() {
	m.unreserve(8 * m.idle)
	m.drop()
}

// drop forgets idle memory.
func (m *Machine) drop() {
	clear(m.free[:])
	m.idle = 0
}
