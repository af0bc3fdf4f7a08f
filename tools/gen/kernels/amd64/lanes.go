package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// quad is the side of the squares that are transposed between pictures and lanes: four pictures and
// four of their values.
const quad = 4

// lanes writes the convolution and the maximum over pictures side by side, and the moves into lanes
// and back.
func lanes() {
	for _, s := range []isa{avx2, avx512} {
		s.convTile()
		s.maxRow()
	}
	moveQuads("toQuadsAVX", "spreads values of four pictures, ld apart, over neighbouring lanes",
		true)
	moveQuads("fromQuadsAVX", "brings four neighbouring lanes back to pictures ld apart", false)
}

// convTile writes the loop over pairs of positions for up to s.rows maps. Each map has two
// accumulators, one for each position: this is the shape of gemm's tile. There is a body for every
// number of maps.
func (s isa) convTile() {
	name := "convTile" + s.name
	function(name, "(dst *float32, mapStride, next int, src *float32, step, pairs int, "+
		"from *int32, k int, weights *float32, rows int, bias *float32, relu bool)",
		fmt.Sprintf("%s computes rows maps, at most %d, of twice pairs positions, which are step "+
			"floats apart in src and next in dst.", name, s.rows),
		"pairs, k and rows are at least 1.")
	t := convArgs{
		isa: s, dst: param("dst"), mapStride: param("mapStride"), next: param("next"),
		src: param("src"), step: param("step"),
		pairs: param("pairs"), from: param("from"), k: param("k"), weights: param("weights"),
	}
	SHLQ(Imm(2), t.mapStride)
	SHLQ(Imm(2), t.next)
	LEAQ(Mem{Base: t.from, Index: t.k, Scale: 4}, t.from)
	NEGQ(t.k)
	rows := param("rows")
	for r := s.rows; r > 1; r-- {
		CMPQ(rows, Imm(uint64(r)))
		JE(LabelRef(fmt.Sprintf("r%d", r)))
	}
	for r := 1; r <= s.rows; r++ {
		t.body(r)
	}
}

// convArgs are the parameters in registers. from is the end of the list of distances, k the
// negative number of them, which counts up to zero; mapStride and next are in bytes.
type convArgs struct {
	isa
	dst, mapStride, next, src, step, pairs, from, k, weights reg.GPVirtual
}

// body writes the loop over pairs of positions, and in it the loop over the inner dimension.
func (t convArgs) body(rows int) {
	name := fmt.Sprintf("r%d", rows)
	acc := t.vectors(2 * rows)
	Label(name)
	for _, v := range acc {
		t.zero(v)
	}
	p, weight, at0 := copyOf(t.k), copyOf(t.weights), GP64()
	Label(name + "loop")
	MOVLQSX(Mem{Base: t.from, Index: p, Scale: 4}, at0)
	b := t.vectors(2)
	VMOVUPS(Mem{Base: t.src, Index: at0, Scale: 4}, b[0])
	ADDQ(t.step, at0)
	VMOVUPS(Mem{Base: t.src, Index: at0, Scale: 4}, b[1])
	for r := range rows {
		x := t.vector()
		VBROADCASTSS(at(weight, 4*r), x)
		VFMADD231PS(x, b[0], acc[2*r])
		VFMADD231PS(x, b[1], acc[2*r+1])
	}
	ADDQ(Imm(uint64(4*rows)), weight)
	INCQ(p)
	JNZ(LabelRef(name + "loop"))
	t.finish(name, rows, acc)
	LEAQ(Mem{Base: t.dst, Index: t.next, Scale: 2}, t.dst)
	LEAQ(Mem{Base: t.src, Index: t.step, Scale: 8}, t.src)
	repeat(t.pairs, name)
	finish()
}

