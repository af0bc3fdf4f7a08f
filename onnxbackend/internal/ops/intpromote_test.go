package ops

import (
	"fmt"
	"math"
	"testing"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// compute runs an operator without attributes on tensors.
func compute(t *testing.T, op string, in ...*tensor.Tensor) *tensor.Tensor {
	t.Helper()
	f, gap, broken := Lookup("", op).Build(&Node{Op: op, Opset: 13, Outputs: 1,
		Const: make([]*tensor.Tensor, len(in))}, NewPacks())
	if gap != nil || broken != nil {
		t.Fatal(op, gap, broken)
	}
	m, out := machine.New(machine.Limits{Elements: 1 << 20, Bytes: 1 << 24}), &tensor.Tensor{}
	if err := f(m, in, []*tensor.Tensor{out}); err != nil {
		t.Fatal(op, err)
	}
	m.EndNode()
	return out.Clone()
}

func convertTo(t *testing.T, x *tensor.Tensor, to tensor.Type) *tensor.Tensor {
	t.Helper()
	m, out := machine.New(machine.Limits{Elements: 1 << 20, Bytes: 1 << 24}), &tensor.Tensor{}
	if err := Convert(m, out, x, to); err != nil {
		t.Fatal(err)
	}
	return out.Clone()
}

type integers interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// samples are values at and around the ends of a type, every pair of them.
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

// arithmeticAs holds operators on integers to Go's arithmetic in the type itself.
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
		equal(t, name(op), compute(t, op, a, b), kind, func(i int) T { return f(x[i], y[i]) })
	}
	equal(t, name("Div"), compute(t, "Div", a, d), kind, func(i int) T { return x[i] / divisor[i] })
	equal(t, name("Neg"), compute(t, "Neg", a), kind, func(i int) T { return -x[i] })
	equal(t, name("Relu"), compute(t, "Relu", a), kind, func(i int) T { return max(0, x[i]) })
	equal(t, name("Clip"), compute(t, "Clip", a, tensor.From(kind, []T{3}),
		tensor.From(kind, []T{9})), kind, func(i int) T { return min(max(x[i], 3), 9) })
	equal(t, name("Less"), compute(t, "Less", a, b), tensor.Bool,
		func(i int) uint8 { return truth(x[i] < y[i]) })
	equal(t, name("Equal"), compute(t, "Equal", a, b), tensor.Bool,
		func(i int) uint8 { return truth(x[i] == y[i]) })

	least, most := x[0], x[0]
	for _, v := range x {
		least, most = min(least, v), max(most, v)
	}
	none := tensor.New(kind, 0)
	equal(t, name("empty ReduceMax"), compute(t, "ReduceMax", none), kind,
		func(int) T { return least })
	equal(t, name("empty ReduceMin"), compute(t, "ReduceMin", none), kind,
		func(int) T { return most })
	equal(t, name("ReduceMax"), compute(t, "ReduceMax", a), kind, func(int) T { return most })
	equal(t, name("ReduceSum"), compute(t, "ReduceSum", a), kind, func(int) (sum T) {
		for _, v := range x {
			sum += v
		}
		return sum
	})
}

func TestIntegersComputeAsInTheirOwnType(t *testing.T) {
	arithmeticAs[int8](t, tensor.Int8)
	arithmeticAs[int16](t, tensor.Int16)
	arithmeticAs[int32](t, tensor.Int32)
	arithmeticAs[int64](t, tensor.Int64)
	arithmeticAs[uint8](t, tensor.Uint8)
	arithmeticAs[uint16](t, tensor.Uint16)
	arithmeticAs[uint32](t, tensor.Uint32)
	arithmeticAs[uint64](t, tensor.Uint64)
}

