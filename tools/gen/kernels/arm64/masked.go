package main

import "fmt"

// A table has, for each of 16 groups of 4 rows, the sums of the group's 16 subsets, a line of 64
// bytes each. The shapes are those of onnxbackend/kernel/masked.go.
const (
	lineBytes  = 64
	groupBytes = 16 * lineBytes
	groups     = 16
	parts      = lineBytes / vectorBytes
)

// An element is the type of a line's elements, the logarithm of its size, and its vector addition.
type element struct {
	name, goType string
	shift        int
	add          op
}

// masked writes the two parts of a masked sum for both types.
func masked() []*function {
	var functions []*function
	for _, e := range []element{{"32", "float32", 2, fadd}, {"64", "float64", 3, fadd2}} {
		functions = append(functions, tables(e), lookups(e))
	}
	return functions
}

// tables writes the sums of the subsets of 16 groups of 4 rows.
func tables(e element) *function {
	name := "tables" + e.name + "NEON"
	f := begin(name, fmt.Sprintf("(table *%s, rows *%s, stride int)", e.goType, e.goType),
		name+" sums the subsets of each 4 of 64 rows of 64 bytes, stride elements apart.")
	table, rows, stride, n, row := f.param("table"), f.param("rows"), f.param("stride"), f.gp(),
		f.gp()
	f.ins("LSL $%d, %v", e.shift, stride)
	f.ins("MOVD $%d, %v", groups, n)
	f.label("group")
	for part := 0; part < lineBytes; part += vectorBytes {
		f.ins("MOVD %v, %v", rows, row)
		sums := f.zeros(1)
		f.store(sums[0], table, part)
		for range 4 { // the subsets with a row are those of the rows before it, each with the row
			h := f.load(row, part)
			f.ins("ADD %v, %v", stride, row)
			for _, v := range sums[:len(sums):len(sums)] {
				sum := f.op(e.add, v, h)
				f.store(sum, table, len(sums)*lineBytes+part)
				sums = append(sums, sum)
			}
		}
	}
	f.ins("ADD %v<<2, %v", stride, rows)
	f.ins("ADD $%d, %v", groupBytes, table)
	f.repeat(n, "group")
	f.ins("RET")
	return f
}

// lookups writes the sum over the 16 groups of the line that a word selects of each: groups 0 to 7
// in one chain of additions, 8 to 15 in another, then both together onto the accumulator. The order
// is that of plain Go.
func lookups(e element) *function {
	name := "lookups" + e.name + "NEON"
	f := begin(name, fmt.Sprintf("(acc *%s, words *uint64, n int, table *%s)", e.goType, e.goType),
		name+" adds to each of n lines of 64 bytes what its word chooses from table. n is at least",
		"1.")
	acc, words, n, table := f.param("acc"), f.param("words"), f.param("n"), f.param("table")
	w, line := f.gp(), f.gp()
	f.label("row")
	f.ins("MOVD.P 8(%v), %v", words, w)
	f.jump(fmt.Sprintf("CBZ %v,", w), "next")
	var chains [2][]vec
	for g := range groups {
		f.ins("UBFX $%d, %v, $4, %v", 4*g, w, line)
		f.ins("ADD %v<<6, %v, %v", line, table, line)
		chain := &chains[g/(groups/2)]
		for p := range parts {
			v := f.load(line, g*groupBytes+p*vectorBytes)
			if len(*chain) < parts {
				*chain = append(*chain, v)
			} else {
				f.into(e.add, (*chain)[p], (*chain)[p], v)
			}
		}
	}
	before := f.loads(parts, acc, 0)
	for p, low := range chains[0] {
		f.into(e.add, low, low, chains[1][p])
		f.into(e.add, low, low, before[p])
	}
	f.stores(chains[0], acc, 0)
	f.label("next")
	f.ins("ADD $%d, %v", lineBytes, acc)
	f.repeat(n, "row")
	f.ins("RET")
	return f
}
