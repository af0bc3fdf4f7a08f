package tensor

import (
	"cmp"
	"math"
)

// A minifloat is a floating-point format of 8 bits or fewer: a sign, a biased exponent and a
// mantissa.
type minifloat struct {
	mantissa, bias int
	max            float64 // the largest finite number
	sign, nan, inf uint8   // bit of the sign, and codes; 0 for codes that do not exist
}

// The types of float8, after Micikevicius et al., "FP8 Formats for Deep Learning", 2022, and Noune
// et al., "8-bit Numerical Formats for Deep Neural Networks", 2022, and of float4, after the OCP
// Microscaling formats.
var minifloats = map[Type]minifloat{
	Float8E4M3FN:   {mantissa: 3, bias: 7, max: 448, sign: 0x80, nan: 0x7f},
	Float8E4M3FNUZ: {mantissa: 3, bias: 8, max: 240, sign: 0x80, nan: 0x80},
	Float8E5M2:     {mantissa: 2, bias: 15, max: 57344, sign: 0x80, nan: 0x7e, inf: 0x7c},
	Float8E5M2FNUZ: {mantissa: 2, bias: 16, max: 57344, sign: 0x80, nan: 0x80},
	Float4E2M1:     {mantissa: 1, bias: 1, max: 6, sign: 8},
}

// Mini reports whether the type is floating-point with 8 bits or fewer. Such elements are stored as
// their code.
func (t Type) Mini() bool { return t == Float8E8M0 || minifloats[t].max != 0 }

// FromMini returns the number of a code of a type for which Mini is true. All are exact.
func FromMini(t Type, code uint8) float32 {
	if t == Float8E8M0 {
		if code == 255 {
			return float32(math.NaN())
		}
		return float32(math.Ldexp(1, int(code)-127))
	}
	f := minifloats[t]
	v := code &^ f.sign
	x := f.value(int(v))
	switch {
	case f.nan == f.sign && code == f.nan, f.nan == 0x7f && v == 0x7f, f.inf != 0 && v > f.inf:
		return float32(math.NaN())
	case f.inf != 0 && v == f.inf:
		x = math.Inf(1)
	}
	if code&f.sign != 0 {
		x = -x
	}
	return float32(x)
}

// value returns the number of a code without its sign. Exponent 0 has the subnormal numbers.
func (f minifloat) value(v int) float64 {
	exponent, m := v>>f.mantissa, float64(v&(1<<f.mantissa-1))
	if exponent == 0 {
		return math.Ldexp(m, 1-f.bias-f.mantissa)
	}
	return math.Ldexp(m+float64(int(1)<<f.mantissa), exponent-f.bias-f.mantissa)
}

// ToMini returns the code of the nearest number, ties to even. Numbers that are too large become
// the largest number if saturate is true, else infinite, or NaN in formats without infinity.
func ToMini(t Type, x float32, saturate bool) uint8 {
	f := minifloats[t]
	v := math.Abs(float64(x))
	sign := uint8(0)
	if math.Signbit(float64(x)) {
		sign = f.sign
	}
	switch float4 := f.nan == 0; {
	case v != v && float4: // it has neither infinity nor NaN
		return f.sign
	case v != v:
		return f.nan | sign
	case saturate || float4:
		v = min(v, f.max)
	}
	e := max(math.Ilogb(v), 1-f.bias) // subnormal numbers have the steps of the smallest exponent
	unit := math.Ldexp(1, e-f.mantissa)
	steps := math.RoundToEven(v / unit)
	if !(steps*unit <= f.max) { // NaN is infinity by infinity
		return cmp.Or(f.inf, f.nan) | sign
	}
	code := uint8((e-1+f.bias)<<f.mantissa + int(steps))
	if code == 0 && f.nan == f.sign {
		return 0 // the code of -0 is that of NaN
	}
	return code | sign
}

// ToE8M0 returns the code of a power of two near x: the nearest one if round is "nearest", the next
// larger one for "up", else the next smaller one. NaN and negative numbers have the code of NaN,
// 255.
func ToE8M0(x float32, saturate bool, round string) uint8 {
	if x != x || x < 0 {
		return 255
	}
	if x == 0 {
		return 0
	}
	m, e := math.Frexp(float64(x))
	e-- // v = 2m · 2^e with 2m in [1, 2)
	if round == "up" && m > .5 || round == "nearest" && m >= .75 {
		e++
	}
	if x > math.MaxFloat32 || e > 127 {
		if saturate {
			return 254
		}
		return 255
	}
	return uint8(max(0, e+127))
}
