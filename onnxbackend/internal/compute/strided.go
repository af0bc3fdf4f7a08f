package compute

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// stridedCopy allocates out with a shape and fills it with elements of x: element (i0, i1, ...) of
// an array of size dims is x[offset + i0*strides[0] + ...]. dims has as many elements as shape, and
// may split its dimensions. A stride of 0 repeats an element, a negative one reverses their order.
// Only the size of elements matters, not their type. Transpose, Slice, Expand and Tile have this
// form.
func stridedCopy(
	m *machine.Machine, out, x *tensor.Tensor, shape []int, offset int, dims, strides []int,
) error {
	if err := allocate(m, out, x.Type, shape...); err != nil || out.Len() == 0 {
		return err
	}
	switch x.Type.Size() {
	case 1:
		moveRows(m, tensor.Of[uint8](out), flat[uint8](x), offset, dims, strides)
	case 2:
		moveRows(m, tensor.Of[uint16](out), flat[uint16](x), offset, dims, strides)
	case 4:
		moveRows(m, tensor.Of[uint32](out), flat[uint32](x), offset, dims, strides)
	default:
		moveRows(m, tensor.Of[uint64](out), flat[uint64](x), offset, dims, strides)
	}
	return nil
}

// flat returns the elements of x as unsigned integers of their size. A copy does not depend on what
// the bits mean.
func flat[T tensor.Number](x *tensor.Tensor) []T { return tensor.View[T](x.Words, x.Len()) }

// moveRows fills dst row by row with elements of src that lie strides apart.
func moveRows[T tensor.Number](m *machine.Machine, dst, src []T, offset int, dims, strides []int) {
	// The loop over rows is written out: a call of a function for each row, as walk.rows makes it,
	// would take as long as the copy of a short row.
	w := newWalk(m, dims, strides)
	d, s, index := w.dims, w.strides, w.index
	last := len(d) - 1
	n, step := d[last], s[last]
	for at := 0; at < len(dst); at += n {
		row := dst[at : at+n]
		switch step {
		case 1:
			copy(row, src[offset:offset+n])
		case 0:
			fill(row, src[offset])
		default:
			for i, p := 0, offset; i < n; i, p = i+1, p+step {
				row[i] = src[p]
			}
		}
		for i := last - 1; i >= 0; i-- {
			index[i]++
			offset += s[i]
			if index[i] < d[i] {
				break
			}
			index[i] = 0
			offset -= s[i] * d[i]
		}
	}
}

// strides is tensor.Strides in the memory of a run: the distances between neighbours along each
// axis of a dense tensor.
func strides(m *machine.Machine, shape []int) []int {
	st, n := m.Ints(len(shape)), 1
	for i := len(shape) - 1; i >= 0; i-- {
		st[i] = n
		n *= shape[i]
	}
	return st
}
