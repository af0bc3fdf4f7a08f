package decode

import "github.com/bagscope/bagscope/onnxbackend/internal/fault"

// Bytes that a part of a model takes beside its texts and the elements of tensors, with what the
// graph holds of it. In a file it may have two bytes, so that a small file could fill the memory.
const (
	nodeBytes   = 1 << 10
	tensorBytes = 1 << 9 // an initializer
	textBytes   = 96     // a name in a list
	dimBytes    = 64     // an axis of an input or output
	numberBytes = 24     // a number in a list, which grows
)

// keptBlock is the number of bytes that are reserved at a time.
const keptBlock = 1 << 14

// A kept reserves the memory that a model keeps of its file.
type kept struct {
	limits Limits
	bytes  int // bytes that are reserved
	left   int // those of bytes that are not yet taken
}

// reserve takes n bytes. It returns a *fault.Limit or the errors of [quota.Memory.Reserve].
func (k *kept) reserve(n int) error {
	if n > k.left {
		more := max(n, keptBlock)
		if k.bytes += more; k.bytes > k.limits.Bytes {
			return &fault.Limit{What: "bytes of the graph", Wanted: uint64(k.bytes),
				Limit: uint64(k.limits.Bytes), Setting: "runBytes"}
		}
		if err := k.limits.Memory.Reserve(int64(more), "the graph of the model"); err != nil {
			return err
		}
		k.left += more
	}
	k.left -= n
	return nil
}