// finish writes the end of a pair of positions: it adds the biases, applies the ReLU and stores.
func (t convArgs) finish(name string, rows int, acc []reg.VecVirtual) {
	bias, relu := param("bias"), Load(Param("relu"), GP8())
	TESTQ(bias, bias)
	JZ(LabelRef(name + "nobias"))
	for r := range rows {
		x := t.vector()
		VBROADCASTSS(at(bias, 4*r), x)
		VADDPS(x, acc[2*r], acc[2*r])
		VADDPS(x, acc[2*r+1], acc[2*r+1])
	}
	Label(name + "nobias")
	TESTB(relu, relu)
	JZ(LabelRef(name + "store"))
	zero := t.vector()
	t.zero(zero)
	for _, v := range acc {
		VMAXPS(v, zero, v) // VMAXPS of a NaN and zero returns the second source: v stays a NaN
	}
	Label(name + "store")
	row := copyOf(t.dst)
	for r := range rows {
		VMOVUPS(acc[2*r], at(row, 0))
		VMOVUPS(acc[2*r+1], Mem{Base: row, Index: t.next, Scale: 1})
		if r+1 < rows {
			ADDQ(t.mapStride, row)
		}
	}
}

// maxRow writes maxima over windows, one vector for each position.
func (s isa) maxRow() {
	name := "maxRow" + s.name
	function(name, "(dst, src *float32, from *int32, taps, n, step int)",
		fmt.Sprintf("%s computes n maxima of %d lanes over taps places, with NaN where there is "+
			"one. n and taps are at least 1.", name, s.bytes/4))
	dst, src, from, taps, n, step := param("dst"), param("src"), param("from"), param("taps"),
		param("n"), param("step")
	SHLQ(Imm(2), step)
	Label("position")
	tap, left, where := copyOf(from), copyOf(taps), GP64()
	most := s.vector()
	load := func(x reg.VecVirtual) {
		MOVLQSX(at(tap, 0), where)
		VMOVUPS(Mem{Base: src, Index: where, Scale: 4}, x)
	}
	load(most)
	JMP(LabelRef("more"))
	Label("tap")
	x := s.vector()
	load(x)
	// If one source is a NaN, or both are zeros, VMAXPS returns the second source, which is the
	// maximum so far. A NaN in x is selected separately.
	VMOVUPS(s.choose(s.unordered(x), x, s.op(VMAXPS, most, x)), most)
	Label("more")
	ADDQ(Imm(4), tap)
	repeat(left, "tap")
	VMOVUPS(most, at(dst, 0))
	ADDQ(U32(s.bytes), dst)
	ADDQ(step, src)
	repeat(n, "position")
	finish()
}

// moveQuads writes the move of four pictures into lanes, or back to pictures if to is false, in
// squares of four values.
func moveQuads(name, doc string, to bool) {
	function(name, "(dst, src *float32, blocks, ld, width int)",
		fmt.Sprintf(
			"%s %s, for blocks times four values, at least 1. Places are width lanes apart.", name,
			doc))
	dst, src, blocks, ld, width := param("dst"), param("src"), param("blocks"), param("ld"),
		param("width")
	SHLQ(Imm(2), ld)
	SHLQ(Imm(2), width)
	pictures, lanes := src, dst
	if !to {
		pictures, lanes = dst, src
	}
	Label("block")
	place, picture := copyOf(lanes), copyOf(pictures)
	x := make([]reg.VecVirtual, quad)
	for i := range x {
		x[i] = XMM()
		if to {
			VMOVUPS(at(picture, 0), x[i])
			ADDQ(ld, picture)
		} else {
			VMOVUPS(at(place, 0), x[i])
			ADDQ(width, place)
		}
	}
	for _, v := range transpose(x) {
		if to {
			VMOVUPS(v, at(place, 0))
			ADDQ(width, place)
		} else {
			VMOVUPS(v, at(picture, 0))
			ADDQ(ld, picture)
		}
	}
	ADDQ(Imm(4*quad), pictures)
	LEAQ(Mem{Base: lanes, Index: width, Scale: quad}, lanes)
	repeat(blocks, "block")
	RET()
}

// transpose writes the transposition of a square of four vectors and returns its columns.
func transpose(x []reg.VecVirtual) []reg.VecVirtual {
	var low, high, columns [quad]reg.VecVirtual
	for i := range 2 {
		low[i], high[i] = XMM(), XMM()
		VUNPCKLPS(x[2*i+1], x[2*i], low[i])
		VUNPCKHPS(x[2*i+1], x[2*i], high[i])
	}
	for i, half := range [][quad]reg.VecVirtual{low, high} {
		columns[2*i], columns[2*i+1] = XMM(), XMM()
		VUNPCKLPD(half[1], half[0], columns[2*i])
		VUNPCKHPD(half[1], half[0], columns[2*i+1])
	}
	return columns[:]
}
