package main

import (
	"math"

	"github.com/bagscope/bagscope/onnxbackend/kernel/approx"
	"github.com/bagscope/bagscope/tools/gen/kernels/wasm/asm"
)

// elementwise adds name(dst, x, n), which writes value(x) for n float32; dst may be x.
func (g *generator) elementwise(name string, value func(f *asm.Func, x asm.V128) asm.V128) {
	f := g.Func(name)
	dst, x, n := f.Param(), f.Param(), f.Param()
	v := f.V128()
	f.While(n.Gt(asm.Const(0)), func() {
		f.If(n.Ge(asm.Const(4)), func() {
			v.Set(x.Load128(0))
		}, func() {
			v.Set(asm.CallV128(g.loadPart, x, n))
		})
		v.Set(value(f, v.V128))
		f.If(n.Ge(asm.Const(4)), func() {
			f.Store128(dst, 0, v.V128)
		}, func() {
			f.Call(g.storePart, dst, v, n)
		})
		dst.Add(16)
		x.Add(16)
		n.Add(-4)
	})
	g.Export(f)
}

// let names the value of an expression, so that it is computed once.
func let(f *asm.Func, x asm.V128) asm.V128 {
	v := f.V128()
	v.Set(x)
	return v.V128
}

// polynomial is the sum of coefficients[i]·x^i by Horner's rule.
func (g *generator) polynomial(f *asm.Func, coefficients []float32, x asm.V128) asm.V128 {
	sum := g.Splat(coefficients[len(coefficients)-1])
	for i := len(coefficients) - 2; i >= 0; i-- {
		sum = sum.MulF32(x).AddF32(g.Splat(coefficients[i]))
	}
	return let(f, sum)
}

// reduce splits exp(x) into 2^n·(1 + q): n is a vector of integers, q = exp(r) - 1 for the rest r.
func (g *generator) reduce(f *asm.Func, x asm.V128) (n, q asm.V128) {
	shifted := let(f, x.MulF32(g.Splat(approx.Log2E)).AddF32(g.Splat(approx.Round)))
	n = let(f, shifted.SubI32(g.Splat(approx.Round)))
	whole := let(f, shifted.SubF32(g.Splat(approx.Round)))
	r := let(f, x.SubF32(whole.MulF32(g.Splat(approx.Ln2High))).SubF32(
		whole.MulF32(g.Splat(approx.Ln2Low))))
	return n, let(f, r.MulF32(r).MulF32(g.polynomial(f, approx.Exp[:], r)).AddF32(r))
}

// power is 2^n for integers -126 <= n <= 127.
func (g *generator) power(n asm.V128) asm.V128 {
	return n.AddI32(g.Splat(math.Float32frombits(127))).ShlI32(23)
}

// exp multiplies by 2^n in two steps, so that results below the normal range and above the largest
// power of two come out.
func (g *generator) exp(f *asm.Func, x asm.V128) asm.V128 {
	n, q := g.reduce(f, let(f, x.PMaxF32(g.Splat(approx.ExpLow)).PMinF32(g.Splat(approx.ExpHigh))))
	half := let(f, n.ShrI32(1))
	return q.AddF32(g.Splat(1)).MulF32(g.power(half)).MulF32(g.power(n.SubI32(half)))
}

// expNegative is exp for x in [approx.ExpNormal, 0]; less counts as the lower end.
func (g *generator) expNegative(f *asm.Func, x asm.V128) asm.V128 {
	n, q := g.reduce(f, let(f, x.PMaxF32(g.Splat(approx.ExpNormal))))
	return q.AddF32(g.Splat(1)).MulF32(g.power(n))
}

// negativeZero has the sign bit alone.
var negativeZero = math.Float32frombits(1 << 31)

// tanh is e/(e+2) with e = exp(2|x|) - 1, which keeps its precision near 0, with the sign of x.
func (g *generator) tanh(f *asm.Func, x asm.V128) asm.V128 {
	y := let(f, x.AbsF32().PMinF32(g.Splat(approx.TanhHigh)))
	n, q := g.reduce(f, let(f, y.AddF32(y)))
	scale := let(f, g.power(n))
	e := let(f, scale.MulF32(q).AddF32(scale.SubF32(g.Splat(1))))
	return e.DivF32(e.AddF32(g.Splat(2))).Or(x.And(g.Splat(negativeZero)))
}

// sigmoid is 1/(1+e) for x >= 0 and e/(1+e) below, with e = exp(-|x|).
func (g *generator) sigmoid(f *asm.Func, x asm.V128) asm.V128 {
	e := let(f, g.exp(f, let(f, x.AbsF32().NegF32())))
	over := let(f, x.LtF32(g.Splat(0)).Choose(e, g.Splat(1)))
	return over.DivF32(e.AddF32(g.Splat(1)))
}

// erf is x + x·P(x²) up to the split and 1 - exp(Q(|x|)) beyond, with the sign of x.
func (g *generator) erf(f *asm.Func, x asm.V128) asm.V128 {
	y := let(f, x.AbsF32().PMinF32(g.Splat(approx.ErfHigh)))
	square := let(f, y.MulF32(y))
	small := let(f, y.AddF32(y.MulF32(g.polynomial(f, approx.ErfSmall[:], square))))
	rest := g.expNegative(f, g.polynomial(f, approx.ErfLarge[:], y))
	large := let(f, g.Splat(1).SubF32(rest))
	return y.GtF32(g.Splat(approx.ErfSplit)).Choose(large, small).Or(x.And(g.Splat(negativeZero)))
}

// swish is x·sigmoid(x).
func (g *generator) swish(f *asm.Func, x asm.V128) asm.V128 { return x.MulF32(g.sigmoid(f, x)) }

// gelu is (x/2)·(erf(x/√2) + 1).
func (g *generator) gelu(f *asm.Func, x asm.V128) asm.V128 {
	y := g.erf(f, let(f, x.DivF32(g.Splat(approx.Root))))
	return x.MulF32(g.Splat(0.5)).MulF32(y.AddF32(g.Splat(1)))
}

// hardSwish is x·(x/6 + 1/2), the second factor cut to [0, 1].
func (g *generator) hardSwish(f *asm.Func, x asm.V128) asm.V128 {
	gate := x.MulF32(g.Splat(approx.Sixth)).AddF32(g.Splat(0.5))
	return x.MulF32(gate.PMaxF32(g.Splat(0)).PMinF32(g.Splat(1)))
}
