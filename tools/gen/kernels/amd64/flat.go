package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// flat writes the convolution of one map over neighbouring places.
func flat() {
	for _, s := range []isa{avx2, avx512} {
		s.depthRow()
	}
}

// depthRow writes the loop over vectors of places. Eight vectors at a time hide the latency of
// their chains of additions; the rest goes in fours, twos and ones.
func (s isa) depthRow() {
	name := "depthRow" + s.name
	function(name, "(dst, src *float32, vectors int, from *int32, k int, weights, bias *float32, "+
		"relu bool)",
		fmt.Sprintf("%s computes vectors times %d places of one map from k taps.", name, s.bytes/4),
		"k is at least 1. bias may be nil.")
	t := depthArgs{
		isa: s, dst: param("dst"), src: param("src"), count: param("vectors"),
		from: param("from"), k: param("k"), weights: param("weights"),
	}
	LEAQ(Mem{Base: t.from, Index: t.k, Scale: 4}, t.from)
	LEAQ(Mem{Base: t.weights, Index: t.k, Scale: 4}, t.weights)
	NEGQ(t.k)
	t.bias, t.zeroes = s.vector(), s.vector()
	s.zero(t.bias)
	s.zero(t.zeroes)
	bias := param("bias")
	TESTQ(bias, bias)
	JZ(LabelRef("nobias"))
	VBROADCASTSS(at(bias, 0), t.bias)
	Label("nobias")
	t.hasBias = bias
	for n := 8; n > 0; n /= 2 {
		t.body(n)
	}
	finish()
}

// depthArgs are the parameters in registers. from and weights are the ends of the lists, k the
// negative number of taps, which counts up to zero.
type depthArgs struct {
	isa
	dst, src, count, from, k, weights, hasBias reg.GPVirtual
	bias, zeroes                               reg.VecVirtual
}

// body writes the loop over n vectors at a time.
func (t depthArgs) body(n int) {
	name := fmt.Sprintf("v%d", n)
	Label(name)
	CMPQ(t.count, Imm(uint64(n)))
	JL(LabelRef(name + "end"))
	acc := t.vectors(n)
	for _, v := range acc {
		t.zero(v)
	}
	p, where := copyOf(t.k), GP64()
	weight := t.vector()
	Label(name + "tap")
	MOVLQSX(Mem{Base: t.from, Index: p, Scale: 4}, where)
	VBROADCASTSS(Mem{Base: t.weights, Index: p, Scale: 4}, weight)
	for i, v := range acc {
		VFMADD231PS(Mem{Base: t.src, Index: where, Scale: 4, Disp: i * t.bytes}, weight, v)
	}
	INCQ(p)
	JNZ(LabelRef(name + "tap"))
	// Adding a bias of zero would turn -0 into 0.
	TESTQ(t.hasBias, t.hasBias)
	JZ(LabelRef(name + "nobias"))
	for _, v := range acc {
		VADDPS(t.bias, v, v)
	}
	Label(name + "nobias")
	relu := Load(Param("relu"), GP8())
	TESTB(relu, relu)
	JZ(LabelRef(name + "store"))
	for _, v := range acc {
		VMAXPS(v, t.zeroes, v) // a NaN stays one
	}
	Label(name + "store")
	for i, v := range acc {
		VMOVUPS(v, at(t.dst, i*t.bytes))
	}
	ADDQ(U32(n*t.bytes), t.dst)
	ADDQ(U32(n*t.bytes), t.src)
	SUBQ(Imm(uint64(n)), t.count)
	JMP(LabelRef(name))
	Label(name + "end")
}
