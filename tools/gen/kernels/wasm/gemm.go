package main

import "github.com/bagscope/bagscope/tools/gen/kernels/wasm/asm"

const panelWidth = 8

// tileRows returns the number of rows of C in the registers of the micro-kernel, two vectors each.
// They share the fifteen registers that engines leave with two vectors of B, one element of A and,
// unless fused, one product.
func tileRows(fused bool) int32 {
	if fused {
		return 6
	}
	return 4
}

// unroll returns the number of steps of the inner dimension in one round of the micro-kernel's
// loop. With more than one, Node 20 moves the loads of a plain tile forward and runs out of
// registers: 35 GFLOP/s instead of 55. Chromium 156 runs plain tiles alike, and fused ones best
// with four.
func unroll(fused bool) int32 {
	if fused {
		return 4
	}
	return 1
}

// gemm adds C = act(A·B + bias + rowBias) to the module:
//
//	gemm(c, ldc, a, lda, b, m, n, k, bias, rowBias, relu)
//
// Rows of c and a are ldc and lda float32 apart. b is packed in panels of eight columns. bias is
// the address of n float32 or 0, rowBias that of m float32 or 0, and relu is 0 or 1. Each element
// is one accumulator, k ascending. If fused, each step is a fused multiply and add if the machine
// has one. The caller passes so few rows that the rows of A stay cached from panel to panel.
func (g *generator) gemm(fused bool) {
	most := tileRows(fused)
	tiles := map[int32]*asm.Func{}
	for rows := int32(1); rows <= most; rows++ {
		tiles[rows] = g.tile(int(rows), fused)
	}
	f := g.Func("gemm")
	c, ldc, a, lda, b := f.Param(), f.Param(), f.Param(), f.Param(), f.Param()
	m, n, k, bias, rowBias, relu := f.Param(), f.Param(), f.Param(), f.Param(), f.Param(), f.Param()
	ldc.Set(ldc.Shl(2))
	lda.Set(lda.Shl(2))
	ap, cp, rp, rows := f.I32(), f.I32(), f.I32(), f.I32()
	f.While(n.Gt(asm.Const(0)), func() {
		ap.Set(a.I32)
		cp.Set(c.I32)
		rp.Set(rowBias.I32)
		rows.Set(m.I32)
		tile := func(rows int32) {
			f.Call(tiles[rows], ap, lda, b, k, cp, ldc, n, bias, rp, relu)
		}
		f.While(rows.Ge(asm.Const(most)), func() {
			tile(most)
			ap.Set(ap.Plus(lda.Times(asm.Const(most))))
			cp.Set(cp.Plus(ldc.Times(asm.Const(most))))
			f.If(rp.I32, func() { rp.Add(4 * most) }, nil)
			rows.Add(-most)
		})
		for left := int32(1); left < most; left++ {
			f.If(rows.Eq(asm.Const(left)), func() { tile(left) }, nil)
		}
		b.Set(b.Plus(k.Times(asm.Const(4 * panelWidth))))
		c.Add(4 * panelWidth)
		f.If(bias.I32, func() { bias.Add(4 * panelWidth) }, nil)
		n.Add(-panelWidth)
	})
	g.Export(f)
}

// tile adds the micro-kernel for a number of rows of one panel. It is a function of its own because
// engines replace a function by its optimised code at the next call, and not inside of a loop.
func (g *generator) tile(rows int, fused bool) *asm.Func {
	f := g.Func("tile")
	a, lda, b, k := f.Param(), f.Param(), f.Param(), f.Param()
	c, ldc, width, bias, rowBias, relu := f.Param(), f.Param(), f.Param(), f.Param(), f.Param(),
		f.Param()
	row := pointers(f, rows, a, lda.I32)
	acc := f.V128s(2 * rows)
	b0, b1, s := f.V128(), f.V128(), f.V128()
	step := func(p uint32) {
		b0.Set(b.Load128(4 * panelWidth * p))
		b1.Set(b.Load128(4*panelWidth*p + 16))
		for r := range rows {
			s.Set(row[r].LoadSplat32(4 * p))
			accumulate(acc[2*r], s, b0, fused)
			accumulate(acc[2*r+1], s, b1, fused)
		}
	}
	steps := func(n int32) {
		for p := range n {
			step(uint32(p))
		}
		for _, a := range row {
			a.Add(4 * n)
		}
		b.Add(4 * panelWidth * n)
		k.Add(-n)
	}
	if n := unroll(fused); n > 1 {
		f.While(k.Ge(asm.Const(n)), func() { steps(n) })
	}
	f.While(k.Gt(asm.Const(0)), func() { steps(1) })
	g.epilogue(f, acc, width, bias, rowBias, relu)
	for r := range rows {
		if r > 0 {
			c.Set(c.Plus(ldc.I32))
		}
		f.If(width.Ge(asm.Const(panelWidth)), func() {
			f.Store128(c, 0, acc[2*r].V128)
			f.Store128(c, 16, acc[2*r+1].V128)
		}, func() {
			f.Call(g.storePart, c, acc[2*r], width)
			f.Call(g.storePart, c.Plus(asm.Const(16)), acc[2*r+1], width.Minus(asm.Const(4)))
		})
	}
	return f
}

// pointers returns n addresses, the first one first and the others stride bytes apart. first may
// change afterwards.
func pointers(f *asm.Func, n int, first *asm.I32Var, stride asm.I32) []*asm.I32Var {
	list := []*asm.I32Var{first}
	for r := 1; r < n; r++ {
		next := f.I32()
		next.Set(list[r-1].Plus(stride))
		list = append(list, next)
	}
	return list
}

// accumulate adds s·b to acc, rounded once if fused.
func accumulate(acc, s, b *asm.V128Var, fused bool) {
	if fused {
		acc.Set(s.MaddF32(b.V128, acc.V128))
		return
	}
	acc.Set(acc.AddF32(s.MulF32(b.V128)))
}

// epilogue adds the biases that are not 0, and sets negative results to 0 if relu is not 0.
func (g *generator) epilogue(
	f *asm.Func, acc []*asm.V128Var, width, bias, rowBias, relu *asm.I32Var,
) {
	f.If(bias.I32, func() {
		half := []*asm.V128Var{f.V128(), f.V128()}
		half[0].Set(asm.CallV128(g.loadPart, bias, width))
		half[1].Set(asm.CallV128(g.loadPart, bias.Plus(asm.Const(16)), width.Minus(asm.Const(4))))
		for i, v := range acc {
			v.Set(v.AddF32(half[i%2].V128))
		}
	}, nil)
	rowEpilogue(f, acc, rowBias, relu)
}

// rowEpilogue is the part of epilogue that is the same for all columns.
func rowEpilogue(f *asm.Func, acc []*asm.V128Var, rowBias, relu *asm.I32Var) {
	f.If(rowBias.I32, func() {
		b := f.V128()
		for i, v := range acc {
			if i%2 == 0 {
				b.Set(rowBias.LoadSplat32(uint32(4 * (i / 2))))
			}
			v.Set(v.AddF32(b.V128))
		}
	}, nil)
	cutAtZero(f, acc, relu)
}

// cutAtZero sets negative results to 0 if relu is not 0.
func cutAtZero(f *asm.Func, acc []*asm.V128Var, relu *asm.I32Var) {
	f.If(relu.I32, func() {
		for _, v := range acc {
			v.Set(v.PMaxF32(asm.Splat(0)))
		}
	}, nil)
}
