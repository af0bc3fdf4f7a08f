package onnxbackend

import (
	"encoding/binary"
	"errors"
	"unsafe"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Kinds of task that a helper does. A task is lists of numbers, of which the first begins with the kind and the model's print, and
// elements as they lie in memory, for tasks stay on one machine.
const (
	taskEncode = iota // some instances: what the prefix makes of them
	taskHold          // the values that coalitions gather from, to be kept
	taskScore         // coalitions: their scores
)

// A packer writes a task or a reply.
type packer []byte

func (p *packer) data(b []byte) { *p = append(*p, b...) }

// numbers writes how many numbers there are and then each, in 8 bytes, little-endian.
func (p *packer) numbers(list ...int) {
	*p = binary.LittleEndian.AppendUint64(*p, uint64(len(list)))
	for _, n := range list {
		*p = binary.LittleEndian.AppendUint64(*p, uint64(n))
	}
}

func (p *packer) tensor(t *tensor.Tensor) {
	p.numbers(append([]int{int(t.Type)}, t.Shape...)...)
	p.data(t.Bytes())
}

// errTask says that a task or a reply is none.
var errTask = errors.New("a message between helpers of one bag cannot be read")

// An unpacker reads a task or a reply. After an error it gives zeros.
type unpacker struct {
	bytes []byte
	err   error
}

func (u *unpacker) data(n int) []byte {
	if n < 0 || n > len(u.bytes) {
		u.bytes, u.err = nil, errTask
		return nil
	}
	b := u.bytes[:n:n]
	u.bytes = u.bytes[n:]
	return b
}

func (u *unpacker) numbers() []int {
	n := uint64(0)
	if b := u.data(8); b != nil {
		n = binary.LittleEndian.Uint64(b)
	}
	if n > uint64(len(u.bytes)/8) {
		u.bytes, u.err = nil, errTask
		return nil
	}
	b, list := u.data(8*int(n)), make([]int, n)
	for i := range list {
		list[i] = int(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return list
}

// tensor reads a tensor's type, shape and elements, which stay where they are.
func (u *unpacker) tensor() (t tensor.Type, shape []int, data []byte) {
	if list := u.numbers(); len(list) > 0 {
		t, shape = tensor.Type(list[0]), list[1:]
	}
	n, ok := tensor.Count(shape)
	if !ok || t.Size() == 0 || n > len(u.bytes)/t.Size() {
		u.bytes, u.err = nil, errTask
		return t, shape, nil
	}
	return t, shape, u.data(n * t.Size())
}

// bytesOf returns the memory of numbers.
func bytesOf[T float32 | float64 | uint64](list []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), len(list)*int(unsafe.Sizeof(*new(T))))
}
