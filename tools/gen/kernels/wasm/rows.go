package main

import "github.com/bagscope/bagscope/tools/gen/kernels/wasm/asm"

// addRows adds a sum of rows to the module:
//
//	addRows(sums, columns, rows, ld, members, words)
//
// adds rows[i ld + c] to sums[c] for each bit i that is set in members, i ascending. sums are
// float64, rows float32; members has words words of 32 bits, at least 1. columns is a multiple of
// four.
func (g *generator) addRows() {
	f := g.Func("addRows")
	sums, columns, rows, ld, members, words := f.Param(), f.Param(), f.Param(), f.Param(),
		f.Param(), f.Param()
	ld.Set(ld.Shl(2))
	for _, width := range []int32{16, 8, 4} {
		tile := g.addRowsTile(int(width / 2))
		f.While(columns.Ge(asm.Const(width)), func() {
			f.Call(tile, sums, rows, ld, members, words)
			sums.Add(8 * width)
			rows.Add(4 * width)
			columns.Add(-width)
		})
	}
	g.Export(f)
}

// addRowsTile adds the loop for a number of vectors of two columns.
func (g *generator) addRowsTile(vectors int) *asm.Func {
	f := g.Func("addRowsTile")
	sums, rows, ld, members, words := f.Param(), f.Param(), f.Param(), f.Param(), f.Param()
	bits, row, sum := f.I32(), f.I32(), f.V128s(vectors)
	for v, s := range sum {
		s.Set(sums.Load128(16 * uint32(v)))
	}
	f.Repeat(func() {
		bits.Set(members.Load(0))
		f.While(bits.I32, func() {
			row.Set(rows.Plus(ld.Times(bits.Ctz())))
			for v, s := range sum {
				s.Set(s.AddF64(row.Load64Zero(8 * uint32(v)).Promote()))
			}
			bits.Set(bits.And(bits.Plus(asm.Const(-1))))
		})
		rows.Set(rows.Plus(ld.Shl(5)))
		members.Add(4)
		words.Add(-1)
	}, func() asm.I32 { return words.I32 })
	for v, s := range sum {
		f.Store128(sums, 16*uint32(v), s.V128)
	}
	return f
}
