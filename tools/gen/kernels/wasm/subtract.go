package main

import "github.com/bagscope/bagscope/tools/gen/kernels/wasm/asm"

// subtract adds C -= A·B in float64 to the module:
//
//	subtract(c, ldc, a, row, column, b, ldb, m, n, k)
//
// with element (i, p) of A row·i + column·p float64 behind a, rows of C and B ldc and ldb apart, k
// at least 1 and n a multiple of four. Each element of C is one chain of subtractions, p ascending,
// of rounded products: it is the same with and without relaxed SIMD. Rows that are left over below
// four are taken by themselves, sixteen columns at a time where there are so many: eight chains
// keep the adders busy.
func (g *generator) subtract() {
	const rows, narrow, wide = 4, 2, 8
	tile := g.subtractTile(rows, narrow)
	f := g.Func("subtract")
	c, ldc, a, row, column, b, ldb := f.Param(), f.Param(), f.Param(), f.Param(), f.Param(),
		f.Param(), f.Param()
	m, n, k := f.Param(), f.Param(), f.Param()
	for _, distance := range []*asm.I32Var{ldc, row, column, ldb} {
		distance.Set(distance.Shl(3))
	}
	ap, bp, cp, left := f.I32(), f.I32(), f.I32(), f.I32()
	f.If(m.Ge(asm.Const(rows)), func() {
		bp.Set(b.I32)
		left.Set(n.I32)
		done := f.I32()
		f.While(left.Gt(asm.Const(0)), func() {
			ap.Set(a.I32)
			cp.Set(c.Plus(n.Minus(left.I32).Shl(3)))
			done.Set(m.I32)
			f.While(done.Ge(asm.Const(rows)), func() {
				f.Call(tile, cp, ldc, ap, row, column, bp, ldb, k)
				ap.Set(ap.Plus(row.Shl(2)))
				cp.Set(cp.Plus(ldc.Shl(2)))
				done.Add(-rows)
			})
			bp.Add(16 * narrow)
			left.Add(-2 * narrow)
		})
		// The rest of the rows follows one by one.
		c.Set(c.Plus(ldc.Times(m.Minus(done.I32))))
		a.Set(a.Plus(row.Times(m.Minus(done.I32))))
		m.Set(done.I32)
	}, nil)
	f.While(m.Gt(asm.Const(0)), func() {
		bp.Set(b.I32)
		cp.Set(c.I32)
		left.Set(n.I32)
		for _, vectors := range []int32{wide, narrow} {
			one := g.subtractTile(1, int(vectors))
			f.While(left.Ge(asm.Const(2*vectors)), func() {
				f.Call(one, cp, ldc, a, row, column, bp, ldb, k)
				bp.Add(16 * vectors)
				cp.Add(16 * vectors)
				left.Add(-2 * vectors)
			})
		}
		a.Set(a.Plus(row.I32))
		c.Set(c.Plus(ldc.I32))
		m.Add(-1)
	})
	g.Export(f)
}

// subtractTile adds the loop for a number of rows and of vectors of two columns.
func (g *generator) subtractTile(rows, vectors int) *asm.Func {
	f := g.Func("subtractTile")
	c, ldc, a, row, column, b, ldb, k := f.Param(), f.Param(), f.Param(), f.Param(), f.Param(),
		f.Param(), f.Param(), f.Param()
	from, to := []*asm.I32Var{a}, []*asm.I32Var{c}
	for r := 1; r < rows; r++ {
		x, y := f.I32(), f.I32()
		x.Set(from[r-1].Plus(row.I32))
		y.Set(to[r-1].Plus(ldc.I32))
		from, to = append(from, x), append(to, y)
	}
	acc, s := f.V128s(rows*vectors), f.V128()
	line := make([]asm.V128, vectors)
	for i, sum := range acc {
		sum.Set(to[i/vectors].Load128(16 * uint32(i%vectors)))
	}
	f.Repeat(func() {
		for v := range line {
			line[v] = b.Load128(16 * uint32(v))
			if rows > 1 {
				local := f.V128() // one load for all rows
				local.Set(line[v])
				line[v] = local.V128
			}
		}
		for r := range rows {
			s.Set(from[r].LoadSplat64(0))
			from[r].Set(from[r].Plus(column.I32))
			for v, x := range line {
				sum := acc[r*vectors+v]
				sum.Set(sum.SubF64(s.MulF64(x)))
			}
		}
		b.Set(b.Plus(ldb.I32))
		k.Add(-1)
	}, func() asm.I32 { return k.I32 })
	for i, sum := range acc {
		f.Store128(to[i/vectors], 16*uint32(i%vectors), sum.V128)
	}
	return f
}
