package compute

import (
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// broadcastShape appends to dst the shape of the result of broadcasting shapes a and b: dimensions
// are aligned at the end, and one place is repeated. It clones the shapes for its error, so that
// those of callers may stay on the stack.
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
			return nil, msg.Errorf("shapes %v and %v do not broadcast", slices.Clone(a),
				slices.Clone(b))
		}
	}
	return dst, nil
}

// A walk visits a dense array row by row, and the elements of operands that belong to each row. It
// serves broadcasts, in which operands repeat elements, and reductions, in which the operand is the
// smaller result.
type walk struct {
	dims    []int // merged where all operands allow it; the last is the length of a row
	strides []int // (dimension, operand); 0 repeats
	index   []int // the current row, a place in each dimension but the last
	from    []int // (operand): the offset of the current row
}

// newWalk returns the walk over an array of size dims. Each operand has a stride for each
// dimension. Dimensions over which all operands move alike become one, so that rows are long. The
// walk is valid until the operator returns and serves one call of rows at a time.
func newWalk(m *machine.Machine, dims []int, strides ...[]int) walk {
	rank, k := max(1, len(dims)), len(strides)
	w := walk{m.Ints(rank)[:0], m.Ints(rank * k)[:0], m.Ints(rank), m.Ints(k)}
	for i, d := range dims {
		if d == 1 {
			continue
		}
		last := len(w.dims) - 1
		merge := last >= 0
		for o, s := range strides {
			merge = merge && w.strides[last*k+o] == s[i]*d
		}
		if !merge {
			w.dims, w.strides = append(w.dims, 1), w.strides[:len(w.strides)+k]
			last++
		}
		w.dims[last] *= d
		for o, s := range strides {
			w.strides[last*k+o] = s[i]
		}
	}
	if len(w.dims) == 0 {
		w.dims, w.strides = append(w.dims, 1), w.strides[:k]
	}
	return w
}

// broadcastWalk returns the walk over a shape to which the shapes of operands are broadcast.
func broadcastWalk(m *machine.Machine, to []int, shapes ...[]int) walk {
	var space [3][]int // Where has three operands, all others fewer
	strides := space[:0]
	for _, s := range shapes {
		strides = append(strides, broadcastStrides(m, s, to))
	}
	return newWalk(m, to, strides...)
}

// row returns the number of elements of a row.
func (w *walk) row() int { return w.dims[len(w.dims)-1] }

// step returns how far apart the elements of a row lie in an operand.
func (w *walk) step(operand int) int { return w.strides[(len(w.dims)-1)*len(w.from)+operand] }

// rows calls f with the offset of each row in the array and in each operand, in order. from is
// valid during the call.
func (w *walk) rows(f func(at int, from []int) error) error {
	last, k := len(w.dims)-1, len(w.from)
	index, from := w.index[:last], w.from
	clear(index)
	clear(from)
	if slices.Contains(w.dims, 0) {
		return nil
	}
	for at := 0; ; at += w.dims[last] {
		if err := f(at, from); err != nil {
			return err
		}
		// The counter works like an odometer: a dimension that overflows returns to 0 and
		// increments the one before it. Offsets follow by additions alone.
		i := last - 1
		for ; i >= 0; i-- {
			index[i]++
			for o := range from {
				from[o] += w.strides[i*k+o]
			}
			if index[i] < w.dims[i] {
				break
			}
			index[i] = 0
			for o := range from {
				from[o] -= w.strides[i*k+o] * w.dims[i]
			}
		}
		if i < 0 {
			return nil
		}
	}
}

// run returns the elements of x that a row reads: n of them, or one that is repeated if the stride
// is 0. Other strides cannot occur in the last dimension of a broadcast.
func run[T any](x []T, from, stride, n int) []T {
	if stride == 0 {
		return x[from : from+1]
	}
	return x[from : from+n]
}

// row computes a row of a pairwise operator. a and b have len(dst) elements or one.
type row[T, R tensor.Number] func(dst []R, a, b []T)

// pairwise computes out from a and b with broadcasting. result is the type of out, which f fills
// row by row.
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
	// Without broadcasting, or with a scalar, the whole tensor is one row.
	if (len(x) == len(dst) || len(x) == 1) && (len(y) == len(dst) || len(y) == 1) {
		f(dst, x, y)
		return nil
	}
	// Shapes with few places in the last dimensions have short rows, each of which costs a call.
	w := broadcastWalk(m, shape, a.Shape, b.Shape)
	n, sx, sy := w.row(), w.step(0), w.step(1)
	return w.rows(func(at int, from []int) error {
		f(dst[at:at+n], run(x, from[0], sx, n), run(y, from[1], sy, n))
		return nil
	})
}

// rowOf makes a row of a function of two elements. The cases keep the loop free of conditions.
func rowOf[T, R tensor.Number](f func(a, b T) R) row[T, R] {
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
