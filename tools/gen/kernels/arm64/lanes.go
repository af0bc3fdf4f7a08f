package main

import "fmt"

const (
	// tileMaps is the number of maps of a convolution's tile: 24 accumulators, 3 vectors of
	// weights, 2 of the picture.
	tileMaps = 12
	// quad is the side of the squares that are transposed between pictures and lanes: four pictures
	// and four of their values.
	quad = 4
)

// lanes writes the convolution and the maximum over pictures side by side, and the moves into lanes
// and back.
func lanes() []*function {
	return []*function{
		convTile(), maxRow(),
		moveQuads("toQuadsNEON",
			"spreads values of four pictures, ld apart, over neighbouring lanes", true),
		moveQuads("fromQuadsNEON",
			"brings four neighbouring lanes back to pictures ld apart", false),
	}
}

// convTile writes the loop over pairs of positions for up to tileMaps maps. Each map has two
// accumulators, one for each position. There is a body for every number of maps.
func convTile() *function {
	f := begin("convTileNEON", "(dst *float32, mapStride int, next int, src *float32, step int, "+
		"pairs int, from *int32, k int, weights *float32, rows int, bias *float32, relu bool)",
		fmt.Sprintf("convTileNEON computes rows maps, at most %d, of twice pairs positions, which "+
			"are step", tileMaps),
		"floats apart in src and next in dst. pairs, k and rows are at least 1.")
	t := convArgs{f, f.param("dst"), f.param("mapStride"), f.param("next"), f.param("src"),
		f.param("step"), f.param("pairs"), f.param("from"), f.param("k"), f.param("weights")}
	for _, distance := range []gp{t.mapStride, t.next, t.step} {
		f.ins("LSL $2, %v", distance)
	}
	f.scoped(func() {
		rows := f.param("rows")
		for r := tileMaps; r > 1; r-- {
			f.ins("CMP $%d, %v", r, rows)
			f.jump("BEQ", fmt.Sprintf("r%d", r))
		}
	})
	for r := range tileMaps {
		f.scoped(func() { t.body(r + 1) })
	}
	return f
}

// convArgs are the parameters in registers; mapStride, next and step are in bytes.
type convArgs struct {
	*function
	dst, mapStride, next, src, step, pairs, from, k, weights gp
}

// body writes the loop over pairs of positions, and in it the loop over the inner dimension.
func (t convArgs) body(rows int) {
	name := fmt.Sprintf("r%d", rows)
	t.label(name)
	acc := [2][]vec{t.zeros(rows), t.zeros(rows)}
	from, left, weights := t.copyOf(t.from), t.copyOf(t.k), t.copyOf(t.weights)
	first, second := t.gp(), t.gp()
	t.label(name + "loop")
	t.ins("MOVW.P 4(%v), %v", from, first)
	t.ins("ADD %v<<2, %v, %v", first, t.src, first)
	t.ins("ADD %v, %v, %v", t.step, first, second)
	b := [2]vec{t.load(first, 0), t.load(second, 0)}
	for r, w := range t.floats(rows, weights) {
		for position := range b {
			t.into(fmla(w.index), acc[position][r], b[position], w.of)
		}
	}
	t.ins("ADD $%d, %v", 4*rows, weights)
	t.repeat(left, name+"loop")
	t.finish(name, acc)
	t.ins("ADD %v<<1, %v", t.next, t.dst)
	t.ins("ADD %v<<1, %v", t.step, t.src)
	t.repeat(t.pairs, name)
	t.ins("RET")
}

