package main

import (
	"math"

	"github.com/bagscope/bagscope/tools/gen/kernels/wasm/asm"
)

// Pictures side by side, as in onnxbackend/kernel: eight lanes, two vectors.
const (
	laneBytes = 32
	quad      = 4 // pictures that change places with values at a time
)

// convLanes adds a convolution over one row of n output positions to the module:
//
//	convLanes(dst, mapStride, src, n, from, k, step, weights, bias, maps, relu)
//
// with the k distances of from, mapStride and step in float32, the weights in tiles of neighbouring
// maps, bias the address of a float32 for each map or 0. A tile meets all positions before the next
// one is taken: layers of k 25 and 48 do 42 to 44 GFLOP/s plain and 54 to 56 fused, and 35 to 40
// and 42 to 51 where each position, a call of its own, meets all tiles. Layers of k 324 and 500 do
// not mind.
func (g *generator) convLanes(fused bool) {
	most := tileRows(fused)
	tiles := map[int32]*asm.Func{}
	for rows := int32(1); rows <= most; rows++ {
		tiles[rows] = g.laneTile(int(rows), fused)
	}
	f := g.Func("convLanes")
	dst, mapStride, src, n := f.Param(), f.Param(), f.Param(), f.Param()
	from, k, step, weights, bias, maps, relu := f.Param(), f.Param(), f.Param(), f.Param(),
		f.Param(), f.Param(), f.Param()
	mapStride.Set(mapStride.Shl(2))
	step.Set(step.Shl(2))
	rows := f.I32()
	f.While(maps.Gt(asm.Const(0)), func() {
		rows.Set(over(maps.I32, over(maps.I32, asm.Const(most))))
		for height := int32(1); height <= most; height++ {
			f.If(rows.Eq(asm.Const(height)), func() {
				f.Call(tiles[height], dst, mapStride, src, n, from, k, step, weights, bias, relu)
			}, nil)
		}
		dst.Set(dst.Plus(rows.Times(mapStride.I32)))
		weights.Set(weights.Plus(rows.Times(k.I32).Shl(2)))
		f.If(bias.I32, func() { bias.Set(bias.Plus(rows.Shl(2))) }, nil)
		maps.Set(maps.Minus(rows.I32))
	})
	g.Export(f)
}

// over is x / y rounded up; x must be at least 1.
func over(x, y asm.I32) asm.I32 { return x.Minus(asm.Const(1)).Over(y).Plus(asm.Const(1)) }

// laneTile adds the loop over positions for so many maps. One step over k a round is enough: with
// four the fused tile gains 1 % and the plain one 2 in Chromium 156, but Node 20, which moves loads
// forward, runs out of registers and falls from 39 GFLOP/s to 22.
func (g *generator) laneTile(rows int, fused bool) *asm.Func {
	f := g.Func("laneTile")
	dst, mapStride, src, n := f.Param(), f.Param(), f.Param(), f.Param()
	from, k, step, weights, bias, relu := f.Param(), f.Param(), f.Param(), f.Param(), f.Param(),
		f.Param()
	tap, end, weight, at := f.I32(), f.I32(), f.I32(), f.I32()
	acc := f.V128s(2 * rows)
	b0, b1, s := f.V128(), f.V128(), f.V128()
	f.While(n.Gt(asm.Const(0)), func() {
		for _, v := range acc {
			v.Set(asm.Splat(0))
		}
		tap.Set(from.I32)
		weight.Set(weights.I32)
		end.Set(from.Plus(k.Shl(2)))
		f.While(end.Gt(tap.I32), func() {
			at.Set(src.Plus(tap.Load(0).Shl(2)))
			b0.Set(at.Load128(0))
			b1.Set(at.Load128(16))
			for r := range rows {
				s.Set(weight.LoadSplat32(uint32(4 * r)))
				accumulate(acc[2*r], s, b0, fused)
				accumulate(acc[2*r+1], s, b1, fused)
			}
			tap.Add(4)
			weight.Add(int32(4 * rows))
		})
		rowEpilogue(f, acc, bias, relu)
		at.Set(dst.I32)
		for r := range rows {
			f.Store128(at, 0, acc[2*r].V128)
			f.Store128(at, 16, acc[2*r+1].V128)
			at.Set(at.Plus(mapStride.I32))
		}
		dst.Add(laneBytes)
		src.Set(src.Plus(step.I32))
		n.Add(-1)
	})
	return f
}

