package compute

import (
	"errors"
	"math"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// NewArithmetic makes Add, Sub, Mul, Div and PRelu.
func NewArithmetic(n *Node) (Func, error) { return arithmetic(n.Op)(n) }

// arithmetic makes the factory of Add, Sub, Mul, Div, PRelu and Mod: two operands of one type,
// broadcast to a common shape.
func arithmetic(op string) Factory {
	return func(n *Node) (Func, error) {
		f := operationOf(op)
		return func(m *machine.Machine, in, out []*tensor.Tensor) error {
			return f.run(m, out[0], in[0].Type, op, in...)
		}, nil
	}
}

// operationOf returns the functions of an operation. Their parameter is its name.
func operationOf(op string) *byType[string] {
	return &byType[string]{
		f32: arithmeticOn(arithRow[float32](op)), f64: arithmeticOn(arithRow[float64](op)),
		i64: arithmeticOn(arithRow[int64](op)), u64: arithmeticOn(arithRow[uint64](op)),
	}
}

// arithmeticOn returns an operation on tensors from that on rows. It rejects the division of
// integers by zero, which would panic in Go.
func arithmeticOn[T tensor.Number](
	f row[T, T],
) func(m *machine.Machine, out *tensor.Tensor, in []*tensor.Tensor, op string) error {
	return func(m *machine.Machine, out *tensor.Tensor, in []*tensor.Tensor, op string) error {
		if !in[1].Type.Float() && (op == "Div" || op == "Mod") &&
			slices.Contains(tensor.Of[T](in[1]), 0) {
			return errors.New("the divisor of an integer is zero")
		}
		return pairwise(m, out, in[0], in[1], in[0].Type, f)
	}
}

// arithRow returns the function of an operation on rows. The common operations have loops of their
// own, since the call of a function for each element takes longer than the operation. An unknown
// name is a mistake in the table, so arithRow panics.
func arithRow[T tensor.Number](op string) row[T, T] {
	if fast, ok := any(fastRow(op)).(row[T, T]); ok && fast != nil {
		return fast
	}
	switch op {
	case "Add":
		return addRow[T]
	case "Sub":
		return subRow[T]
	case "Mul":
		return mulRow[T]
	case "Div":
		return divRow[T]
	// The first operand wins if it is NaN; the second one does because no comparison with it holds.
	// So NaN is the result in both cases, as in NumPy.
	case "Max":
		return rowOf(func(a, b T) T {
			if a != a || a > b {
				return a
			}
			return b
		})
	case "Min":
		return rowOf(func(a, b T) T {
			if a != a || a < b {
				return a
			}
			return b
		})
	case "Mod":
		return rowOf(modulo[T])
	case "FMod":
		return rowOf(func(a, b T) T { return T(math.Mod(float64(a), float64(b))) })
	case "PRelu":
		return rowOf(func(x, slope T) T {
			if x < 0 {
				return x * slope
			}
			return x
		})
	}
	panic("ops: no arithmetic " + op)
}

// fastRow returns the kernel of an operation on rows of float32, or nil if there is none.
func fastRow(op string) row[float32, float32] {
	switch op {
	case "Add":
		return kernel.Add
	case "Sub":
		return kernel.Sub
	case "Mul":
		return kernel.Mul
	case "Div":
		return kernel.Div
	}
	return nil
}

// addRow adds elements. Addition is commutative, so a single element may always be moved to b. The
// slices are cut to equal lengths, which removes the bounds checks from the loops.
func addRow[T tensor.Number](dst, a, b []T) {
	if len(a) == 1 {
		a, b = b, a
	}
	if len(b) == 1 {
		y := b[0]
		if len(a) == 1 {
			fill(dst, a[0]+y)
			return
		}
		for i, x := range a[:len(dst)] {
			dst[i] = x + y
		}
		return
	}
	b = b[:len(a)]
	dst = dst[:len(a)]
	for i, x := range a {
		dst[i] = x + b[i]
	}
}

// mulRow multiplies elements, as addRow adds them.
func mulRow[T tensor.Number](dst, a, b []T) {
	if len(a) == 1 {
		a, b = b, a
	}
	if len(b) == 1 {
		y := b[0]
		if len(a) == 1 {
			fill(dst, a[0]*y)
			return
		}
		for i, x := range a[:len(dst)] {
			dst[i] = x * y
		}
		return
	}
	b = b[:len(a)]
	dst = dst[:len(a)]
	for i, x := range a {
		dst[i] = x * b[i]
	}
}

// subRow subtracts elements of b from those of a, either of which may be a single one.
func subRow[T tensor.Number](dst, a, b []T) {
	switch {
	case len(a) == 1 && len(b) == 1:
		fill(dst, a[0]-b[0])
	case len(a) == 1:
		x := a[0]
		for i, y := range b[:len(dst)] {
			dst[i] = x - y
		}
	case len(b) == 1:
		y := b[0]
		for i, x := range a[:len(dst)] {
			dst[i] = x - y
		}
	default:
		b = b[:len(a)]
		dst = dst[:len(a)]
		for i, x := range a {
			dst[i] = x - b[i]
		}
	}
}

// divRow divides elements of a by those of b, either of which may be a single one. Integers
// truncate toward zero; the caller has rejected divisors of zero.
func divRow[T tensor.Number](dst, a, b []T) {
	switch {
	case len(a) == 1 && len(b) == 1:
		fill(dst, a[0]/b[0])
	case len(a) == 1:
		x := a[0]
		for i, y := range b[:len(dst)] {
			dst[i] = x / y
		}
	case len(b) == 1:
		y := b[0]
		for i, x := range a[:len(dst)] {
			dst[i] = x / y
		}
	default:
		b = b[:len(a)]
		dst = dst[:len(a)]
		for i, x := range a {
			dst[i] = x / b[i]
		}
	}
}

// fill sets all elements of dst to v.
func fill[T any](dst []T, v T) {
	for i := range dst {
		dst[i] = v
	}
}

// modulo returns the remainder with the sign of the divisor, as Python's % does.
func modulo[T tensor.Number](a, b T) T {
	r := a - a/b*b // integers: a/b truncates
	// The conversion of 0.5 distinguishes real types from integers, which drop the fraction.
	if half := 0.5; T(half) != 0 {
		r = T(math.Mod(float64(a), float64(b)))
	}
	if r != 0 && (r < 0) != (b < 0) {
		r += b
	}
	return r
}

// NewMod makes Mod. Attribute fmod selects C's remainder, which has the sign of the dividend.
func NewMod(n *Node) (Func, error) {
	op := "Mod"
	if n.Int("fmod", 0) != 0 {
		op = "FMod"
	}
	return arithmetic(op)(n)
}

// Variadic makes the factory of Max, Min and Sum, which combine any number of operands from left to
// right.
func Variadic(op string) Factory {
	return func(n *Node) (Func, error) {
		f := operationOf(op)
		return func(m *machine.Machine, in, out []*tensor.Tensor) error {
			acc := *in[0]
			pair := []*tensor.Tensor{&acc, nil}
			for i, x := range in[1:] {
				var next tensor.Tensor
				pair[1] = x
				if err := f.run(m, &next, acc.Type, op, pair...); err != nil {
					return err
				}
				// The first accumulator is an input, which belongs to the caller.
				if i > 0 {
					m.Release(&acc)
				}
				acc = next
			}
			m.Share(out[0], &acc, acc.Shape)
			if len(in) > 1 {
				m.Release(&acc)
			}
			return nil
		}, nil
	}
}

// NewMean makes Mean: the sum of all operands, divided by their number.
func NewMean(n *Node) (Func, error) {
	sum, err := Variadic("Add")(n)
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		var total tensor.Tensor
		if err := sum(m, in, []*tensor.Tensor{&total}); err != nil {
			return err
		}
		defer m.Release(&total)
		return mapFloats(m, out[0], &total, func(v float64) float64 { return v / float64(len(in)) })
	}, err
}
