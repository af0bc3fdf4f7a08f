package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An isa is an instruction set: its vectors, and the shape of the product tile that fills its
// registers.
type isa struct {
	name  string
	bytes int // bytes of a vector
	// rows of a tile: rows x 2 accumulators, 2 columns and 1 broadcast value share the registers.
	rows   int
	unroll int // steps of the inner dimension in one round of the loop
	vector func() reg.VecVirtual
}

var (
	avx2   = isa{"AVX2", 32, 6, 4, YMM}
	avx512 = isa{"AVX512", 64, 12, 2, ZMM}
)

// vectors returns n new registers.
func (s isa) vectors(n int) []reg.VecVirtual {
	v := make([]reg.VecVirtual, n)
	for i := range v {
		v[i] = s.vector()
	}
	return v
}

// zero clears a vector. The EVEX form of VXORPS belongs to AVX512DQ, that of VPXORD to AVX512F.
func (s isa) zero(v reg.VecVirtual) {
	if s.bytes == 64 {
		VPXORD(v, v, v)
		return
	}
	VXORPS(v, v, v)
}

// function begins a function of the assembly with its signature in Go and its doc comment.
func function(name, signature string, doc ...string) {
	TEXT(name, NOSPLIT, "func"+signature)
	Pragma("noescape") // all pointers are to memory of the caller
	Doc(doc...)
}

// finish ends a function that used wide vectors. Without VZEROUPPER, SSE code of the caller is
// slow.
func finish() {
	VZEROUPPER()
	RET()
}

// repeat ends a loop of counter rounds that begins at a label.
func repeat(counter reg.GPVirtual, label string) {
	DECQ(counter)
	JNZ(LabelRef(label))
}

// param loads a parameter of the function being written into a register of its own.
func param(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// copyOf returns a new register with the value of r.
func copyOf(r reg.GPVirtual) reg.GPVirtual {
	c := GP64()
	MOVQ(r, c)
	return c
}
