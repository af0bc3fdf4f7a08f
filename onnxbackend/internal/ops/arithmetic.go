package ops

import (
	"errors"
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// arithmetic makes the factory of Add, Sub, Mul, Div, Max, Min and the like from a function that
// computes two operands.
func arithmetic(op string) Factory {
	return func(n *Node) (Func, error) {
		f := operationOf(op)
		return func(m *machine.Machine, in, out []*tensor.Tensor) error {
			return arith(m, f, out[0], in[0], in[1])
		}, nil
	}
}

// An operation computes two operands in each of the wide types.
type operation struct {
	divides bool // by which integers may not be 0
	f32     row[float32, float32]
	f64     row[float64, float64]
	i64     row[int64, int64]
	u64     row[uint64, uint64] // nil where i64 gives the same bits
}

func operationOf(op string) *operation {
	o := &operation{divides: op == "Div" || op == "Mod", f32: arithRow[float32](op),
		f64: arithRow[float64](op), i64: arithRow[int64](op)}
	switch op {
	case "Add", "Sum", "Sub", "Mul":
	default:
		o.u64 = orderedRow[uint64](op)
	}
	return o
}

func arith(m *machine.Machine, op *operation, out, a, b *tensor.Tensor) error {
	if a.Type != b.Type {
		return mixedError(a.Type, b.Type)
	}
	switch a.Type {
	case tensor.Float32:
		return pairwise(m, out, a, b, a.Type, op.f32)
	case tensor.Float64:
		return pairwise(m, out, a, b, a.Type, op.f64)
	case tensor.Int64:
		return integer(m, op, op.i64, out, a, b)
	case tensor.Uint64:
		if op.u64 == nil {
			return integer(m, op, op.i64, out, a, b)
		}
		return integer(m, op, op.u64, out, a, b)
	}
	if !narrow(a.Type) {
		return typeError(a.Type)
	}
	return widened(m, out, a.Type, func(out *tensor.Tensor, in []*tensor.Tensor) error {
		return arith(m, op, out, in[0], in[1])
	}, a, b)
}

func mixedError(a, b tensor.Type) error {
	return errors.New("its operands are of " + a.String() + " and of " + b.String() +
		", and ONNX wants one type")
}

func integer[T tensor.Number](
	m *machine.Machine, op *operation, f row[T, T], out, a, b *tensor.Tensor,
) error {
	if op.divides {
		for _, v := range tensor.Of[T](b) {
			if v == 0 {
				return errors.New("an integer is divided by zero")
			}
		}
	}
	return pairwise(m, out, a, b, a.Type, f)
}

func arithRow[T tensor.Number](op string) row[T, T] {
	switch op {
	case "Add", "Sum":
		return addRow[T]
	case "Sub":
		return subRow[T]
	case "Mul":
		return mulRow[T]
	}
	return orderedRow[T](op)
}

// orderedRow is arithRow for operations whose bits depend on whether numbers have a sign.
func orderedRow[T tensor.Number](op string) row[T, T] {
	switch op {
	case "Div":
		return divRow[T]
	case "Max":
		return each(func(a, b T) T {
			if a != a || a > b {
				return a
			}
			return b
		})
	case "Min":
		return each(func(a, b T) T {
			if a != a || a < b {
				return a
			}
			return b
		})
	case "Mod":
		return each(modulo[T])
	case "FMod":
		return each(func(a, b T) T { return T(math.Mod(float64(a), float64(b))) })
	case "PRelu":
		return each(func(x, slope T) T {
			if x < 0 {
				return x * slope
			}
			return x
		})
	}
	panic("ops: no arithmetic " + op)
}

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

func fill[T any](dst []T, v T) {
	for i := range dst {
		dst[i] = v
	}
}

// modulo has the sign of the divisor, as Python's does.
func modulo[T tensor.Number](a, b T) T {
	r := a - a/b*b // integers: a/b truncates
	if half := 0.5; T(half) != 0 {
		r = T(math.Mod(float64(a), float64(b)))
	}
	if r != 0 && (r < 0) != (b < 0) {
		r += b
	}
	return r
}

func newMod(n *Node) (Func, error) {
	op := "Mod"
	if n.Int("fmod", 0) != 0 {
		op = "FMod"
	}
	return arithmetic(op)(n)
}

// variadic makes the factory of Max, Min, Sum and Mean, which take any number of operands.
func variadic(op string) Factory {
	return func(n *Node) (Func, error) {
		f := operationOf(op)
		return func(m *machine.Machine, in, out []*tensor.Tensor) error {
			acc := *in[0]
			for i, x := range in[1:] {
				var next tensor.Tensor
				if err := arith(m, f, &next, &acc, x); err != nil {
					return err
				}
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

func newMean(n *Node) (Func, error) {
	sum, err := variadic("Add")(n)
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		var total tensor.Tensor
		if err := sum(m, in, []*tensor.Tensor{&total}); err != nil {
			return err
		}
		defer m.Release(&total)
		return mapFloats(m, out[0], &total, func(v float64) float64 { return v / float64(len(in)) })
	}, err
}