// finish writes the end of a pair of positions: it adds the biases, applies the ReLU and stores.
func (t convArgs) finish(name string, acc [2][]vec) {
	bias, relu := t.param("bias"), t.gp()
	t.jump(fmt.Sprintf("CBZ %v,", bias), name+"nobias")
	for r := range acc[0] {
		x := t.spread(bias)
		for position := range acc {
			t.into(fadd, acc[position][r], acc[position][r], x)
		}
	}
	t.label(name + "nobias")
	t.ins("MOVBU %s, %v", t.params["relu"], relu)
	t.jump(fmt.Sprintf("CBZ %v,", relu), name+"store")
	t.relu(acc[0])
	t.relu(acc[1])
	t.label(name + "store")
	first, second := t.copyOf(t.dst), t.gp()
	t.ins("ADD %v, %v, %v", t.next, first, second)
	for r := range acc[0] {
		t.store(acc[0][r], first, 0)
		t.store(acc[1][r], second, 0)
		if r+1 < len(acc[0]) {
			t.ins("ADD %v, %v", t.mapStride, first)
			t.ins("ADD %v, %v", t.mapStride, second)
		}
	}
}

// maxRow writes maxima over windows, one vector for each position.
func maxRow() *function {
	f := begin("maxRowNEON",
		"(dst *float32, src *float32, from *int32, taps int, n int, step int)",
		"maxRowNEON computes n maxima of 4 lanes over taps places, with NaN where there is one.",
		"n and taps are at least 1.")
	dst, src, from, taps := f.param("dst"), f.param("src"), f.param("from"), f.param("taps")
	n, step := f.param("n"), f.param("step")
	tap, left, where := f.gp(), f.gp(), f.gp()
	load := func() vec {
		f.ins("MOVW.P 4(%v), %v", tap, where)
		f.ins("ADD %v<<2, %v, %v", where, src, where)
		return f.load(where, 0)
	}
	f.ins("LSL $2, %v", step)
	f.label("position")
	f.ins("MOVD %v, %v", from, tap)
	f.ins("MOVD %v, %v", taps, left)
	most := load()
	f.jump("B", "more")
	f.label("tap")
	// fmax would return 0 of 0 and -0; the loop in Go keeps the first.
	x := load()
	greater, number := f.op(fcmgt, x, most), f.op(fcmeq, x, x)
	f.into(bit, most, x, f.op(orn, greater, number))
	f.label("more")
	f.repeat(left, "tap")
	f.put(most, dst)
	f.ins("ADD %v, %v", step, src)
	f.repeat(n, "position")
	f.ins("RET")
	return f
}

// moveQuads writes the move of four pictures into lanes, or back to pictures if to is false, in
// squares of four values.
func moveQuads(name, doc string, to bool) *function {
	f := begin(name, "(dst *float32, src *float32, blocks int, ld int, width int)",
		fmt.Sprintf("%s %s, for blocks", name, doc),
		"times four values, at least 1. Places are width lanes apart.")
	dst, src, blocks := f.param("dst"), f.param("src"), f.param("blocks")
	ld, width := f.param("ld"), f.param("width")
	f.ins("LSL $2, %v", ld)
	f.ins("LSL $2, %v", width)
	near, far, from, into := src, dst, ld, width
	if !to {
		near, far, from, into = dst, src, width, ld
	}
	read, write := f.gp(), f.gp()
	f.label("block")
	f.ins("MOVD %v, %v", src, read)
	f.ins("MOVD %v, %v", dst, write)
	x := make([]vec, quad)
	for i := range x {
		x[i] = f.load(read, 0)
		f.ins("ADD %v, %v", from, read)
	}
	for _, v := range f.transpose(x) {
		f.store(v, write, 0)
		f.ins("ADD %v, %v", into, write)
	}
	f.ins("ADD $%d, %v", 4*quad, near)
	f.ins("ADD %v<<2, %v", width, far)
	f.repeat(blocks, "block")
	f.ins("RET")
	return f
}

// transpose writes the transposition of a square of four vectors and returns its columns.
func (f *function) transpose(x []vec) []vec {
	low := [2]vec{f.op(zip1, x[0], x[1]), f.op(zip1, x[2], x[3])}
	high := [2]vec{f.op(zip2, x[0], x[1]), f.op(zip2, x[2], x[3])}
	return []vec{f.op(zip1d, low[0], low[1]), f.op(zip2d, low[0], low[1]),
		f.op(zip1d, high[0], high[1]), f.op(zip2d, high[0], high[1])}
}
