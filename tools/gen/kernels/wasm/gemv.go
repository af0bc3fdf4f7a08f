package main

import "github.com/bagscope/bagscope/tools/gen/kernels/wasm/asm"

// gemv adds the product of a vector with a matrix that is not packed:
//
//	gemv(c, a, b, n, k, ld)
//
// writes c (n) = a (k) · B (k, n) with rows of b ld float32 apart, summed as gemm sums.
func (g *generator) gemv(fused bool) {
	const wide = 8
	columns := map[int]*asm.Func{wide: g.gemvColumns(wide, fused), 1: g.gemvColumns(1, fused)}
	f := g.Func("gemv")
	c, a, b, n, k, ld := f.Param(), f.Param(), f.Param(), f.Param(), f.Param(), f.Param()
	ld.Set(ld.Shl(2))
	for _, vectors := range []int32{wide, 1} {
		least := 4 * vectors
		if vectors == 1 {
			least = 1
		}
		f.While(n.Ge(asm.Const(least)), func() {
			f.Call(columns[int(vectors)], c, a, b, k, ld, n)
			c.Add(16 * vectors)
			b.Add(16 * vectors)
			n.Add(-4 * vectors)
		})
	}
	g.Export(f)
}

// gemvColumns adds the product with a number of vectors of columns; left columns exist.
func (g *generator) gemvColumns(vectors int, fused bool) *asm.Func {
	f := g.Func("gemvColumns")
	c, a, b, k, ld, left := f.Param(), f.Param(), f.Param(), f.Param(), f.Param(), f.Param()
	acc := f.V128s(vectors)
	s, x := f.V128(), f.V128()
	f.While(k.Gt(asm.Const(0)), func() {
		s.Set(a.LoadSplat32(0))
		for v, sum := range acc {
			x.Set(g.load(b, v, vectors, left))
			accumulate(sum, s, x, fused)
		}
		a.Add(4)
		b.Set(b.Plus(ld.I32))
		k.Add(-1)
	})
	for v, sum := range acc {
		g.store(f, c, v, sum, vectors, left)
	}
	return f
}

// load is vector v of a row. If vectors is 1, the row may end within it.
func (g *generator) load(row *asm.I32Var, v, vectors int, left *asm.I32Var) asm.V128 {
	if vectors == 1 {
		return asm.CallV128(g.loadPart, row, left)
	}
	return row.Load128(uint32(16 * v))
}

// store is load for writing.
func (g *generator) store(
	f *asm.Func, row *asm.I32Var, v int, x *asm.V128Var, vectors int, left *asm.I32Var,
) {
	if vectors == 1 {
		f.Call(g.storePart, row, x, left)
		return
	}
	f.Store128(row, uint32(16*v), x.V128)
}
