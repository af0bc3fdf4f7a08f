package tensor

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/bagscope/bagscope/internal/msg"
)

// A Tensor is a dense array in row-major order. A tensor of no dimension is a scalar.
type Tensor struct {
	Type  Type
	Shape []int
	Words []uint64 // elements in memory order; Of returns them with their type
	Block *Block   // reusable memory of Words, nil for constants
	Half  Type     // 16-bit type of a constant in the file, or Undefined
}

// A Block is memory that several tensors may share, such as a matrix and its reshaped view. Refs is
// their number; package machine reuses the block when it is zero.
type Block struct {
	Words []uint64
	Refs  int
}

// Number has the Go types of elements.
type Number interface {
	~float32 | ~float64 | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Of returns the elements of t, which share its memory. T must have the size of t's type, else Of
// panics. Bools are uint8, 0 or 1.
func Of[T Number](t *Tensor) []T {
	var zero T
	t.mustHold(int(unsafe.Sizeof(zero)))
	return View[T](t.Words, t.Len())
}

// mustHold panics unless elements have the size. It is a function of its own, so that Of is
// inlined.
func (t *Tensor) mustHold(size int) {
	if size != t.Type.Size() {
		panic(msg.Sprintf("tensor of %v read as elements of %d bytes", t.Type, size))
	}
}

// View returns the first n elements of type T in words. It panics if words are too few.
func View[T Number](words []uint64, n int) []T {
	if n == 0 {
		return nil
	}
	var zero T
	if len(words)*8 < n*int(unsafe.Sizeof(zero)) {
		panic("tensor: more elements than memory")
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(words))), n)
}

// WordsFor returns the number of words for n elements of a type.
func WordsFor(t Type, n int) int { return (n*t.Size() + 7) / 8 }

// New returns a tensor of zeros in memory of its own. It panics if the shape overflows: callers
// check shapes of files by Count.
func New(t Type, shape ...int) *Tensor {
	n, ok := Count(shape)
	if !ok {
		panic("tensor: shape overflows")
	}
	return &Tensor{Type: t, Shape: append([]int{}, shape...), Words: make([]uint64, WordsFor(t, n))}
}

// From returns a tensor with a copy of the values, in memory of its own.
func From[T Number](t Type, values []T, shape ...int) *Tensor {
	x := New(t, shape...)
	copy(Of[T](x), values)
	return x
}

// Empty returns n tensors without type and memory. Operators set them as outputs.
func Empty(n int) []*Tensor {
	list := make([]*Tensor, n)
	for i := range list {
		list[i] = &Tensor{}
	}
	return list
}

// Len returns the number of elements.
func (t *Tensor) Len() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// Rank returns the number of dimensions.
func (t *Tensor) Rank() int { return len(t.Shape) }

// Clone returns a copy in memory of its own.
func (t *Tensor) Clone() *Tensor {
	x := New(t.Type, t.Shape...)
	copy(x.Words, t.Words[:len(x.Words)])
	return x
}

// LowBits returns the lowest bits of v, as many as an element of type t has, as the byte that
// stores the element. Int4 and Int2 are extended by their sign.
func LowBits(t Type, v uint8) uint8 {
	spare := 8 - t.Bits()
	if t == Int4 || t == Int2 {
		return uint8(int8(v<<spare) >> spare)
	}
	return v << spare >> spare
}

// Count returns the number of elements of a shape. It reports false if a dimension is negative, or
// if eight times the product of the dimensions other than zero overflows an int. If it reports
// true, products of any of the dimensions, and their sizes in bytes, are safe.
func Count(shape []int) (int, bool) {
	n := uint64(1)
	for _, d := range shape {
		if d < 0 {
			return 0, false
		}
		hi, lo := bits.Mul64(n, uint64(max(d, 1)))
		if hi != 0 || lo > math.MaxInt/8 {
			return 0, false
		}
		n = lo
	}
	if slices.Contains(shape, 0) {
		return 0, true
	}
	return int(n), true
}

// Strides returns the row-major strides of a shape, in elements.
func Strides(shape []int) []int {
	s := make([]int, len(shape))
	n := 1
	for i := len(shape) - 1; i >= 0; i-- {
		s[i] = n
		n *= shape[i]
	}
	return s
}

// Split returns the sizes before, at and after an axis of a shape. Element (o, i, j) of these three
// lies at (o*n + i)*inner + j.
func Split(shape []int, axis int) (outer, n, inner int) {
	outer, inner = 1, 1
	for _, d := range shape[:axis] {
		outer *= d
	}
	for _, d := range shape[axis+1:] {
		inner *= d
	}
	return outer, shape[axis], inner
}

// Axis returns an axis counted from the front; a negative one counts from the end. It reports false
// if a tensor of the rank does not have the axis.
func Axis(axis, rank int) (int, bool) {
	if axis < -rank || axis >= rank {
		return 0, false
	}
	if axis < 0 {
		axis += rank
	}
	return axis, true
}

// Bytes returns the memory of the elements, shared with t.
func (t *Tensor) Bytes() []byte { return View[byte](t.Words, t.Len()*t.Type.Size()) }
