package main

import "github.com/bagscope/bagscope/tools/kernelgen/wasm/asm"

// A slot of the table serves one group: the sums of all subsets of the group, if wanted, then those
// of its lower and of its upper four instances.
const (
	wholeEntries = 1 << groupSize
	halfEntries  = 1 << (groupSize / 2)
	slotEntries  = wholeEntries + 2*halfEntries
)

// halfSums adds the table of the 16 subsets of four rows of h, of which k exist.
func (g *generator) halfSums(vectors int, add sum) *asm.Func {
	f := g.Func("halfSums")
	to, h, k, d, left := f.Param(), f.Param(), f.Param(), f.Param(), f.Param()
	rows := f.V128s(groupSize / 2 * vectors)
	for i := range groupSize / 2 {
		f.If(k.Gt(asm.Const(int32(i))), func() {
			for v := range vectors {
				rows[i*vectors+v].Set(g.load(h, v, vectors, left))
			}
			h.Set(h.Plus(d.I32))
		}, nil)
	}
	sums := f.V128s(halfEntries)
	for v := range vectors {
		for s := range halfEntries {
			if s > 0 {
				top := highestBit(s)
				sums[s].Set(add(sums[s&^(1<<top)].V128, rows[top*vectors+v].V128))
			}
			f.Store128(to, uint32(16*(s*vectors+v)), sums[s].V128)
		}
	}
	return f
}

func highestBit(s int) int {
	top := 0
	for s>>(top+1) > 0 {
		top++
	}
	return top
}

// wholeSums adds the table of the 256 subsets of a group from the tables of its halves.
func (g *generator) wholeSums(vectors int, add sum) *asm.Func {
	entry := int32(16 * vectors)
	f := g.Func("wholeSums")
	to, lower, upper := f.Param(), f.Param(), f.Param()
	from, count, total := f.I32(), f.I32(), f.I32()
	high := f.V128s(vectors)
	total.Set(asm.Const(halfEntries))
	f.Repeat(func() {
		for v := range vectors {
			high[v].Set(upper.Load128(uint32(16 * v)))
		}
		from.Set(lower.I32)
		count.Set(asm.Const(halfEntries))
		f.Repeat(func() {
			for v := range vectors {
				f.Store128(to, uint32(16*v), add(from.Load128(uint32(16*v)), high[v].V128))
			}
			to.Add(entry)
			from.Add(entry)
			count.Add(-1)
		}, func() asm.I32 { return count.I32 })
		upper.Add(entry)
		total.Add(-1)
	}, func() asm.I32 { return total.I32 })
	return f
}

// addGroups adds the loop over coalitions: to each row of dst, or to zero at first, the sums of
// groupsAtOnce groups that the bits of a word of z select, out of one table a group (parts = 1) or
// out of its two halves (parts = 2).
func (g *generator) addGroups(vectors, parts int, add sum) *asm.Func {
	shift := map[int]int32{1: 4, 4: 6}[vectors] // of an entry's number to its bytes
	f := g.Func("addGroups")
	dst, d, z, words := f.Param(), f.Param(), f.Param(), f.Param()
	n, table, first, left := f.Param(), f.Param(), f.Param(), f.Param()
	bits, at, at2 := f.I32(), f.I32(), f.I32()
	acc := f.V128s(vectors)
	f.Repeat(func() {
		f.If(first.I32, func() {
			for _, a := range acc {
				a.Set(asm.Splat(0))
			}
		}, func() {
			for v, a := range acc {
				a.Set(g.load(dst, v, vectors, left))
			}
		})
		bits.Set(z.Load(0))
		for group := range int32(groupsAtOnce) {
			slot := uint32(group * slotEntries << shift)
			if parts == 1 {
				at.Set(table.Plus(field(bits, groupSize*group, groupSize, shift)))
				for v, a := range acc {
					a.Set(add(a.V128, at.Load128(slot+uint32(16*v))))
				}
				continue
			}
			at.Set(table.Plus(field(bits, groupSize*group, groupSize/2, shift)))
			at2.Set(table.Plus(field(bits, groupSize*group+groupSize/2, groupSize/2, shift)))
			lower := slot + wholeEntries<<shift
			upper := lower + halfEntries<<shift
			for v, a := range acc {
				a.Set(add(a.V128, add(at.Load128(lower+uint32(16*v)), at2.Load128(upper+uint32(16*v)))))
			}
		}
		for v, a := range acc {
			g.store(f, dst, v, a, vectors, left)
		}
		dst.Set(dst.Plus(d.I32))
		z.Set(z.Plus(words.I32))
		n.Add(-1)
	}, func() asm.I32 { return n.I32 })
	return f
}

// field is the number in count bits of word from bit first on, shifted left.
func field(word *asm.I32Var, first, count, left int32) asm.I32 {
	mask := asm.Const((1<<count - 1) << left)
	if first >= left {
		return word.Shr(first - left).And(mask)
	}
	return word.Shl(left - first).And(mask)
}

// load is vector v of a row. A row of a single vector may be cut off.
func (g *generator) load(row *asm.I32Var, v, vectors int, left *asm.I32Var) asm.V128 {
	if vectors == 1 {
		return asm.CallV128(g.loadPart, row, left)
	}
	return row.Load128(uint32(16 * v))
}

func (g *generator) store(f *asm.Func, row *asm.I32Var, v int, x *asm.V128Var, vectors int, left *asm.I32Var) {
	if vectors == 1 {
		f.Call(g.storePart, row, x, left)
		return
	}
	f.Store128(row, uint32(16*v), x.V128)
}
