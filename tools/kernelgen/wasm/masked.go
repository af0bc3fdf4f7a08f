package main

import "github.com/bagscope/bagscope/tools/kernelgen/wasm/asm"

const (
	// Instances are summed in groups of eight, and groupsAtOnce groups together: a word of z.
	groupSize    = 8
	groupsAtOnce = 4

	// wholeTable is from how many coalitions on a table of all 256 sums of a group pays; below it the
	// sums of either half of the group are added anew for each coalition.
	wholeTable = 256
)

// sum is the addition of an element type.
type sum func(x, y asm.V128) asm.V128

// maskedSum adds masked sums of an element type to the module:
//
//	name(dst, z, words, n, h, k, d, table)
//
// writes, for each of n rows of z, words·64 bits each, the sum of the rows of h (k, d) whose bits are
// set, to a row of dst (n, d). d counts words of 32 bits. A group of eight is
// (a0+a1+a2+a3) + (a4+a5+a6+a7), absent terms left out; groups are added in order. table is room for
// four slots of slotEntries·64 bytes.
func (g *generator) maskedSum(name string, add sum) {
	wide, narrow := g.maskedColumns(4, add), g.maskedColumns(1, add)
	f := g.Func(name)
	dst, z, words, n := f.Param(), f.Param(), f.Param(), f.Param()
	h, k, d, table := f.Param(), f.Param(), f.Param(), f.Param()
	left := f.I32()
	left.Set(d.I32)
	d.Set(d.Shl(2))
	words.Set(words.Shl(3))
	sweep := func(columns *asm.Func, width, least int32) {
		f.While(left.Ge(asm.Const(least)), func() {
			f.Call(columns, dst, z, words, n, h, k, d, table, left)
			dst.Add(4 * width)
			h.Add(4 * width)
			left.Add(-width)
		})
	}
	sweep(wide, 16, 16)
	sweep(narrow, 4, 1)
	g.Export(f)
}

// maskedColumns adds the masked sum of so many vectors of columns, of which left exist.
func (g *generator) maskedColumns(vectors int, add sum) *asm.Func {
	entry := int32(16 * vectors)
	half := g.halfSums(vectors, add)
	whole := g.wholeSums(vectors, add)
	byWhole := g.addGroups(vectors, 1, add)
	byHalf := g.addGroups(vectors, 2, add)
	f := g.Func("maskedColumns")
	dst, z, words, n := f.Param(), f.Param(), f.Param(), f.Param()
	h, k, d, table, left := f.Param(), f.Param(), f.Param(), f.Param(), f.Param()
	first, slot, many := f.I32(), f.I32(), f.I32()
	first.Set(asm.Const(1))
	many.Set(n.Ge(asm.Const(wholeTable)))
	f.Repeat(func() {
		slot.Set(table.I32)
		for range groupsAtOnce {
			lower := slot.Plus(asm.Const(wholeEntries * entry))
			upper := slot.Plus(asm.Const((wholeEntries + halfEntries) * entry))
			for _, at := range []asm.I32{lower, upper} {
				f.Call(half, at, h, k, d, left)
				k.Add(-groupSize / 2)
				h.Set(h.Plus(d.Shl(2)))
			}
			f.If(many.I32, func() { f.Call(whole, slot, lower, upper) }, nil)
			slot.Add(slotEntries * entry)
		}
		f.If(many.I32, func() {
			f.Call(byWhole, dst, d, z, words, n, table, first, left)
		}, func() {
			f.Call(byHalf, dst, d, z, words, n, table, first, left)
		})
		first.Set(asm.Const(0))
		z.Add(groupSize * groupsAtOnce / 8)
	}, func() asm.I32 { return k.Gt(asm.Const(0)) })
	return f
}
