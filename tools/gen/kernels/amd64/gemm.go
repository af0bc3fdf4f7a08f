package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Bits of a tile's mode, as in onnxbackend/kernel/gemm_native.go.
const (
	modeAdd  = 1 // accumulators begin with the elements of C instead of 0
	modeRelu = 2 // negative results become 0
)

// gemm writes the functions of a product, and the copy of im2col.
func gemm() {
	for _, s := range []isa{avx2, avx512} {
		s.tile()
		s.gemv(4)
		s.gemv(1)
	}
	gemvScalar()
	copyRun()
}

// tile writes the product of up to s.rows rows of A with one panel of two vectors. There is a body
// for every number of rows and vectors, so that edges of C need no padded products. The function
// jumps to the body by comparisons: a jump table would have to be relocated.
func (s isa) tile() {
	function("tile"+s.name, "(c *float32, ldc int, a *float32, lda int, b *float32, k, "+
		"rows, vectors int, bias, rowBias *float32, mode int)",
		fmt.Sprintf("tile%s computes rows x (vectors*%d) of C from rows of A and a panel of %d "+
			"columns. k and rows are at least 1, rows at most %d.",
			s.name, s.bytes/4, s.bytes/2, s.rows))
	t := tileArgs{
		isa: s, c: param("c"), ldc: param("ldc"), a: param("a"), lda: param("lda"), b: param("b"),
		k: param("k"), bias: param("bias"), rowBias: param("rowBias"), mode: param("mode"),
	}
	rows, vectors := param("rows"), param("vectors")
	SHLQ(Imm(2), t.ldc)
	SHLQ(Imm(2), t.lda)
	CMPQ(vectors, Imm(1))
	JE(LabelRef("narrow"))
	t.bodies(rows, 2)
	Label("narrow")
	t.bodies(rows, 1)
}

// tileArgs are the parameters in registers, ldc and lda in bytes.
type tileArgs struct {
	isa
	c, ldc, a, lda, b, k, bias, rowBias, mode reg.GPVirtual
}

// bodies writes the jumps to the bodies for each number of rows, and the bodies.
func (t tileArgs) bodies(rows reg.GPVirtual, vectors int) {
	for r := t.rows; r > 1; r-- {
		CMPQ(rows, Imm(uint64(r)))
		JE(LabelRef(t.label(r, vectors)))
	}
	t.body(1, vectors)
	for r := t.rows; r > 1; r-- {
		t.body(r, vectors)
	}
}

// label returns the label of a body.
func (t tileArgs) label(rows, vectors int) string { return fmt.Sprintf("r%dv%d", rows, vectors) }

// body writes the product for a number of rows and vectors: accumulators begin with C or 0, then
// the inner dimension in rounds of t.unroll steps and single steps, then the end.
func (t tileArgs) body(rows, vectors int) {
	name := t.label(rows, vectors)
	Label(name)
	acc := t.vectors(rows * vectors)
	// Every third row has a pointer of its own. The addresses of the two rows behind it are the
	// pointer plus one and two strides, which an instruction can add: this saves registers.
	bases := []reg.GPVirtual{t.a}
	for i := 3; i < rows; i += 3 {
		next := GP64()
		last := bases[len(bases)-1]
		LEAQ(Mem{Base: last, Index: t.lda, Scale: 2}, next)
		ADDQ(t.lda, next)
		bases = append(bases, next)
	}
	TESTQ(U32(modeAdd), t.mode)
	JZ(LabelRef(name + "zero"))
	t.eachRow(rows, func(i int, row reg.GPVirtual) {
		for v := range vectors {
			VMOVUPS(at(row, v*t.bytes), acc[i*vectors+v])
		}
	})
	JMP(LabelRef(name + "start"))
	Label(name + "zero")
	for _, v := range acc {
		t.zero(v)
	}
	Label(name + "start")
	SUBQ(U32(t.unroll), t.k)
	JL(LabelRef(name + "tail"))
	Label(name + "loop")
	t.steps(t.unroll, rows, vectors, bases, acc)
	SUBQ(U32(t.unroll), t.k)
	JGE(LabelRef(name + "loop"))
	Label(name + "tail")
	ADDQ(U32(t.unroll), t.k)
	JZ(LabelRef(name + "end"))
	Label(name + "single")
	t.steps(1, rows, vectors, bases, acc)
	repeat(t.k, name+"single")
	Label(name + "end")
	t.finish(name, rows, vectors, acc)
}

// steps writes n steps of the inner dimension: vectors of B, then for each row an element of A that
// is multiplied with them.
func (t tileArgs) steps(n, rows, vectors int, bases []reg.GPVirtual, acc []reg.VecVirtual) {
	for u := range n {
		b := t.vectors(vectors)
		for v := range b {
			VMOVUPS(at(t.b, (2*u+v)*t.bytes), b[v])
		}
		for i := range rows {
			m := Mem{Base: bases[i/3], Disp: 4 * u}
			if i%3 > 0 {
				m.Index, m.Scale = t.lda, uint8(i%3)
			}
			x := t.vector()
			VBROADCASTSS(m, x)
			for v := range b {
				VFMADD231PS(x, b[v], acc[i*vectors+v])
			}
		}
	}
	ADDQ(U32(n*2*t.bytes), t.b)
	for _, base := range bases {
		ADDQ(U32(4*n), base)
	}
}

