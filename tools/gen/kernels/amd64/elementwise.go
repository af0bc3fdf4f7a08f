package main

import (
	"fmt"
	"math"

	"github.com/bagscope/bagscope/onnxbackend/kernel/approx"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A value is the result of a function for a vector of arguments.
type value func(s isa, x reg.VecVirtual) reg.VecVirtual

// elementwise writes the functions of one element. They take the same steps, none fused, as the
// loops in Go, and give the same bits.
func elementwise() {
	for _, f := range []struct {
		name string
		of   value
	}{{"exp", isa.exp}, {"tanh", isa.tanh}, {"sigmoid", isa.sigmoid}, {"erf", isa.erf}} {
		for _, s := range []isa{avx2, avx512} {
			s.each(f.name, f.of)
		}
	}
}

// each writes the loop over n vectors.
func (s isa) each(name string, of value) {
	TEXT(name+s.name, NOSPLIT, "func(dst, src *float32, n int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s%s computes n times %d values. n is at least 1.", name, s.name, s.bytes/4))
	dst, src, n := param("dst"), param("src"), param("n")
	Label("loop")
	x := s.vector()
	VMOVUPS(at(src, 0), x)
	VMOVUPS(of(s, x), at(dst, 0))
	ADDQ(U32(s.bytes), src)
	ADDQ(U32(s.bytes), dst)
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// constants are the vectors of equal floats that stand in memory, by bits.
var constants = map[uint32]Mem{}

// splat is a vector of c in memory.
func splat(c float32) Mem { return splatBits(math.Float32bits(c)) }

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

// op writes dst = y·op·x, the operands in the order of the assembler.
func (s isa) op(f func(...Op), y, x Op) reg.VecVirtual {
	v := s.vector()
	f(y, x, v)
	return v
}

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

// atLeast and atMost let a NaN through: of a NaN and a number, the second source comes out.
func (s isa) atLeast(bound float32, x reg.VecVirtual) reg.VecVirtual {
	return s.clamp(VMAXPS, bound, x)
}

func (s isa) atMost(bound float32, x reg.VecVirtual) reg.VecVirtual {
	return s.clamp(VMINPS, bound,
		x)
}

func (s isa) clamp(f func(...Op), bound float32, x reg.VecVirtual) reg.VecVirtual {
	b := s.vector()
	VMOVUPS(splat(bound), b)
	return s.op(f, x, b)
}

// reduce splits exp(x) into 2^n·(1 + q), q = exp(r) - 1 for the rest r.
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

// power is 2^n.
func (s isa) power(n reg.VecVirtual) reg.VecVirtual {
	v := s.op(VPADDD, splatBits(127), n)
	VPSLLD(Imm(23), v, v)
	return v
}

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

func (s isa) expNegative(x reg.VecVirtual) reg.VecVirtual {
	n, q := s.reduce(s.atLeast(approx.ExpNormal, x))
	VADDPS(splat(1), q, q)
	VMULPS(s.power(n), q, q)
	return q
}

const signBit = 1 << 31

func (s isa) abs(x reg.VecVirtual) reg.VecVirtual { return s.op(VANDPS, splatBits(signBit-1), x) }

// signed gives y the sign of x.
func (s isa) signed(y, x reg.VecVirtual) reg.VecVirtual {
	return s.op(VORPS, s.op(VANDPS, splatBits(signBit), x), y)
}

func (s isa) tanh(x reg.VecVirtual) reg.VecVirtual {
	y := s.atMost(approx.TanhHigh, s.abs(x))
	n, q := s.reduce(s.op(VADDPS, y, y))
	scale := s.power(n)
	e := s.op(VMULPS, q, scale)
	VADDPS(s.op(VSUBPS, splat(1), scale), e, e)
	return s.signed(s.op(VDIVPS, s.op(VADDPS, splat(2), e), e), x)
}

func (s isa) sigmoid(x reg.VecVirtual) reg.VecVirtual {
	e := s.exp(s.op(VORPS, splatBits(signBit), x))
	one := s.vector()
	VMOVUPS(splat(1), one)
	over := s.choose(s.less(x, splat(0)), e, one)
	return s.op(VDIVPS, s.op(VADDPS, one, e), over)
}

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

// less compares x < y: a mask register or a vector of masks. A NaN is not less.
func (s isa) less(x, y Op) Op {
	const quietLess = 0x11
	return s.compare(quietLess, x, y)
}

// unordered is set where x is a NaN.
func (s isa) unordered(x Op) Op {
	const quietUnordered = 3
	return s.compare(quietUnordered, x, x)
}

func (s isa) compare(predicate uint64, x, y Op) Op {
	if s.bytes == 64 {
		k := K()
		VCMPPS(Imm(predicate), y, x, k)
		return k
	}
	return s.op(func(ops ...Op) { VCMPPS(append([]Op{Imm(predicate)}, ops...)...) }, y, x)
}

// choose takes yes where mask is set, no elsewhere.
func (s isa) choose(mask Op, yes, no reg.VecVirtual) reg.VecVirtual {
	v := s.vector()
	if s.bytes == 64 {
		VBLENDMPS(yes, no, mask, v)
	} else {
		VBLENDVPS(mask, yes, no, v)
	}
	return v
}
