package main

import (
	"math"

	"github.com/bagscope/bagscope/tools/gen/kernels/wasm/asm"
)

// neighbours adds the results of the neighbours of a coalition to the module:
//
//	neighbours(dst, ldd, rows, ldr, sums, bias, columns, signs, scales, n, relu)
//
// writes (sums[c] + signs[j] rows[j ldr + c]) scales[j] + bias[c] to dst[j ldd + c] for n
// neighbours, or 0 if that is negative and relu is not 0. sums, signs and scales are float64, the
// others float32. Each result is computed in float64 and rounded to float32. columns is a multiple
// of four, n at least 1.
func (g *generator) neighbours() {
	f := g.Func("neighbours")
	dst, ldd, rows, ldr, sums, bias, columns := f.Param(), f.Param(), f.Param(), f.Param(),
		f.Param(), f.Param(), f.Param()
	signs, scales, n, relu := f.Param(), f.Param(), f.Param(), f.Param()
	ldd.Set(ldd.Shl(2))
	ldr.Set(ldr.Shl(2))
	// The larger of x and floor, and zero. Adding zero makes -0 to 0 with relu and nothing without.
	floor, zero := f.V128(), f.V128()
	f.If(relu.Eq(asm.Const(0)), func() {
		floor.Set(asm.Splat(float32(math.Inf(-1))))
		zero.Set(asm.Bits(1 << 31))
	}, nil)
	for _, width := range []int32{8, 4} {
		tile := g.neighboursTile(int(width/2), false)
		f.While(columns.Ge(asm.Const(width)), func() {
			f.Call(tile, dst, ldd, rows, ldr, sums, bias, signs, scales, n, floor, zero)
			dst.Add(4 * width)
			rows.Add(4 * width)
			sums.Add(8 * width)
			bias.Add(4 * width)
			columns.Add(-width)
		})
	}
	g.Export(f)
}

// neighbours64 adds neighbours for results in float64, without relu:
//
//	neighbours64(dst, ldd, rows, ldr, sums, bias, columns, signs, scales, n)
//
// columns is a multiple of two.
func (g *generator) neighbours64() {
	f := g.Func("neighbours64")
	dst, ldd, rows, ldr, sums, bias, columns := f.Param(), f.Param(), f.Param(), f.Param(),
		f.Param(), f.Param(), f.Param()
	signs, scales, n := f.Param(), f.Param(), f.Param()
	ldd.Set(ldd.Shl(3))
	ldr.Set(ldr.Shl(2))
	tile := g.neighboursTile(1, true)
	f.While(columns.I32, func() {
		f.Call(tile, dst, ldd, rows, ldr, sums, bias, signs, scales, n)
		dst.Add(16)
		rows.Add(8)
		sums.Add(16)
		bias.Add(8)
		columns.Add(-2)
	})
	g.Export(f)
}

// neighboursTile adds the loop over the neighbours for a number of vectors of two columns. Results
// are float64 if wide, else float32, of at least floor, with zero added.
func (g *generator) neighboursTile(vectors int, wide bool) *asm.Func {
	f := g.Func("neighboursTile")
	dst, ldd, rows, ldr, sums, bias := f.Param(), f.Param(), f.Param(), f.Param(), f.Param(),
		f.Param()
	signs, scales, n := f.Param(), f.Param(), f.Param()
	var floor, zero *asm.V128Var
	if !wide {
		floor, zero = f.VectorParam(), f.VectorParam()
	}
	sum, added := f.V128s(vectors), f.V128s(vectors)
	for v := range uint32(vectors) {
		sum[v].Set(sums.Load128(16 * v))
		added[v].Set(bias.Load64Zero(8 * v).Promote())
	}
	sign, scale := f.V128(), f.V128()
	f.Repeat(func() {
		sign.Set(signs.LoadSplat64(0))
		scale.Set(scales.LoadSplat64(0))
		result := func(v int) asm.V128 {
			x := sum[v].AddF64(rows.Load64Zero(8 * uint32(v)).Promote().MulF64(sign.V128))
			return x.MulF64(scale.V128).AddF64(added[v].V128)
		}
		for v := 0; v < vectors && wide; v++ {
			f.Store128(dst, 16*uint32(v), result(v))
		}
		for v := 0; v < vectors && !wide; v += 2 {
			both := result(v).Demote().Shuffle32(result(v+1).Demote(), 0, 1, 4, 5)
			f.Store128(dst, 8*uint32(v), both.PMaxF32(floor.V128).AddF32(zero.V128))
		}
		dst.Set(dst.Plus(ldd.I32))
		rows.Set(rows.Plus(ldr.I32))
		signs.Add(8)
		scales.Add(8)
		n.Add(-1)
	}, func() asm.I32 { return n.I32 })
	return f
}
