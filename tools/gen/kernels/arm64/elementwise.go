package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/kernel/approx"
)

// A formula is a function of one element that is being written, and its constants.
type formula struct {
	*function
	table  gp             // the address of the constants
	kept   map[uint32]vec // constants in registers, by their bits
	needed []uint32       // constants in the order of their first use
}

// A value writes the instructions that compute a function for a vector of arguments. It returns the
// register of the result.
type value func(f *formula, x vec) vec

// elementwise writes the functions of one element. They have the steps of the loops in Go
// (elementwise_portable.go), none fused, so that results have the same bits.
func elementwise() []*function {
	var functions []*function
	for _, k := range []struct {
		name string
		of   value
	}{{"exp", (*formula).exp}, {"tanh", (*formula).tanh}, {"sigmoid", (*formula).sigmoid},
		{"erf", (*formula).erf}, {"swish", (*formula).swish}, {"gelu", (*formula).gelu},
		{"hardSwish", (*formula).hardSwish}} {
		functions = append(functions, each(k.name+"NEON", k.of))
	}
	return functions
}

// each writes the loop over n vectors. As many constants as there is room for stay in registers,
// those that are used first; the others are loaded where they are used.
func each(name string, of value) *function {
	needed := eachWith(name, of, nil).needed
	for keep := len(needed); ; keep-- {
		f := eachWith(name, of, needed[:keep])
		if _, err := f.assign(); err == nil {
			return f.function
		}
	}
}

// eachWith is each with given constants in registers.
func eachWith(name string, of value, keep []uint32) *formula {
	f := &formula{function: begin(name, "(dst *float32, src *float32, n int)",
		fmt.Sprintf("%s computes n times 4 values. n is at least 1.", name)),
		kept: map[uint32]vec{}}
	dst, src, n := f.param("dst"), f.param("src"), f.param("n")
	f.table = f.gp()
	f.ins("MOVD $%s, %v", constantTable, f.table)
	for _, bits := range keep {
		f.kept[bits] = f.load(f.table, constant(bits))
	}
	f.label("loop")
	f.put(of(f, f.next(src)), dst)
	f.repeat(n, "loop")
	f.ins("RET")
	return f
}

// splat returns a vector whose floats all are c. Its register is not to be written.
func (f *formula) splat(c float32) vec { return f.splatBits(math.Float32bits(c)) }

// splatBits is splat for four words of given bits.
func (f *formula) splatBits(bits uint32) vec {
	if v, ok := f.kept[bits]; ok {
		return v
	}
	if !slices.Contains(f.needed, bits) {
		f.needed = append(f.needed, bits)
	}
	return f.load(f.table, constant(bits))
}

// polynomial writes the sum of coefficients[i]·x^i by Horner's rule. Products and sums are separate
// instructions: the loops in Go round twice, too.
func (f *formula) polynomial(coefficients []float32, x vec) vec {
	last := len(coefficients) - 1
	sum := f.splat(coefficients[last])
	for i := last - 1; i >= 0; i-- {
		sum = f.op(fadd, f.op(fmul, sum, x), f.splat(coefficients[i]))
	}
	return sum
}

// reduce writes n and q of exp(x) = 2^n·(1 + q), where n is x/ln 2 rounded to an integer, r is the
// rest x - n·ln 2 and q is exp(r) - 1. Adding approx.Round, of 1.5·2^23, rounds a float to an
// integer and leaves that integer in its lowest bits. ln 2 is split in two, so that n·ln 2 is exact
// enough.
func (f *formula) reduce(x vec) (n, q vec) {
	shifted := f.op(fadd, f.op(fmul, x, f.splat(approx.Log2E)), f.splat(approx.Round))
	n = f.op(sub4, shifted, f.splat(approx.Round))
	whole := f.op(fsub, shifted, f.splat(approx.Round))
	r := f.op(fsub, x, f.op(fmul, whole, f.splat(approx.Ln2High)))
	r = f.op(fsub, r, f.op(fmul, whole, f.splat(approx.Ln2Low)))
	q = f.op(fmul, f.op(fmul, r, r), f.polynomial(approx.Exp[:], r))
	return n, f.op(fadd, q, r)
}