// maxLanes adds a maximum over windows to the module:
//
//	maxLanes(dst, src, from, taps, n, step)
//
// with the distances of from and step in float32. A NaN is noticed beside the maximum and put over
// it: in V8 on x64 a value of 2 x 2 places takes 0.6 ns and one of 3 x 3 1.0, with f32x4.max 1.2
// and 3.1.
func (g *generator) maxLanes() {
	f := g.Func("maxLanes")
	dst, src, from, taps, n, step := f.Param(), f.Param(), f.Param(), f.Param(), f.Param(),
		f.Param()
	step.Set(step.Shl(2))
	tap, left, at := f.I32(), f.I32(), f.I32()
	most, nan := f.V128s(2), f.V128s(2)
	x := f.V128()
	f.While(n.Gt(asm.Const(0)), func() {
		for i := range most {
			most[i].Set(g.Splat(float32(math.Inf(-1))))
			nan[i].Set(asm.Splat(0))
		}
		tap.Set(from.I32)
		left.Set(taps.I32)
		f.While(left.Gt(asm.Const(0)), func() {
			at.Set(src.Plus(tap.Load(0).Shl(2)))
			for i := range most {
				x.Set(at.Load128(uint32(16 * i)))
				most[i].Set(most[i].PMaxF32(x.V128))
				nan[i].Set(nan[i].Or(x.NeF32(x.V128)))
			}
			tap.Add(4)
			left.Add(-1)
		})
		for i := range most {
			f.Store128(dst, uint32(16*i), most[i].Or(nan[i].V128))
		}
		dst.Add(laneBytes)
		src.Set(src.Plus(step.I32))
		n.Add(-1)
	})
	g.Export(f)
}

// toLanes and fromLanes add the ways into lanes and back for whole groups of four pictures and at
// least four values:
//
//	toLanes(dst, src, n, ld, groups)
//	fromLanes(dst, src, n, ld, groups)
//
// with rows of a picture's values ld float32 apart. The last four values may be some that were
// taken before. Calls of 27 values in eight pictures take 0.3 ns a value, plain Go 2.2.
func (g *generator) toLanes() {
	g.eachQuad("toLanes", func(f *asm.Func, lanes *asm.I32Var, rows []*asm.I32Var) {
		x := f.V128s(quad)
		for i := range x {
			x[i].Set(rows[i].Load128(0))
		}
		for i, v := range transpose(f, x) {
			f.Store128(lanes, uint32(laneBytes*i), v.V128)
		}
	}, true)
}

// fromLanes is the inverse of toLanes.
func (g *generator) fromLanes() {
	g.eachQuad("fromLanes", func(f *asm.Func, lanes *asm.I32Var, rows []*asm.I32Var) {
		x := f.V128s(quad)
		for i := range x {
			x[i].Set(lanes.Load128(uint32(laneBytes * i)))
		}
		for i, v := range transpose(f, x) {
			f.Store128(rows[i], 0, v.V128)
		}
	}, false)
}

// eachQuad adds the loop over groups of pictures and of values. move gets the address of the first
// of four values in lanes, and its addresses in the pictures.
func (g *generator) eachQuad(
	name string, move func(f *asm.Func, lanes *asm.I32Var, rows []*asm.I32Var), to bool,
) {
	f := g.Func(name)
	dst, src, n, ld, groups := f.Param(), f.Param(), f.Param(), f.Param(), f.Param()
	lanes, pictures := dst, src
	if !to {
		lanes, pictures = src, dst
	}
	ld.Set(ld.Shl(2))
	i, place := f.I32(), f.I32()
	rows := make([]*asm.I32Var, quad)
	for r := range rows {
		rows[r] = f.I32()
	}
	f.While(groups.Gt(asm.Const(0)), func() {
		i.Set(asm.Const(0))
		f.While(n.Gt(i.I32), func() {
			f.If(i.Gt(n.Minus(asm.Const(quad))), func() { i.Set(n.Minus(asm.Const(quad))) }, nil)
			place.Set(lanes.Plus(i.Times(asm.Const(laneBytes))))
			rows[0].Set(pictures.Plus(i.Shl(2)))
			for r := 1; r < quad; r++ {
				rows[r].Set(rows[r-1].Plus(ld.I32))
			}
			move(f, place, rows)
			i.Add(quad)
		})
		lanes.Add(4 * quad)
		pictures.Set(pictures.Plus(ld.Times(asm.Const(quad))))
		groups.Add(-1)
	})
	g.Export(f)
}

// transpose returns the columns of four vectors.
func transpose(f *asm.Func, x []*asm.V128Var) []*asm.V128Var {
	pairs, columns := f.V128s(quad), f.V128s(quad)
	for i := range 2 {
		a, b := x[2*i], x[2*i+1]
		pairs[i].Set(a.Shuffle32(b.V128, 0, 4, 1, 5))
		pairs[2+i].Set(a.Shuffle32(b.V128, 2, 6, 3, 7))
	}
	for i := range 2 {
		a, b := pairs[2*i], pairs[2*i+1]
		columns[2*i].Set(a.Shuffle32(b.V128, 0, 1, 4, 5))
		columns[2*i+1].Set(a.Shuffle32(b.V128, 2, 3, 6, 7))
	}
	return columns
}
