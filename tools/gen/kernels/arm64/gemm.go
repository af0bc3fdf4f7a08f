package main

import "fmt"

// Bits of a tile's mode, as in onnxbackend/kernel/gemm_native.go.
const (
	modeAddBit  = 0 // accumulators begin with the elements of C instead of 0
	modeReluBit = 1 // negative results become 0
)

const (
	// tileRows is the number of rows of a tile: rows x 2 accumulators, 2 vectors of B and for each
	// row four elements of A fill 26 of the 32 registers.
	tileRows = 8
	// panelBytes is a row of a panel of B: two vectors.
	panelBytes = 2 * vectorBytes
	// unroll is the number of steps of the inner dimension in one round of the loop: the elements
	// of a vector of A.
	unroll = 4
)

// gemm writes the functions of a product, and the copy of im2col.
func gemm() []*function {
	return []*function{tile(), gemv(4), gemv(1), gemvScalar(), copyRun()}
}

// tile writes the product of up to tileRows rows of A with one panel of two vectors. There is a
// body for every number of rows and vectors, so that edges of C need no padded products.
func tile() *function {
	f := begin("tileNEON", "(c *float32, ldc int, a *float32, lda int, b *float32, k int, "+
		"rows int, vectors int, bias *float32, rowBias *float32, mode int)",
		"tileNEON computes rows x (vectors*4) of C from rows of A and a panel of 8 columns. k",
		fmt.Sprintf("and rows are at least 1, rows at most %d.", tileRows))
	t := tileArgs{f, f.param("c"), f.param("ldc"), f.param("a"), f.param("lda"), f.param("b"),
		f.param("k"), f.param("mode")}
	f.ins("LSL $2, %v", t.ldc)
	f.ins("LSL $2, %v", t.lda)
	f.scoped(func() {
		rows, vectors := f.param("rows"), f.param("vectors")
		f.ins("CMP $1, %v", vectors)
		f.jump("BEQ", "narrow")
		t.jumps(rows, 2)
		f.label("narrow")
		t.jumps(rows, 1)
	})
	for vectors := range 2 {
		for rows := range tileRows {
			f.scoped(func() { t.body(rows+1, vectors+1) })
		}
	}
	return f
}

// tileArgs are the parameters in registers, ldc and lda in bytes.
type tileArgs struct {
	*function
	c, ldc, a, lda, b, k, mode gp
}

// jumps writes the jumps to the bodies for each number of rows.
func (t tileArgs) jumps(rows gp, vectors int) {
	for r := tileRows; r > 1; r-- {
		t.ins("CMP $%d, %v", r, rows)
		t.jump("BEQ", tileLabel(r, vectors))
	}
	t.jump("B", tileLabel(1, vectors))
}

// tileLabel returns the label of a body.
func tileLabel(rows, vectors int) string { return fmt.Sprintf("r%dv%d", rows, vectors) }

// body writes the product for a number of rows and vectors: accumulators begin with C or 0, then
// the inner dimension in rounds of unroll steps and single steps, then the end.
func (t tileArgs) body(rows, vectors int) {
	name := tileLabel(rows, vectors)
	t.label(name)
	a := []gp{t.a}
	for i := 1; i < rows; i++ {
		next := t.gp()
		t.ins("ADD %v, %v, %v", t.lda, a[i-1], next)
		a = append(a, next)
	}
	acc := make([][]vec, rows)
	for i := range acc {
		acc[i] = t.zeros(vectors)
	}
	t.jump(fmt.Sprintf("TBZ $%d, %v,", modeAddBit, t.mode), name+"start")
	t.eachRow(rows, func(i int, row gp) {
		for v := range vectors {
			t.with(fmt.Sprintf("FMOVQ %d(%v), F%%d", v*vectorBytes, row), acc[i][v])
		}
	})
	t.label(name + "start")
	t.ins("SUBS $%d, %v", unroll, t.k)
	t.jump("BLT", name+"tail")
	t.label(name + "loop")
	quads := make([]vec, rows)
	for i := range rows {
		quads[i] = t.next(a[i])
	}
	for u := range uint32(unroll) {
		t.step(acc, t.loads(vectors, t.b, int(u)*panelBytes), quads, u)
	}
	t.ins("ADD $%d, %v", unroll*panelBytes, t.b)
	t.ins("SUBS $%d, %v", unroll, t.k)
	t.jump("BGE", name+"loop")
	t.label(name + "tail")
	t.ins("ADDS $%d, %v", unroll, t.k)
	t.jump("BEQ", name+"end")
	t.label(name + "single")
	b := t.loads(vectors, t.b, 0)
	for i := range rows {
		t.step(acc[i:i+1], b, []vec{t.scalar(a[i])}, 0)
	}
	t.ins("ADD $%d, %v", panelBytes, t.b)
	t.repeat(t.k, name+"single")
	t.label(name + "end")
	t.finish(name, acc)
}

// step multiplies one lane of each row's elements with the vectors of B.
func (t tileArgs) step(acc [][]vec, b, rows []vec, lane uint32) {
	for i, x := range rows {
		for v := range b {
			t.into(fmla(lane), acc[i][v], b[v], x)
		}
	}
}

