package compute

import (
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// accumulator is what reductions compute in: wide enough that the order of instances hardly affects
// the result.
type accumulator interface{ float64 | int64 | uint64 }

// A Reduction says how elements are combined into one.
type Reduction int

// Reductions are the ten of ONNX.
const (
	Sum Reduction = iota + 1
	// Mean is the sum divided by the number of elements; NaN for none.
	Mean
	Max
	Min
	Prod
	// L1 is the sum of absolute values.
	L1
	// L2 is the root of the sum of squares.
	L2
	SumSquare
	// LogSum is the logarithm of the sum.
	LogSum
	// LogSumExp is the logarithm of the sum of exponentials, a smooth maximum.
	LogSumExp
)

// reduction is a Reduction of elements of a type: they are combined one by one, and the result is
// finished with their number.
type reduction struct {
	by Reduction
	// of is the type of the elements before promotion, on which empty reductions depend.
	of tensor.Type
	// shape is that of the result.
	shape []int
	walk  fold
}

// empty returns the value of an empty reduction. ±Inf stands for the type's least or greatest
// value.
func (r Reduction) empty() float64 {
	switch r {
	case Prod:
		return 1
	case Max:
		return math.Inf(-1)
	case Min:
		return math.Inf(1)
	}
	return 0
}

// NewReduce makes the factory of a reduction. Axes are an attribute or input 1; without axes all
// are reduced, unless noop_with_empty_axes is set.
func NewReduce(by Reduction) Factory {
	return func(n *Node) (Func, error) {
		axes, keep, noop := n.Ints("axes"), n.Int("keepdims", 1) != 0, n.Int("noop_with_empty_axes",
			0) != 0
		return func(m *machine.Machine, in, out []*tensor.Tensor) error {
			a, err := axesOf(m, axes, in)
			if err != nil {
				return err
			}
			x := in[0]
			var marks [8]bool
			// The result has the dimensions that are not reduced, and with keepdims one place for
			// the others.
			mark, err := reducedAxes(marks[:0], a, x.Rank(), noop)
			if err != nil {
				return err
			}
			shape := m.Ints(x.Rank())[:0]
			for i, d := range x.Shape {
				if !mark[i] {
					shape = append(shape, d)
				} else if keep {
					shape = append(shape, 1)
				}
			}
			r := reduction{by, x.Type, shape, foldOf(m, x.Shape, mark)}
			return reduceByType.run(m, out[0], x.Type, r, in[:1]...)
		}, nil
	}
}

// reduceByType sums float32 in float64, and integers in 64 bits. Bools are accepted, since ONNX
// defines ReduceMax and ReduceMin for them.
var reduceByType = byType[reduction]{
	f32: reduce[float32, float64], f64: reduce[float64, float64],
	i64: reduce[int64, int64], u64: reduce[uint64, uint64],
	bools: true,
}

// reducedAxes marks the dimensions that are reduced: all if axes is empty, unless noop.
func reducedAxes(dst []bool, axes []int, rank int, noop bool) ([]bool, error) {
	mark, err := marked(dst, axes, rank)
	if err == nil && len(axes) == 0 && !noop {
		fill(mark, true)
	}
	return mark, err
}

// A fold is a reduction's walk over its input. Its operand is the output, whose strides are 0 along
// the axes that are reduced.
type fold struct {
	walk
	count int // elements that are combined into one
}

// foldOf returns the walk over a tensor of a shape whose marked axes are reduced.
func foldOf(m *machine.Machine, shape []int, mark []bool) fold {
	count, n, strides := 1, 1, m.Ints(len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		if mark[i] {
			count *= shape[i]
			continue
		}
		strides[i] = n
		n *= shape[i]
	}
	return fold{newWalk(m, shape, strides), count}
}

// reduce combines the elements of input 0: in their order, but for sums over neighbours, see sumOf.
// T is their type, A that of the accumulators, one for each element of the result.
func reduce[T tensor.Number, A accumulator](
	m *machine.Machine, out *tensor.Tensor, in []*tensor.Tensor, r reduction,
) error {
	x, w := in[0], r.walk
	if err := allocate(m, out, x.Type, r.shape...); err != nil {
		return err
	}
	src, dst := tensor.Of[T](x), tensor.Of[T](out)
	acc, err := machine.Scratch[A](m, len(dst))
	if err != nil {
		return err
	}
	fill(acc, firstOf[A](r))
	top, err := shifts(m, r, src, len(dst), w)
	if err != nil {
		return err
	}
	n, step := w.row(), w.step(0)
	f := combine[A](r.by)
	err = w.rows(func(at int, out []int) error {
		if err := m.Tick(n * 2); err != nil {
			return err
		}
		part, to := src[at:at+n], out[0]
		switch {
		// LogSumExp sums the exponentials of differences to the largest element.
		case top != nil:
			for i, v := range part {
				acc[to+i*step] += A(math.Exp(float64(v) - top[to+i*step]))
			}
		case f == nil && step == 0:
			acc[to] += sumOf[T, A](part)
		// A sum over an outer axis adds whole rows.
		case f == nil:
			row := acc[to : to+n]
			for i, v := range part {
				row[i] += A(v)
			}
		default:
			for i, v := range part {
				acc[to+i*step] = f(acc[to+i*step], A(v))
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	// Finishing includes the division by the number of elements, or a root or logarithm.
	for i, v := range acc {
		dst[i] = T(finish(r.by, v, w.count))
		if top != nil {
			dst[i] = T(math.Log(float64(v)) + top[i])
		}
	}
	return nil
}

// sumOf returns the sum of elements in four chains of additions, which a processor computes side by
// side.
func sumOf[T tensor.Number, A accumulator](values []T) A {
	var a, b, c, d A
	for ; len(values) >= 4; values = values[4:] {
		a += A(values[0])
		b += A(values[1])
		c += A(values[2])
		d += A(values[3])
	}
	for _, v := range values {
		a += A(v)
	}
	return (a + b) + (c + d)
}

// shifts returns the largest element of each output for LogSumExp, else nil. Subtracting it first
// keeps the exponentials from overflowing.
func shifts[T tensor.Number](
	m *machine.Machine, r reduction, src []T, n int, w fold,
) ([]float64, error) {
	if r.by != LogSumExp {
		return nil, nil
	}
	top, err := machine.Scratch[float64](m, n)
	if err != nil {
		return nil, err
	}
	fill(top, math.Inf(-1))
	row, step := w.row(), w.step(0)
	err = w.rows(func(at int, out []int) error {
		for i, v := range src[at : at+row] {
			to := out[0] + i*step
			top[to] = max(top[to], float64(v))
		}
		return m.Tick(row)
	})
	for i, v := range top {
		// The difference of equal infinities would be NaN.
		if math.IsInf(v, 0) {
			top[i] = 0
		}
	}
	return top, err
}

// combine returns the function that adds an element to an accumulator, nil for a plain sum.
func combine[A accumulator](by Reduction) func(acc, v A) A {
	switch by {
	case Prod:
		return func(acc, v A) A { return acc * v }
	case Max:
		return func(acc, v A) A {
			if v > acc || v != v {
				return v
			}
			return acc
		}
	case Min:
		return func(acc, v A) A {
			if v < acc || v != v {
				return v
			}
			return acc
		}
	case L1:
		return func(acc, v A) A {
			if v < 0 {
				return acc - v
			}
			return acc + v
		}
	case L2, SumSquare:
		return func(acc, v A) A { return acc + v*v }
	}
	return nil
}

// finish returns the result from the accumulator of n elements.
func finish[A accumulator](by Reduction, v A, n int) A {
	switch by {
	case Mean:
		if n == 0 {
			return A(math.NaN())
		}
		return v / A(n)
	case L2:
		return A(math.Sqrt(float64(v)))
	case LogSum:
		return A(math.Log(float64(v)))
	}
	return v
}

// firstOf returns the value of an empty reduction in an accumulator: for integers, the least or
// greatest value of the type before promotion stands for ±Inf.
func firstOf[A accumulator](r reduction) A {
	first := r.by.empty()
	if !math.IsInf(first, 0) || r.of.Float() {
		return A(first)
	}
	bits := r.of.Size() * 8
	if wide(r.of) == tensor.Uint64 {
		if first > 0 {
			return A(^uint64(0) >> (64 - bits))
		}
		return 0
	}
	high := A(uint64(1)<<(bits-1) - 1)
	if first > 0 {
		return high
	}
	return -high - 1
}