// finish writes the end of a body: it adds the biases, applies the ReLU and stores to C.
func (t tileArgs) finish(name string, rows, vectors int, acc []reg.VecVirtual) {
	TESTQ(t.bias, t.bias)
	JZ(LabelRef(name + "nobias"))
	for v := range vectors {
		b := t.vector()
		VMOVUPS(at(t.bias, v*t.bytes), b)
		for i := range rows {
			VADDPS(b, acc[i*vectors+v], acc[i*vectors+v])
		}
	}
	Label(name + "nobias")
	TESTQ(t.rowBias, t.rowBias)
	JZ(LabelRef(name + "norowbias"))
	for i := range rows {
		b := t.vector()
		VBROADCASTSS(at(t.rowBias, 4*i), b)
		for v := range vectors {
			VADDPS(b, acc[i*vectors+v], acc[i*vectors+v])
		}
	}
	Label(name + "norowbias")
	TESTQ(U32(modeRelu), t.mode)
	JZ(LabelRef(name + "store"))
	zero := t.vector()
	t.zero(zero)
	for _, v := range acc {
		VMAXPS(v, zero, v) // VMAXPS of a NaN and zero returns the second source: v stays a NaN
	}
	Label(name + "store")
	t.eachRow(rows, func(i int, row reg.GPVirtual) {
		for v := range vectors {
			VMOVUPS(acc[i*vectors+v], at(row, v*t.bytes))
		}
	})
	finish()
}

// eachRow writes code for each row of C, with a pointer to the row.
func (t tileArgs) eachRow(rows int, do func(i int, row reg.GPVirtual)) {
	row := copyOf(t.c)
	for i := range rows {
		do(i, row)
		if i+1 < rows {
			ADDQ(t.ldc, row)
		}
	}
}

// gemv writes the product of a vector with the columns of a matrix that is not packed, as many
// columns as fill a number of vectors. Elements are summed as in tile, so that results have the
// same bits.
func (s isa) gemv(vectors int) {
	name := fmt.Sprintf("gemv%d%s", vectors, s.name)
	function(name, "(c, a, b *float32, ld, k int)",
		fmt.Sprintf("%s computes %d columns of a·B for B with rows ld apart. k is at least 1.",
			name, vectors*s.bytes/4))
	c, a, b, ld, k := param("c"), param("a"), param("b"), param("ld"), param("k")
	SHLQ(Imm(2), ld)
	acc := s.vectors(vectors)
	for _, v := range acc {
		s.zero(v)
	}
	Label("loop")
	x := s.vector()
	VBROADCASTSS(at(a, 0), x)
	for v := range acc {
		VFMADD231PS(at(b, v*s.bytes), x, acc[v])
	}
	ADDQ(Imm(4), a)
	ADDQ(ld, b)
	repeat(k, "loop")
	for v := range acc {
		VMOVUPS(acc[v], at(c, v*s.bytes))
	}
	finish()
}

// gemvScalar writes the product of a vector with one column, fused as in gemv.
func gemvScalar() {
	function("gemvFMA", "(c, a, b *float32, ld, k int)",
		"gemvFMA computes one column of a·B for B with rows ld apart. k is at least 1.")
	c, a, b, ld, k := param("c"), param("a"), param("b"), param("ld"), param("k")
	SHLQ(Imm(2), ld)
	acc, x := XMM(), XMM()
	VXORPS(acc, acc, acc)
	Label("loop")
	VMOVSS(at(a, 0), x)
	VFMADD231SS(at(b, 0), x, acc)
	ADDQ(Imm(4), a)
	ADDQ(ld, b)
	repeat(k, "loop")
	VMOVSS(acc, at(c, 0))
	RET()
}

// copyRun writes the copy of up to 16 floats for each of many channels. A mask keeps loads and
// stores from memory behind these floats, which may not exist.
func copyRun() {
	function("copyRunAVX512", "(dst, src *float32, n, channels, dstStride, srcStride int)",
		"copyRunAVX512 copies n floats, at most 16, for each channel, at least 1, the strides "+
			"apart.")
	Load(Param("n"), reg.RCX) // SHLL reads its count from CL
	dst, src, channels := param("dst"), param("src"), param("channels")
	dstStride, srcStride := param("dstStride"), param("srcStride")
	SHLQ(Imm(2), dstStride)
	SHLQ(Imm(2), srcStride)
	bits, mask, x := GP32(), K(), ZMM()
	MOVL(U32(1), bits)
	SHLL(reg.CL, bits)
	DECL(bits)
	KMOVW(bits, mask)
	Label("loop")
	VMOVUPS_Z(at(src, 0), mask, x)
	VMOVUPS(x, mask, at(dst, 0))
	ADDQ(srcStride, src)
	ADDQ(dstStride, dst)
	repeat(channels, "loop")
	finish()
}
