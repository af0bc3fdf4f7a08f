package main

import (
	"fmt"
	"math"

	"github.com/bagscope/bagscope/onnxbackend/kernel/approx"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A value writes a function: the instructions that compute it for a vector of arguments. It returns
// the register of the result.
type value func(s isa, x reg.VecVirtual) reg.VecVirtual

// elementwise writes the functions of one element. They have the steps of the loops in Go
// (elementwise_portable.go), none fused, so that results have the same bits.
func elementwise() {
	for _, f := range []struct {
		name string
		of   value
	}{{"exp", isa.exp}, {"tanh", isa.tanh}, {"sigmoid", isa.sigmoid}, {"erf", isa.erf},
		{"swish", isa.swish}, {"gelu", isa.gelu}, {"hardSwish", isa.hardSwish}} {
		for _, s := range []isa{avx2, avx512} {
			s.each(f.name, f.of)
		}
	}
}

// each writes the loop over n vectors. Its caller passes the rest of a slice as one padded vector.
func (s isa) each(name string, of value) {
	function(name+s.name, "(dst, src *float32, n int)",
		fmt.Sprintf("%s%s computes n times %d values. n is at least 1.", name, s.name, s.bytes/4))
	dst, src, n := param("dst"), param("src"), param("n")
	Label("loop")
	x := s.vector()
	VMOVUPS(at(src, 0), x)
	VMOVUPS(of(s, x), at(dst, 0))
	ADDQ(U32(s.bytes), src)
	ADDQ(U32(s.bytes), dst)
	repeat(n, "loop")
	finish()
}

// constants has the vectors of equal floats in the read-only data, by their bits. A vector in
// memory needs no register: it is an operand of the instruction that uses it.
var constants = map[uint32]Mem{}

// splat returns a vector in memory whose floats all are c.
func splat(c float32) Mem { return splatBits(math.Float32bits(c)) }

// splatBits is splat for 16 words of given bits. AVX2 reads the first eight of them.
func splatBits(bits uint32) Mem {
	m, ok := constants[bits]
	if !ok {
		m = GLOBL(fmt.Sprintf("all%08x", bits), RODATA|NOPTR)
		for i := range 16 {
			DATA(4*i, U32(bits))
		}
		constants[bits] = m
	}
	return m
}

// op writes an instruction with a new destination, which it returns. For a difference or a
// quotient, y is the right operand and x the left one, as in Go's assembler.
func (s isa) op(f func(...Op), y, x Op) reg.VecVirtual {
	v := s.vector()
	f(y, x, v)
	return v
}

// polynomial writes the sum of coefficients[i]·x^i by Horner's rule. Products and sums are separate
// instructions: the loops in Go round twice, too.
func (s isa) polynomial(coefficients []float32, x reg.VecVirtual) reg.VecVirtual {
	last := len(coefficients) - 1
	sum := s.vector()
	VMOVUPS(splat(coefficients[last]), sum)
	for i := last - 1; i >= 0; i-- {
		VMULPS(x, sum, sum)
		VADDPS(splat(coefficients[i]), sum, sum)
	}
	return sum
}

// atLeast writes max(x, bound). The maximum of a NaN and a number is the second source, which is x,
// so that a NaN stays a NaN.
func (s isa) atLeast(bound float32, x reg.VecVirtual) reg.VecVirtual {
	return s.clamp(VMAXPS, bound, x)
}

// atMost writes min(x, bound); a NaN stays a NaN.
func (s isa) atMost(bound float32, x reg.VecVirtual) reg.VecVirtual {
	return s.clamp(VMINPS, bound, x)
}

// clamp writes f with x as the second source. The bound needs a register: only the first source of
// an instruction may be in memory.
func (s isa) clamp(f func(...Op), bound float32, x reg.VecVirtual) reg.VecVirtual {
	b := s.vector()
	VMOVUPS(splat(bound), b)
	return s.op(f, x, b)
}

// reduce writes n and q of exp(x) = 2^n·(1 + q), where n is x/ln 2 rounded to an integer, r is the
// rest x - n·ln 2 and q is exp(r) - 1. Adding approx.Round, of 1.5·2^23, rounds a float to an
// integer and leaves that integer in its lowest bits. ln 2 is split in two, so that n·ln 2 is exact
// enough.
func (s isa) reduce(x reg.VecVirtual) (n, q reg.VecVirtual) {
	shifted := s.op(VMULPS, splat(approx.Log2E), x)
	VADDPS(splat(approx.Round), shifted, shifted)
	n = s.op(VPSUBD, splat(approx.Round), shifted)
	whole := s.op(VSUBPS, splat(approx.Round), shifted)
	r := s.op(VSUBPS, s.op(VMULPS, splat(approx.Ln2High), whole), x)
	VSUBPS(s.op(VMULPS, splat(approx.Ln2Low), whole), r, r)
	q = s.op(VMULPS, r, r)
	VMULPS(s.polynomial(approx.Exp[:], r), q, q)
	VADDPS(r, q, q)
	return n, q
}

// power writes 2^n for -126 <= n <= 127: the biased exponent n + 127 in the bits of a float32.
func (s isa) power(n reg.VecVirtual) reg.VecVirtual {
	v := s.op(VPADDD, splatBits(127), n)
	VPSLLD(Imm(23), v, v)
	return v
}

// exp writes exp(x). It multiplies by 2^n in two steps, since n may be below the smallest or above
// the largest exponent.
func (s isa) exp(x reg.VecVirtual) reg.VecVirtual {
	n, q := s.reduce(s.atMost(approx.ExpHigh, s.atLeast(approx.ExpLow, x)))
	half := s.vector()
	VPSRAD(Imm(1), n, half)
	VADDPS(splat(1), q, q)
	VMULPS(s.power(half), q, q)
	VPSUBD(half, n, n)
	VMULPS(s.power(n), q, q)
	return q
}

// expNegative writes exp(x) for x in [approx.ExpNormal, 0], where one step is enough.
func (s isa) expNegative(x reg.VecVirtual) reg.VecVirtual {
	n, q := s.reduce(s.atLeast(approx.ExpNormal, x))
	VADDPS(splat(1), q, q)
	VMULPS(s.power(n), q, q)
	return q
}

// signBit is the sign of a float32.
const signBit = 1 << 31

// abs writes |x|.
func (s isa) abs(x reg.VecVirtual) reg.VecVirtual { return s.op(VANDPS, splatBits(signBit-1), x) }

// signed writes y, which is not negative, with the sign of x.
func (s isa) signed(y, x reg.VecVirtual) reg.VecVirtual {
	return s.op(VORPS, s.op(VANDPS, splatBits(signBit), x), y)
}

// tanh writes e/(e+2) with e = exp(2|x|) - 1, which has no cancellation near 0, with the sign of x.
func (s isa) tanh(x reg.VecVirtual) reg.VecVirtual {
	y := s.atMost(approx.TanhHigh, s.abs(x))
	n, q := s.reduce(s.op(VADDPS, y, y))
	scale := s.power(n)
	e := s.op(VMULPS, q, scale)
	VADDPS(s.op(VSUBPS, splat(1), scale), e, e)
	return s.signed(s.op(VDIVPS, s.op(VADDPS, splat(2), e), e), x)
}

// sigmoid writes 1/(1+e) for x >= 0 and e/(1+e) for other x, with e = exp(-|x|), which does not
// overflow.
func (s isa) sigmoid(x reg.VecVirtual) reg.VecVirtual {
	e := s.exp(s.op(VORPS, splatBits(signBit), x))
	one := s.vector()
	VMOVUPS(splat(1), one)
	over := s.choose(s.less(x, splat(0)), e, one)
	return s.op(VDIVPS, s.op(VADDPS, one, e), over)
}

// erf writes x + x·P(x²) up to the split and 1 - exp(Q(|x|)) above it, with the sign of x. Both
// formulas are computed for all lanes, and each lane selects one.
func (s isa) erf(x reg.VecVirtual) reg.VecVirtual {
	y := s.atMost(approx.ErfHigh, s.abs(x))
	small := s.op(VMULPS, s.polynomial(approx.ErfSmall[:], s.op(VMULPS, y, y)), y)
	VADDPS(y, small, small)
	one := s.vector()
	VMOVUPS(splat(1), one)
	large := s.op(VSUBPS, s.expNegative(s.polynomial(approx.ErfLarge[:], y)), one)
	split := s.vector()
	VMOVUPS(splat(approx.ErfSplit), split)
	return s.signed(s.choose(s.less(split, y), large, small), x)
}

// swish writes x·sigmoid(x).
func (s isa) swish(x reg.VecVirtual) reg.VecVirtual { return s.op(VMULPS, s.sigmoid(x), x) }

// gelu writes (x/2)·(erf(x/√2) + 1).
func (s isa) gelu(x reg.VecVirtual) reg.VecVirtual {
	y := s.erf(s.op(VDIVPS, splat(approx.Root), x))
	VADDPS(splat(1), y, y)
	return s.op(VMULPS, y, s.op(VMULPS, splat(0.5), x))
}

// hardSwish writes x·(x/6 + 1/2), the second factor cut to [0, 1].
func (s isa) hardSwish(x reg.VecVirtual) reg.VecVirtual {
	gate := s.op(VMULPS, splat(approx.Sixth), x)
	VADDPS(splat(0.5), gate, gate)
	return s.op(VMULPS, s.atMost(1, s.atLeast(0, gate)), x)
}

// less writes x < y and returns the mask: a mask register of AVX-512, or a vector of all ones and
// all zeros. It is false if x or y is a NaN.
func (s isa) less(x, y Op) Op {
	const quietLess = 0x11
	return s.compare(quietLess, x, y)
}

// unordered returns the mask of the lanes in which x is a NaN.
func (s isa) unordered(x Op) Op {
	const quietUnordered = 3
	return s.compare(quietUnordered, x, x)
}

// compare writes a comparison by the number of its predicate in the manual of VCMPPS.
func (s isa) compare(predicate uint64, x, y Op) Op {
	if s.bytes == 64 {
		k := K()
		VCMPPS(Imm(predicate), y, x, k)
		return k
	}
	return s.op(func(ops ...Op) { VCMPPS(append([]Op{Imm(predicate)}, ops...)...) }, y, x)
}

// choose writes yes in the lanes of a mask and no in the others.
func (s isa) choose(mask Op, yes, no reg.VecVirtual) reg.VecVirtual {
	v := s.vector()
	if s.bytes == 64 {
		VBLENDMPS(yes, no, mask, v)
	} else {
		VBLENDVPS(mask, yes, no, v)
	}
	return v
}
