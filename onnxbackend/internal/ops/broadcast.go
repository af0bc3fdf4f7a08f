package ops

import (
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// broadcastShape appends to dst the shape of the result of broadcasting shapes a and b.
func broadcastShape(dst, a, b []int) ([]int, error) {
	r := max(len(a), len(b))
	for i := range r {
		x, y := 1, 1
		if j := i - r + len(a); j >= 0 {
			x = a[j]
		}
		if j := i - r + len(b); j >= 0 {
			y = b[j]
		}
		switch {
		case x == y || y == 1:
			dst = append(dst, x)
		case x == 1:
			dst = append(dst, y)
		default:
			return nil, fmt.Errorf("shapes %v and %v do not broadcast", slices.Clone(a),
				slices.Clone(b))
		}
	}
	return dst, nil
}

// maxOperands is how many tensors a walk reads at most: the three of Where.
const maxOperands = 3

// A walk visits the rows of a broadcast: runs of n elements of the result to which each operand
// contributes n elements or one that is repeated.
type walk struct {
	// of the result, merged where the operands allow it; the last is the row
	dims        []int
	strides     [maxOperands][]int // (operand, dimension); 0 repeats
	index, from []int              // where rows is: in all dimensions but the last, in each operand
}

// newWalk merges the dimensions of a result shape over which operands of the given shapes move
// alike.
func newWalk(m *machine.Machine, out []int, shapes ...[]int) walk {
	rank := max(1, len(out))
	w := walk{dims: m.Ints(rank)[:0], index: m.Ints(rank), from: m.Ints(len(shapes))}
	var own [maxOperands][]int
	for o, s := range shapes {
		own[o], w.strides[o] = spread(m, s, out), m.Ints(rank)[:0]
	}
	for i, d := range out {
		if d == 1 {
			continue
		}
		last := len(w.dims) - 1
		merge := last >= 0
		for o := range shapes {
			if last >= 0 && w.strides[o][last] != own[o][i]*d {
				merge = false
			}
		}
		if merge {
			w.dims[last] *= d
			for o := range shapes {
				w.strides[o][last] = own[o][i]
			}
			continue
		}
		w.dims = append(w.dims, d)
		for o := range shapes {
			w.strides[o] = append(w.strides[o], own[o][i])
		}
	}
	if len(w.dims) == 0 {
		w.dims = append(w.dims, 1)
		for o := range shapes {
			w.strides[o] = append(w.strides[o], 0)
		}
	}
	return w
}

// rows calls f with the offset of each row in the result and in each operand.
func (w walk) rows(f func(at int, from []int) error) error {
	last := len(w.dims) - 1
	index, from := w.index[:last], w.from
	clear(index)
	clear(from)
	for _, d := range w.dims {
		if d == 0 {
			return nil
		}
	}
	for at := 0; ; at += w.dims[last] {
		if err := f(at, from); err != nil {
			return err
		}
		i := last - 1
		for ; i >= 0; i-- {
			index[i]++
			for o := range from {
				from[o] += w.strides[o][i]
			}
			if index[i] < w.dims[i] {
				break
			}
			index[i] = 0
			for o := range from {
				from[o] -= w.strides[o][i] * w.dims[i]
			}
		}
		if i < 0 {
			return nil
		}
	}
}

// run returns the elements of x that a row reads: n of them, or one that is repeated.
func run[T any](x []T, from, stride, n int) []T {
	if stride == 0 {
		return x[from : from+1]
	}
	return x[from : from+n]
}

// row computes a row of a pairwise operator; a and b have len(dst) elements or one.
type row[T, R tensor.Number] func(dst []R, a, b []T)

// pairwise computes out from a and b with broadcasting.
func pairwise[T, R tensor.Number](
	m *machine.Machine, out, a, b *tensor.Tensor, result tensor.Type, f row[T, R],
) error {
	var space [8]int
	shape, err := broadcastShape(space[:0], a.Shape, b.Shape)
	if err != nil {
		return err
	}
	if err := m.Alloc(out, result, shape...); err != nil {
		return err
	}
	x, y, dst := tensor.Of[T](a), tensor.Of[T](b), tensor.Of[R](out)
	if err := m.Tick(len(dst)); err != nil || len(dst) == 0 {
		return err
	}
	if (len(x) == len(dst) || len(x) == 1) && (len(y) == len(dst) || len(y) == 1) {
		f(dst, x, y)
		return nil
	}
	w := newWalk(m, shape, a.Shape, b.Shape)
	last := len(w.dims) - 1
	n, sx, sy := w.dims[last], w.strides[0][last], w.strides[1][last]
	return w.rows(func(at int, from []int) error {
		f(dst[at:at+n], run(x, from[0], sx, n), run(y, from[1], sy, n))
		return nil
	})
}

// each makes a row of a function of two elements.
func each[T, R tensor.Number](f func(a, b T) R) row[T, R] {
	return func(dst []R, a, b []T) {
		switch {
		case len(b) == 1 && len(dst) > 1 && len(a) == len(dst):
			y := b[0]
			for i, x := range a {
				dst[i] = f(x, y)
			}
		case len(a) == 1 && len(dst) > 1 && len(b) == len(dst):
			x := a[0]
			for i, y := range b {
				dst[i] = f(x, y)
			}
		case len(a) == len(dst):
			for i, x := range a {
				dst[i] = f(x, b[i])
			}
		default:
			v := f(a[0], b[0])
			for i := range dst {
				dst[i] = v
			}
		}
	}
}
