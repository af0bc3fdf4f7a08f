package main

import "github.com/bagscope/bagscope/tools/gen/kernels/wasm/asm"

// Shapes of masked sums, those of onnxbackend/kernel: a word of 64 rows is 16 groups of 4, a line
// 64 bytes, and a table holds a line for each of the 16 subsets of each group.
const (
	groups     = 16
	groupRows  = 4
	subsets    = 1 << groupRows
	lineBytes  = 64
	lineShift  = 6
	parts      = lineBytes / 16
	groupBytes = subsets * lineBytes
)

// addition is that of an element type.
type addition func(x, y asm.V128) asm.V128

// addWord adds name(sums, words, n, rows, stride, table) to the module: to each of n lines of sums
// the sum of those of 64 rows, each a line, stride bytes apart, that the bits of its word of 64
// choose. table is room for 16 KiB. A group is summed in order, then groups 0 to 7 in one chain and
// 8 to 15 in another, then both together and onto the line.
func (g *generator) addWord(name string, add addition) {
	tables, lookups := g.tables(add), g.lookups(add)
	f := g.Func(name)
	sums, words, n, rows, stride, table := f.Param(), f.Param(), f.Param(), f.Param(), f.Param(),
		f.Param()
	f.Call(tables, table, rows, stride)
	f.Call(lookups, sums, words, n, table)
	g.Export(f)
}

// tables adds the sums of the subsets of each group: those with a row are those of the rows before
// it, each with the row.
func (g *generator) tables(add addition) *asm.Func {
	f := g.Func("tables")
	table, rows, stride := f.Param(), f.Param(), f.Param()
	left := f.I32()
	row := []*asm.I32Var{f.I32(), f.I32(), f.I32(), f.I32()}
	line, sums := f.V128s(groupRows), f.V128s(subsets)
	left.Set(asm.Const(groups))
	f.Repeat(func() {
		row[0].Set(rows.I32)
		for r := 1; r < groupRows; r++ {
			row[r].Set(row[r-1].Plus(stride.I32))
		}
		for part := range uint32(parts) {
			f.Store128(table, 16*part, asm.Splat(0))
			for r := range groupRows {
				line[r].Set(row[r].Load128(16 * part))
				for s := range 1 << r {
					sum := sums[1<<r+s]
					sum.Set(add(sums[s].V128, line[r].V128))
					f.Store128(table, uint32(lineBytes*(1<<r+s))+16*part, sum.V128)
				}
			}
		}
		rows.Set(row[groupRows-1].Plus(stride.I32))
		table.Add(groupBytes)
		left.Add(-1)
	}, func() asm.I32 { return left.I32 })
	return f
}

// lookups adds to each line what its word chooses of the tables.
func (g *generator) lookups(add addition) *asm.Func {
	f := g.Func("lookups")
	sums, words, n, table := f.Param(), f.Param(), f.Param(), f.Param()
	at := f.I32()
	half := []*asm.I32Var{f.I32(), f.I32()}
	chain := [][]*asm.V128Var{f.V128s(parts), f.V128s(parts)}
	f.While(n.I32, func() {
		half[0].Set(words.Load(0))
		half[1].Set(words.Load(4))
		f.If(half[0].Or(half[1].I32), func() {
			for i, bits := range half {
				for group := range int32(groups / 2) {
					at.Set(table.Plus(field(bits, groupRows*group, groupRows, lineShift)))
					for part, sum := range chain[i] {
						chosen := at.Load128(groupBytes*uint32(groups/2*int32(i)+group) +
							16*uint32(part))
						if group > 0 {
							chosen = add(sum.V128, chosen)
						}
						sum.Set(chosen)
					}
				}
			}
			for part := range parts {
				total := add(sums.Load128(16*uint32(part)),
					add(chain[0][part].V128, chain[1][part].V128))
				f.Store128(sums, 16*uint32(part), total)
			}
		}, nil)
		words.Add(8)
		sums.Add(lineBytes)
		n.Add(-1)
	})
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
