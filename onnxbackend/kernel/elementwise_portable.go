package kernel

import (
	"math"

	"github.com/bagscope/bagscope/onnxbackend/kernel/approx"
)

// A conversion to float32 around a product keeps the compiler from fusing it with a sum, so that
// every machine, and the vectors that do the same steps, give the same bits.

// polynomial is the sum of coefficients[i]·x^i by Horner's rule.
func polynomial(coefficients []float32, x float32) float32 {
	last := len(coefficients) - 1
	sum := coefficients[last]
	for i := last - 1; i >= 0; i-- {
		sum = float32(sum*x) + coefficients[i]
	}
	return sum
}

// reduce splits exp(x) into 2^n·(1 + q), q = exp(r) - 1 for the rest r.
func reduce(x float32) (n int32, q float32) {
	shifted := float32(x*approx.Log2E) + approx.Round
	n = int32(math.Float32bits(shifted) - math.Float32bits(approx.Round))
	whole := shifted - approx.Round
	r := x - float32(whole*approx.Ln2High) - float32(whole*approx.Ln2Low)
	return n, float32(float32(r*r)*polynomial(approx.Exp[:], r)) + r
}

// power is 2^n for -126 <= n <= 127.
func power(n int32) float32 { return math.Float32frombits(uint32(n+127) << 23) }

// exp multiplies by 2^n in two steps, so that results below the normal range and above the largest
// power of two come out.
func exp(x float32) float32 {
	if x < approx.ExpLow {
		x = approx.ExpLow
	}
	if x > approx.ExpHigh {
		x = approx.ExpHigh
	}
	n, q := reduce(x)
	return (q + 1) * power(n>>1) * power(n-n>>1)
}

// expNegative is exp for x in [ExpNormal, 0]; less counts as ExpNormal.
func expNegative(x float32) float32 {
	if x < approx.ExpNormal {
		x = approx.ExpNormal
	}
	n, q := reduce(x)
	return (q + 1) * power(n)
}

// tanh is e/(e+2) with e = exp(2|x|) - 1, which keeps its precision near 0, with the sign of x.
func tanh(x float32) float32 {
	y := abs(x)
	if y > approx.TanhHigh {
		y = approx.TanhHigh
	}
	n, q := reduce(y + y)
	scale := power(n)
	e := float32(scale*q) + (scale - 1)
	return signed(e/(e+2), x)
}

// sigmoid is 1/(1+e) for x >= 0 and e/(1+e) below, with e = exp(-|x|).
func sigmoid(x float32) float32 {
	e := exp(-abs(x))
	if x < 0 {
		return e / (e + 1)
	}
	return 1 / (e + 1)
}

// erf is x + x·P(x²) up to the split and 1 - exp(Q(|x|)) beyond, with the sign of x.
func erf(x float32) float32 {
	y := abs(x)
	if y > approx.ErfHigh {
		y = approx.ErfHigh
	}
	if y > approx.ErfSplit {
		return signed(1-expNegative(polynomial(approx.ErfLarge[:], y)), x)
	}
	return signed(y+float32(y*polynomial(approx.ErfSmall[:], float32(y*y))), x)
}

// swish is x·sigmoid(x).
func swish(x float32) float32 { return x * sigmoid(x) }

// gelu is (x/2)·(erf(x/√2) + 1).
func gelu(x float32) float32 {
	return float32(x*0.5) * (erf(x/approx.Root) + 1)
}

// hardSwish is x·(x/6 + 1/2), the second factor cut to [0, 1].
func hardSwish(x float32) float32 {
	gate := float32(x*approx.Sixth) + 0.5
	if gate < 0 {
		gate = 0
	}
	if gate > 1 {
		gate = 1
	}
	return x * gate
}

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// signed gives y, which is not negative, the sign of x.
func signed(y, x float32) float32 {
	return math.Float32frombits(math.Float32bits(y) | math.Float32bits(x)&(1<<31))
}

// each applies f to each element.
func each(dst, src []float32, f func(float32) float32) {
	for i, x := range src {
		dst[i] = f(x)
	}
}

// elementwisePortable applies fn to each element of src.
func elementwisePortable(fn function, dst, src []float32) {
	switch fn {
	case fnExp:
		each(dst, src, exp)
	case fnTanh:
		each(dst, src, tanh)
	case fnSigmoid:
		each(dst, src, sigmoid)
	case fnErf:
		each(dst, src, erf)
	case fnSwish:
		each(dst, src, swish)
	case fnGelu:
		each(dst, src, gelu)
	case fnHardSwish:
		each(dst, src, hardSwish)
	}
}
