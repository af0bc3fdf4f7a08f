package compute

import (
	"fmt"
	"math"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// onIntegers has what makes the functions of the operators under test.
var onIntegers = map[string]Factory{
	"Add": NewArithmetic, "Sub": NewArithmetic, "Mul": NewArithmetic, "Div": NewArithmetic,
	"Max": Variadic("Max"), "Min": Variadic("Min"), "Neg": NewSigned, "Relu": NewSigned,
	"Clip": NewClip, "Less": NewComparison, "Equal": NewComparison,
	"ReduceMax": NewReduce(Max), "ReduceMin": NewReduce(Min), "ReduceSum": NewReduce(Sum),
}

// result returns the output of an operator without attributes.
func result(t *testing.T, op string, in ...*tensor.Tensor) *tensor.Tensor {
	t.Helper()
	n := &Node{Op: op, Opset: 13, Outputs: 1, Const: make([]*tensor.Tensor, len(in))}
	f, gap, broken := n.Make(onIntegers[op])
	must.Do(t, gap)
	must.Do(t, broken)
	m, out := machine.New(machine.Limits{Elements: 1 << 20, Bytes: 1 << 24}), &tensor.Tensor{}
	must.Do(t, f(m, in, []*tensor.Tensor{out}), op)
	m.EndNode()
	return out.Clone()
}

// convertTo returns x in another type, as Convert makes it.
func convertTo(t *testing.T, x *tensor.Tensor, to tensor.Type) *tensor.Tensor {
	t.Helper()
	m, out := machine.New(machine.Limits{Elements: 1 << 20, Bytes: 1 << 24}), &tensor.Tensor{}
	must.Do(t, Convert(m, out, x, to))
	return out.Clone()
}

// integers are the integer types of Go and ONNX.
type integers interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// samples returns all pairs of values, among them the ends of integer types and their neighbours,
// truncated to T.
func samples[T integers]() (a, b []T) {
	var v []T
	for _, x := range []int64{0, 1, 2, 3, 5, 100, math.MaxInt8, math.MinInt8, math.MaxUint8,
		math.MaxInt16, math.MinInt16,
		math.MaxInt32, math.MinInt32, math.MaxUint32, math.MaxInt64, math.MinInt64, -1, -2, -7} {
		v = append(v, T(x))
	}
	for _, x := range v {
		for _, y := range v {
			a, b = append(a, x), append(b, y)
		}
	}
	return a, b
}

// equal fails unless a tensor has a type and the element want(i) at each place i.
func equal[T tensor.Number](
	t *testing.T, what string, got *tensor.Tensor, kind tensor.Type, want func(i int) T,
) {
	t.Helper()
	if got.Type != kind {
		t.Errorf("%s is of %v, want %v", what, got.Type, kind)
		return
	}
	for i, v := range tensor.Of[T](got) {
		if v != want(i) {
			t.Errorf("%s: element %d is %v, want %v", what, i, v, want(i))
			return
		}
	}
}

// arithmeticAs compares operators on integers with Go's arithmetic in the type itself.
func arithmeticAs[T integers](t *testing.T, kind tensor.Type) {
	x, y := samples[T]()
	a, b := tensor.From(kind, x, len(x)), tensor.From(kind, y, len(y))
	divisor := append([]T{}, y...)
	for i, v := range divisor {
		divisor[i] = max(1, v)
	}
	d := tensor.From(kind, divisor, len(y))
	name := func(op string) string { return fmt.Sprintf("%s of %v", op, kind) }
	pairs := map[string]func(a, b T) T{
		"Add": func(a, b T) T { return a + b }, "Sub": func(a, b T) T { return a - b },
		"Mul": func(a, b T) T { return a * b },
		"Max": func(a, b T) T { return max(a, b) }, "Min": func(a, b T) T { return min(a, b) },
	}
	for op, f := range pairs {
		equal(t, name(op), result(t, op, a, b), kind, func(i int) T { return f(x[i], y[i]) })
	}
	equal(t, name("Div"), result(t, "Div", a, d), kind, func(i int) T { return x[i] / divisor[i] })
	equal(t, name("Neg"), result(t, "Neg", a), kind, func(i int) T { return -x[i] })
	equal(t, name("Relu"), result(t, "Relu", a), kind, func(i int) T { return max(0, x[i]) })
	equal(t, name("Clip"), result(t, "Clip", a, tensor.From(kind, []T{3}),
		tensor.From(kind, []T{9})), kind, func(i int) T { return min(max(x[i], 3), 9) })
	equal(t, name("Less"), result(t, "Less", a, b), tensor.Bool,
		func(i int) uint8 { return truth(x[i] < y[i]) })
	equal(t, name("Equal"), result(t, "Equal", a, b), tensor.Bool,
		func(i int) uint8 { return truth(x[i] == y[i]) })

	least, most := x[0], x[0]
	for _, v := range x {
		least, most = min(least, v), max(most, v)
	}
	none := tensor.New(kind, 0)
	equal(t, name("empty ReduceMax"), result(t, "ReduceMax", none), kind,
		func(int) T { return least })
	equal(t, name("empty ReduceMin"), result(t, "ReduceMin", none), kind,
		func(int) T { return most })
	equal(t, name("ReduceMax"), result(t, "ReduceMax", a), kind, func(int) T { return most })
	equal(t, name("ReduceSum"), result(t, "ReduceSum", a), kind, func(int) (sum T) {
		for _, v := range x {
			sum += v
		}
		return sum
	})
}

// TestIntegerArithmeticEqualsGo checks that promotion to 64 bits changes no result.
func TestIntegerArithmeticEqualsGo(t *testing.T) {
	arithmeticAs[int8](t, tensor.Int8)
	arithmeticAs[int16](t, tensor.Int16)
	arithmeticAs[int32](t, tensor.Int32)
	arithmeticAs[int64](t, tensor.Int64)
	arithmeticAs[uint8](t, tensor.Uint8)
	arithmeticAs[uint16](t, tensor.Uint16)
	arithmeticAs[uint32](t, tensor.Uint32)
	arithmeticAs[uint64](t, tensor.Uint64)
}

// checkConversion compares Convert of integers of type T to a type with Go's conversion to R.
func checkConversion[T integers, R tensor.Number](t *testing.T, from, to tensor.Type) {
	t.Helper()
	v, _ := samples[T]()
	got := convertTo(t, tensor.From(from, v, len(v)), to)
	equal(t, fmt.Sprintf("%v to %v", from, to), got, to, func(i int) R { return R(v[i]) })
}

// conversionsFrom compares conversions from an integer type to each other type.
func conversionsFrom[T integers](t *testing.T, from tensor.Type) {
	checkConversion[T, int8](t, from, tensor.Int8)
	checkConversion[T, int16](t, from, tensor.Int16)
	checkConversion[T, int32](t, from, tensor.Int32)
	checkConversion[T, int64](t, from, tensor.Int64)
	checkConversion[T, uint8](t, from, tensor.Uint8)
	checkConversion[T, uint16](t, from, tensor.Uint16)
	checkConversion[T, uint32](t, from, tensor.Uint32)
	checkConversion[T, uint64](t, from, tensor.Uint64)
	checkConversion[T, float32](t, from, tensor.Float32)
	checkConversion[T, float64](t, from, tensor.Float64)
	v, _ := samples[T]()
	bools := convertTo(t, tensor.From(from, v, len(v)), tensor.Bool)
	equal(t, fmt.Sprintf("%v to bool", from), bools, tensor.Bool,
		func(i int) uint8 { return truth(v[i] != 0) })
}

// TestConvertIntegersEqualsGo checks conversions between all integer types and to real numbers.
func TestConvertIntegersEqualsGo(t *testing.T) {
	conversionsFrom[int8](t, tensor.Int8)
	conversionsFrom[int16](t, tensor.Int16)
	conversionsFrom[int32](t, tensor.Int32)
	conversionsFrom[int64](t, tensor.Int64)
	conversionsFrom[uint8](t, tensor.Uint8)
	conversionsFrom[uint16](t, tensor.Uint16)
	conversionsFrom[uint32](t, tensor.Uint32)
	conversionsFrom[uint64](t, tensor.Uint64)
}

// TestConvertRealNumbersSaturates checks that numbers beyond the range of int64 become its ends,
// and that fractions are dropped.
func TestConvertRealNumbersSaturates(t *testing.T) {
	v := []float64{0, 0.5, -0.5, 1.9, -1.9, 300, -300, 1e10, math.Inf(1), math.Inf(-1), math.NaN()}
	whole := []int64{0, 0, 0, 1, -1, 300, -300, 1e10, math.MaxInt64, math.MinInt64, math.MinInt64}
	narrow := make([]float32, len(v))
	for i, x := range v {
		narrow[i] = float32(x)
	}
	for _, x := range []*tensor.Tensor{tensor.From(tensor.Float64, v, len(v)),
		tensor.From(tensor.Float32, narrow, len(v))} {
		equal(t, "int64", convertTo(t, x, tensor.Int64), tensor.Int64,
			func(i int) int64 { return whole[i] })
		equal(t, "uint64", convertTo(t, x, tensor.Uint64), tensor.Uint64,
			func(i int) uint64 { return uint64(whole[i]) })
		equal(t, "int8", convertTo(t, x, tensor.Int8), tensor.Int8,
			func(i int) int8 { return int8(whole[i]) })
		equal(t, "uint16", convertTo(t, x, tensor.Uint16), tensor.Uint16,
			func(i int) uint16 { return uint16(whole[i]) })
		equal(t, "bool", convertTo(t, x, tensor.Bool), tensor.Bool,
			func(i int) uint8 { return truth(v[i] != 0) })
	}
}

// TestOperatorsRejectMixedTypes also checks that conversions to strings are rejected.
func TestOperatorsRejectMixedTypes(t *testing.T) {
	m := machine.New(machine.Limits{Elements: 1 << 10, Bytes: 1 << 20})
	small, large, yes := tensor.New(tensor.Int8, 2), tensor.New(tensor.Int64, 2),
		tensor.New(tensor.Bool, 2)
	for _, op := range []string{"Add", "Less"} {
		n := &Node{Op: op, Opset: 13, Outputs: 1}
		f, _, _ := n.Make(onIntegers[op])
		must.Equal(t, f(m, []*tensor.Tensor{small, large}, []*tensor.Tensor{{}}) != nil, true, op)
		must.Equal(t, f(m, []*tensor.Tensor{yes, yes}, []*tensor.Tensor{{}}) == nil, op == "Less",
			op)
	}
	must.Fail(t, Convert(m, &tensor.Tensor{}, small, tensor.String))
}