// conversionsFrom holds conversions of an integer type to Go's own.
func conversionsFrom[T integers](t *testing.T, kind tensor.Type) {
	v, _ := samples[T]()
	x := tensor.From(kind, v, len(v))
	name := func(to tensor.Type) string { return fmt.Sprintf("%v to %v", kind, to) }
	check := func(to tensor.Type, f func(to tensor.Type, got *tensor.Tensor)) {
		f(to,
			convertTo(t, x, to))
	}
	check(tensor.Int8, func(to tensor.Type, got *tensor.Tensor) {
		equal(t, name(to), got, to, func(i int) int8 { return int8(v[i]) })
	})
	check(tensor.Int16, func(to tensor.Type, got *tensor.Tensor) {
		equal(t, name(to), got, to, func(i int) int16 { return int16(v[i]) })
	})
	check(tensor.Int32, func(to tensor.Type, got *tensor.Tensor) {
		equal(t, name(to), got, to, func(i int) int32 { return int32(v[i]) })
	})
	check(tensor.Int64, func(to tensor.Type, got *tensor.Tensor) {
		equal(t, name(to), got, to, func(i int) int64 { return int64(v[i]) })
	})
	check(tensor.Uint8, func(to tensor.Type, got *tensor.Tensor) {
		equal(t, name(to), got, to, func(i int) uint8 { return uint8(v[i]) })
	})
	check(tensor.Uint16, func(to tensor.Type, got *tensor.Tensor) {
		equal(t, name(to), got, to, func(i int) uint16 { return uint16(v[i]) })
	})
	check(tensor.Uint32, func(to tensor.Type, got *tensor.Tensor) {
		equal(t, name(to), got, to, func(i int) uint32 { return uint32(v[i]) })
	})
	check(tensor.Uint64, func(to tensor.Type, got *tensor.Tensor) {
		equal(t, name(to), got, to, func(i int) uint64 { return uint64(v[i]) })
	})
	check(tensor.Float32, func(to tensor.Type, got *tensor.Tensor) {
		equal(t, name(to), got, to, func(i int) float32 { return float32(v[i]) })
	})
	check(tensor.Float64, func(to tensor.Type, got *tensor.Tensor) {
		equal(t, name(to), got, to, func(i int) float64 { return float64(v[i]) })
	})
	check(tensor.Bool, func(to tensor.Type, got *tensor.Tensor) {
		equal(t, name(to), got, to, func(i int) uint8 { return truth(v[i] != 0) })
	})
}

func TestConversionsOfIntegers(t *testing.T) {
	conversionsFrom[int8](t, tensor.Int8)
	conversionsFrom[int16](t, tensor.Int16)
	conversionsFrom[int32](t, tensor.Int32)
	conversionsFrom[int64](t, tensor.Int64)
	conversionsFrom[uint8](t, tensor.Uint8)
	conversionsFrom[uint16](t, tensor.Uint16)
	conversionsFrom[uint32](t, tensor.Uint32)
	conversionsFrom[uint64](t, tensor.Uint64)
}

func TestConversionsOfRealNumbers(t *testing.T) {
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

func TestMixedAndUnknownTypesAreRefused(t *testing.T) {
	m := machine.New(machine.Limits{Elements: 1 << 10, Bytes: 1 << 20})
	small, large, yes := tensor.New(tensor.Int8, 2), tensor.New(tensor.Int64, 2),
		tensor.New(tensor.Bool, 2)
	for _, op := range []string{"Add", "Less"} {
		f, _, _ := Lookup("", op).Build(&Node{Op: op, Opset: 13, Outputs: 1}, NewPacks())
		if f(m, []*tensor.Tensor{small, large}, []*tensor.Tensor{{}}) == nil {
			t.Errorf("%s took int8 and int64 together", op)
		}
		if err := f(m, []*tensor.Tensor{yes, yes},
			[]*tensor.Tensor{{}}); (err == nil) != (op == "Less") {
			t.Errorf("%s of bools: %v", op, err)
		}
	}
	if Convert(m, &tensor.Tensor{}, small, tensor.String) == nil {
		t.Error("numbers were converted to strings")
	}
}