// finish writes the end of a body: it adds the biases, applies the ReLU and stores to C.
func (t tileArgs) finish(name string, acc [][]vec) {
	bias := t.param("bias")
	t.jump(fmt.Sprintf("CBZ %v,", bias), name+"nobias")
	for v, b := range t.loads(len(acc[0]), bias, 0) {
		for i := range acc {
			t.into(fadd, acc[i][v], acc[i][v], b)
		}
	}
	t.label(name + "nobias")
	t.ins("MOVD %s, %v", t.params["rowBias"], bias)
	t.jump(fmt.Sprintf("CBZ %v,", bias), name+"norowbias")
	for i := range acc {
		b := t.spread(bias)
		for _, v := range acc[i] {
			t.into(fadd, v, v, b)
		}
	}
	t.label(name + "norowbias")
	t.jump(fmt.Sprintf("TBZ $%d, %v,", modeReluBit, t.mode), name+"store")
	for i := range acc {
		t.relu(acc[i])
	}
	t.label(name + "store")
	t.eachRow(len(acc), func(i int, row gp) { t.stores(acc[i], row, 0) })
	t.ins("RET")
}

// relu writes zeros over negative values. A NaN and a negative zero stay.
func (f *function) relu(vecs []vec) {
	for _, v := range vecs {
		f.into(bic, v, v, f.op(fcmlt0, v))
	}
}

// eachRow writes code for each row of C, with a pointer to the row.
func (t tileArgs) eachRow(rows int, do func(i int, row gp)) {
	t.scoped(func() {
		row := t.copyOf(t.c)
		for i := range rows {
			do(i, row)
			if i+1 < rows {
				t.ins("ADD %v, %v", t.ldc, row)
			}
		}
	})
}

// gemv writes the product of a vector with the columns of a matrix that is not packed, as many
// columns as fill a number of vectors. Elements are summed as in tile, so that results have the
// same bits.
func gemv(vectors int) *function {
	name := fmt.Sprintf("gemv%dNEON", vectors)
	f := begin(name, "(c *float32, a *float32, b *float32, ld int, k int)",
		fmt.Sprintf("%s computes %d columns of a·B for B with rows ld apart. k is at least 1.",
			name, vectors*4))
	c, a, b, ld, k := f.param("c"), f.param("a"), f.param("b"), f.param("ld"), f.param("k")
	f.ins("LSL $2, %v", ld)
	acc := f.zeros(vectors)
	f.label("loop")
	x := f.scalar(a)
	for v, y := range f.loads(vectors, b, 0) {
		f.into(fmla(0), acc[v], y, x)
	}
	f.ins("ADD %v, %v", ld, b)
	f.repeat(k, "loop")
	f.stores(acc, c, 0)
	f.ins("RET")
	return f
}

// gemvScalar writes the product of a vector with one column, fused as in gemv.
func gemvScalar() *function {
	f := begin("gemvScalarNEON", "(c *float32, a *float32, b *float32, ld int, k int)",
		"gemvScalarNEON computes one column of a·B for B with rows ld apart. k is at least 1.")
	c, a, b, ld, k := f.param("c"), f.param("a"), f.param("b"), f.param("ld"), f.param("k")
	f.ins("LSL $2, %v", ld)
	acc := f.op(zero)
	f.label("loop")
	x, y := f.scalar(a), f.vec()
	f.with(fmt.Sprintf("FMOVS (%v), F%%d", b), y)
	f.into(fmla(0), acc, y, x)
	f.ins("ADD %v, %v", ld, b)
	f.repeat(k, "loop")
	f.with(fmt.Sprintf("FMOVS F%%d, (%v)", c), acc)
	f.ins("RET")
	return f
}

// copyRun writes the copy of 4 to 8 floats for each of many channels: the first vector and the
// last, which may overlap.
func copyRun() *function {
	f := begin("copyRunNEON", "(dst *float32, src *float32, n int, channels int, dstStride int, "+
		"srcStride int)",
		"copyRunNEON copies n floats, 4 to 8, for each channel, at least 1, the strides apart.")
	dst, src, n, channels := f.param("dst"), f.param("src"), f.param("n"), f.param("channels")
	dstStride, srcStride := f.param("dstStride"), f.param("srcStride")
	f.ins("LSL $2, %v", dstStride)
	f.ins("LSL $2, %v", srcStride)
	lastDst, lastSrc := f.gp(), f.gp()
	f.ins("SUB $4, %v", n)
	f.ins("ADD %v<<2, %v, %v", n, dst, lastDst)
	f.ins("ADD %v<<2, %v, %v", n, src, lastSrc)
	f.label("loop")
	first, last := f.load(src, 0), f.load(lastSrc, 0)
	f.store(first, dst, 0)
	f.store(last, lastDst, 0)
	for _, p := range []gp{src, lastSrc} {
		f.ins("ADD %v, %v", srcStride, p)
	}
	for _, p := range []gp{dst, lastDst} {
		f.ins("ADD %v, %v", dstStride, p)
	}
	f.repeat(channels, "loop")
	f.ins("RET")
	return f
}
