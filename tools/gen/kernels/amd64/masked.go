package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A table has, for each of 16 groups of 4 rows, the sums of the group's 16 subsets, a line of 64
// bytes each. The shapes are those of onnxbackend/kernel/masked.go.
const (
	lineBytes  = 64
	groupBytes = 16 * lineBytes
	groups     = 16
)

// An element is the type of a line's elements, and its vector addition.
type element struct {
	name, goType string
	add          func(...Op)
}

// masked writes the two parts of a masked sum for both types and instruction sets.
func masked() {
	for _, e := range []element{{"32", "float32", VADDPS}, {"64", "float64", VADDPD}} {
		for _, s := range []isa{avx2, avx512} {
			s.tables(e)
			s.lookups(e)
		}
	}
}

// tables writes the sums of the subsets of 16 groups of 4 rows.
func (s isa) tables(e element) {
	name := "tables" + e.name + s.name
	function(name, fmt.Sprintf("(table, rows *%s, stride int)", e.goType),
		name+" sums the subsets of each 4 of 64 rows of 64 bytes, stride elements apart.")
	table, rows, stride := param("table"), param("rows"), param("stride")
	size := map[string]int{"float32": 2, "float64": 3}[e.goType]
	SHLQ(Imm(uint64(size)), stride)
	n := GP64()
	MOVQ(U32(groups), n)
	Label("group")
	for part := 0; part < lineBytes; part += s.bytes {
		row := copyOf(rows)
		sums := make([]reg.VecVirtual, 1, 16)
		sums[0] = s.vector()
		s.zero(sums[0])
		VMOVUPS(sums[0], at(table, part))
		for range 4 { // the subsets with a row are those of the rows before it, each with the row
			h := s.vector()
			VMOVUPS(at(row, part), h)
			ADDQ(stride, row)
			for _, v := range sums[:len(sums):len(sums)] {
				sum := s.vector()
				e.add(h, v, sum)
				VMOVUPS(sum, at(table, len(sums)*lineBytes+part))
				sums = append(sums, sum)
			}
		}
	}
	LEAQ(Mem{Base: rows, Index: stride, Scale: 4}, rows)
	ADDQ(U32(groupBytes), table)
	repeat(n, "group")
	finish()
}

// lookups writes the sum over the 16 groups of the line that a word selects of each: groups 0 to 7
// in one chain of additions, 8 to 15 in another, then both together onto the accumulator. Two
// chains are twice as fast as one, because an addition takes several cycles. The order is that of
// plain Go.
func (s isa) lookups(e element) {
	name := "lookups" + e.name + s.name
	function(name, fmt.Sprintf("(acc *%s, words *uint64, n int, table *%s)", e.goType,
		e.goType),
		name+
			" adds to each of n lines of 64 bytes what its word chooses from table. n is at "+
			"least 1.")
	acc, words, n, table := param("acc"), param("words"), param("n"), param("table")
	parts := lineBytes / s.bytes
	Label("row")
	w := GP64()
	MOVQ(at(words, 0), w)
	TESTQ(w, w)
	JZ(LabelRef("next"))
	low, high := s.vectors(parts), s.vectors(parts)
	for g := range groups {
		line := GP64()
		RORXQ(Imm(uint64(4*g-6+64)%64), w, line) // moves nibble g to bits 6 to 9: times 64
		ANDL(U32(0x3c0), line.As32())
		chain := low
		if g >= groups/2 {
			chain = high
		}
		for p := range parts {
			m := Mem{Base: table, Index: line, Scale: 1, Disp: g*groupBytes + p*s.bytes}
			if g%(groups/2) == 0 {
				VMOVUPS(m, chain[p])
			} else {
				e.add(m, chain[p], chain[p])
			}
		}
	}
	for p := range parts {
		e.add(high[p], low[p], low[p])
		e.add(at(acc, p*s.bytes), low[p], low[p])
		VMOVUPS(low[p], at(acc, p*s.bytes))
	}
	Label("next")
	ADDQ(Imm(8), words)
	ADDQ(Imm(lineBytes), acc)
	repeat(n, "row")
	finish()
}
