package main

import (
	"math"

	"github.com/bagscope/bagscope/tools/gen/kernels/wasm/asm"
)

// shift adds shifted rows to the module:
//
//	shift(dst, src, ld, rows, n, bias, columns, relu)
//
// writes src[rows[i] ld + c] + bias[c] to dst[i columns + c], or 0 if that is negative and relu is
// not 0. rows has n numbers of 64 bits below 2^31. columns is a multiple of four,
// n at least 1.
func (g *generator) shift() {
	f := g.Func("shift")
	dst, src, ld, rows, n := f.Param(), f.Param(), f.Param(), f.Param(), f.Param()
	bias, columns, relu := f.Param(), f.Param(), f.Param()
	from, by, left, sum := f.I32(), f.I32(), f.I32(), f.V128()
	floor := f.V128()
	// The larger of a sum and the floor. Minus infinity changes nothing.
	f.If(relu.I32, func() { floor.Set(asm.Splat(0)) },
		func() { floor.Set(asm.Splat(float32(math.Inf(-1)))) })
	ld.Set(ld.Shl(2))
	f.Repeat(func() {
		from.Set(src.Plus(rows.Load(0).Times(ld.I32)))
		by.Set(bias.I32)
		left.Set(columns.I32)
		f.While(left.Ge(asm.Const(4)), func() {
			sum.Set(from.Load128(0).AddF32(by.Load128(0)))
			f.Store128(dst, 0, sum.PMaxF32(floor.V128))
			from.Add(16)
			by.Add(16)
			dst.Add(16)
			left.Add(-4)
		})
		rows.Add(8)
		n.Add(-1)
	}, func() asm.I32 { return n.I32 })
	g.Export(f)
}
