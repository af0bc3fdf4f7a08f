package main

import "github.com/bagscope/bagscope/tools/gen/kernels/wasm/asm"

// pairs adds functions of two elements to the module:
//
//	name(dst, a, b, n, stepA, stepB)
//
// for n float32, a multiple of 4. An operand with step 0 is one float32 for all, else step is 4.
func (g *generator) pairs(name string, op func(x, y asm.V128) asm.V128) {
	f := g.Func(name)
	dst, a, b, n, stepA, stepB := f.Param(), f.Param(), f.Param(), f.Param(), f.Param(), f.Param()
	x, y := f.V128(), f.V128()
	x.Set(a.LoadSplat32(0))
	y.Set(b.LoadSplat32(0))
	f.While(n.Gt(asm.Const(0)), func() {
		f.If(stepA.I32, func() { x.Set(a.Load128(0)) }, nil)
		f.If(stepB.I32, func() { y.Set(b.Load128(0)) }, nil)
		f.Store128(dst, 0, op(x.V128, y.V128))
		dst.Add(16)
		a.Set(a.Plus(stepA.Shl(2)))
		b.Set(b.Plus(stepB.Shl(2)))
		n.Add(-4)
	})
	g.Export(f)
}

// clamp adds clamp(dst, x, n, low, high) to the module for n float32, a multiple of 4. The bounds
// are passed by their bits. A NaN stays one.
func (g *generator) clamp() {
	f := g.Func("clamp")
	dst, x, n, lowBits, highBits := f.Param(), f.Param(), f.Param(), f.Param(), f.Param()
	low, high := f.V128(), f.V128()
	low.Set(lowBits.SplatI32())
	high.Set(highBits.SplatI32())
	f.While(n.Gt(asm.Const(0)), func() {
		f.Store128(dst, 0, x.Load128(0).PMaxF32(low.V128).PMinF32(high.V128))
		dst.Add(16)
		x.Add(16)
		n.Add(-4)
	})
	g.Export(f)
}
