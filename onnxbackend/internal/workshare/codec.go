package workshare

import (
	"encoding/binary"
	"errors"
	"unsafe"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A Kind says what a task asks for.
type Kind int

// Kinds of tasks.
const (
	Encode Kind = iota // the prefix of some instances
	Hold               // keep the boundary values of a bag
	Score              // the class scores of coalitions of the bag that is kept
)

// Errors of tasks and replies.
var (
	ErrMessage = errors.New("a message between helpers of one bag cannot be read")
	ErrOther   = errors.New("the helper has another model, or no longer holds the bag")
)

// Fingerprint identifies a graph by its file's digest and by whether it was opened plain: the IDs
// of its values depend on both.
func Fingerprint(digest []byte, plain bool) int {
	return int(binary.LittleEndian.Uint64(digest)>>2)<<1 | Bit(plain)
}

// A Packer writes a task or a reply: lists of numbers, and elements as they lie in memory, because
// tasks do not leave the machine.
type Packer []byte

// NewTask begins a task with a list: the kind, the model's fingerprint, and head.
func NewTask(kind Kind, fingerprint int, head ...int) *Packer {
	p := &Packer{}
	p.Numbers(append([]int{int(kind), fingerprint}, head...)...)
	return p
}

// OpenTask reads the kind and the head of a task. The error is ErrMessage, or ErrOther for a task
// of another model.
func OpenTask(task []byte, fingerprint int) (kind Kind, head []int, u *Unpacker, err error) {
	u = NewUnpacker(task)
	list := u.Numbers()
	if len(list) < 2 {
		return 0, nil, nil, ErrMessage
	}
	if list[1] != fingerprint {
		return 0, nil, nil, ErrOther
	}
	return Kind(list[0]), list[2:], u, nil
}

// Data writes bytes.
func (p *Packer) Data(b []byte) { *p = append(*p, b...) }

// Numbers writes the length of the list and each number, in 8 bytes, little-endian.
func (p *Packer) Numbers(list ...int) {
	*p = binary.LittleEndian.AppendUint64(*p, uint64(len(list)))
	for _, n := range list {
		*p = binary.LittleEndian.AppendUint64(*p, uint64(n))
	}
}

// Tensor writes a tensor's type, shape and elements.
func (p *Packer) Tensor(t *tensor.Tensor) {
	p.Numbers(append([]int{int(t.Type)}, t.Shape...)...)
	p.Data(t.Bytes())
}

// An Unpacker reads a task or a reply. After an error it returns zeros.
type Unpacker struct {
	bytes []byte
	err   error
}

// NewUnpacker returns an unpacker of a message.
func NewUnpacker(message []byte) *Unpacker { return &Unpacker{bytes: message} }

// Err returns ErrMessage if the message ended early.
func (u *Unpacker) Err() error { return u.err }

// Rest returns the bytes that have not been read.
func (u *Unpacker) Rest() []byte { return u.bytes }

// Data reads n bytes, which it shares with the message.
func (u *Unpacker) Data(n int) []byte {
	if n < 0 || n > len(u.bytes) {
		u.fail()
		return nil
	}
	b := u.bytes[:n:n]
	u.bytes = u.bytes[n:]
	return b
}

func (u *Unpacker) fail() { u.bytes, u.err = nil, ErrMessage }

// Numbers reads a list.
func (u *Unpacker) Numbers() []int {
	n := uint64(0)
	if b := u.Data(8); b != nil {
		n = binary.LittleEndian.Uint64(b)
	}
	if n > uint64(len(u.bytes)/8) {
		u.fail()
		return nil
	}
	b, list := u.Data(8*int(n)), make([]int, n)
	for i := range list {
		list[i] = int(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return list
}

// Tensor reads a tensor's type, shape and elements, which it shares with the message.
func (u *Unpacker) Tensor() (t tensor.Type, shape []int, data []byte) {
	if list := u.Numbers(); len(list) > 0 {
		t, shape = tensor.Type(list[0]), list[1:]
	}
	n, ok := tensor.Count(shape)
	if !ok || t.Size() == 0 || n > len(u.bytes)/t.Size() {
		u.fail()
		return t, shape, nil
	}
	return t, shape, u.Data(n * t.Size())
}

// BytesOf returns the memory of numbers, shared with them.
func BytesOf[T float32 | float64 | uint64](list []T) []byte {
	size := int(unsafe.Sizeof(*new(T)))
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), len(list)*size)
}

// Bit returns 1 for true and 0 for false.
func Bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
