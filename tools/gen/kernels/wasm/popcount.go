package main

import "github.com/bagscope/bagscope/tools/gen/kernels/wasm/asm"

// andCounts adds to the module the sizes of the intersections of one bit set with several:
//
//	andCounts(dst, a, b, words, rows)
//
// writes to each of rows float64 the number of bits that a, of words words of 64 bits, shares with
// the next row of b. The rows of b are contiguous. words is at least 1. Four rows at a time share
// the loads of a.
func (g *generator) andCounts() {
	f := g.Func("andCounts")
	dst, a, b, words, rows := f.Param(), f.Param(), f.Param(), f.Param(), f.Param()
	for _, count := range []int32{4, 1} {
		tile := g.andCountsOf(int(count))
		f.While(rows.Ge(asm.Const(count)), func() {
			f.Call(tile, dst, a, b, words)
			dst.Add(8 * count)
			b.Set(b.Plus(words.Shl(3).Times(asm.Const(count))))
			rows.Add(-count)
		})
	}
	g.Export(f)
}

// andCountsOf adds the loop for a number of rows.
func (g *generator) andCountsOf(rows int) *asm.Func {
	f := g.Func("andCountsOf")
	dst, a, b, words := f.Param(), f.Param(), f.Param(), f.Param()
	row := pointers(f, rows, b, words.Shl(3))
	word := f.I64()
	var counts []*asm.I64Var
	for range rows {
		counts = append(counts, f.I64())
	}
	f.Repeat(func() {
		word.Set(a.Load64(0))
		for r, count := range counts {
			count.Set(count.Plus(word.And(row[r].Load64(0)).Popcnt()))
			row[r].Add(8)
		}
		a.Add(8)
		words.Add(-1)
	}, func() asm.I32 { return words.I32 })
	for r, count := range counts {
		f.StoreF64(dst, 8*uint32(r), count.I64)
	}
	return f
}