// power writes 2^n for -126 <= n <= 127: the biased exponent n + 127 in the bits of a float32.
func (f *formula) power(n vec) vec {
	const exponentBit = 23
	return f.op(shl(exponentBit), f.op(add4, n, f.splatBits(127)))
}

// exp writes exp(x). It multiplies by 2^n in two steps, since n may be below the smallest or above
// the largest exponent.
func (f *formula) exp(x vec) vec {
	x = f.op(fmin, f.op(fmax, x, f.splat(approx.ExpLow)), f.splat(approx.ExpHigh))
	n, q := f.reduce(x)
	half := f.op(sshr(1), n)
	q = f.op(fmul, f.op(fadd, q, f.splat(1)), f.power(half))
	return f.op(fmul, q, f.power(f.op(sub4, n, half)))
}

// expNegative writes exp(x) for x in [approx.ExpNormal, 0], where one step is enough.
func (f *formula) expNegative(x vec) vec {
	n, q := f.reduce(f.op(fmax, x, f.splat(approx.ExpNormal)))
	return f.op(fmul, f.op(fadd, q, f.splat(1)), f.power(n))
}

// signBit is the sign of a float32.
const signBit = 1 << 31

// signed writes y, which is not negative, with the sign of x.
func (f *formula) signed(y, x vec) vec {
	return f.op(orr, y, f.op(and, x, f.splatBits(signBit)))
}

// tanh writes e/(e+2) with e = exp(2|x|) - 1, which has no cancellation near 0, with the sign of x.
func (f *formula) tanh(x vec) vec {
	y := f.op(fmin, f.op(fabs, x), f.splat(approx.TanhHigh))
	n, q := f.reduce(f.op(fadd, y, y))
	scale := f.power(n)
	e := f.op(fadd, f.op(fmul, scale, q), f.op(fsub, scale, f.splat(1)))
	return f.signed(f.op(fdiv, e, f.op(fadd, e, f.splat(2))), x)
}

// sigmoid writes 1/(1+e) for x >= 0 and e/(1+e) for other x, with e = exp(-|x|), which does not
// overflow.
func (f *formula) sigmoid(x vec) vec {
	e := f.exp(f.op(orr, x, f.splatBits(signBit)))
	over := f.choose(f.op(fcmlt0, x), e, f.splat(1))
	return f.op(fdiv, over, f.op(fadd, e, f.splat(1)))
}

// erf writes x + x·P(x²) up to the split and 1 - exp(Q(|x|)) above it, with the sign of x. Both
// formulas are computed for all lanes, and each lane selects one.
func (f *formula) erf(x vec) vec {
	y := f.op(fmin, f.op(fabs, x), f.splat(approx.ErfHigh))
	small := f.op(fmul, y, f.polynomial(approx.ErfSmall[:], f.op(fmul, y, y)))
	small = f.op(fadd, y, small)
	e := f.expNegative(f.polynomial(approx.ErfLarge[:], y))
	large := f.op(fsub, f.splat(1), e)
	return f.signed(f.choose(f.op(fcmgt, y, f.splat(approx.ErfSplit)), large, small), x)
}

// swish writes x·sigmoid(x).
func (f *formula) swish(x vec) vec { return f.op(fmul, x, f.sigmoid(x)) }

// gelu writes (x/2)·(erf(x/√2) + 1).
func (f *formula) gelu(x vec) vec {
	y := f.op(fadd, f.erf(f.op(fdiv, x, f.splat(approx.Root))), f.splat(1))
	return f.op(fmul, f.op(fmul, x, f.splat(0.5)), y)
}

// hardSwish writes x·(x/6 + 1/2), the second factor cut to [0, 1].
func (f *formula) hardSwish(x vec) vec {
	gate := f.op(fadd, f.op(fmul, x, f.splat(approx.Sixth)), f.splat(0.5))
	return f.op(fmul, x, f.op(fmin, f.op(fmax, gate, f.splat(0)), f.splat(1)))
}

// choose returns yes in the lanes of a mask and no in the others, in the register of the mask.
func (f *formula) choose(mask, yes, no vec) vec {
	f.into(bsl, mask, yes, no)
	return mask
}
