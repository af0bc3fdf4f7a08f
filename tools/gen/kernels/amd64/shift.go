package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// shift writes the sum of a row and a bias, with or without the rectifier.
func shift() {
	s := avx2
	function("shiftRowAVX2", "(dst, src, bias *float32, n, relu int)",
		"shiftRowAVX2 writes src + bias to dst, and 0 for negative sums if relu is not 0. n is a "+
			"positive multiple of 8.")
	dst, src, bias, n, relu := param("dst"), param("src"), param("bias"), param("n"), param("relu")
	sum, zero := s.vector(), s.vector()
	SHRQ(Imm(3), n)
	s.zero(zero)
	TESTQ(relu, relu)
	JNZ(LabelRef("relu"))
	for _, rectified := range []bool{false, true} {
		label := "plain"
		if rectified {
			label = "relu"
		}
		Label(label)
		VMOVUPS(at(src, 0), sum)
		VADDPS(at(bias, 0), sum, sum)
		if rectified {
			VMAXPS(sum, zero, sum) // a NaN, and -0, stay as they are
		}
		VMOVUPS(sum, at(dst, 0))
		for _, p := range []Op{src, bias, dst} {
			ADDQ(Imm(uint64(s.bytes)), p)
		}
		repeat(n, label)
		finish()
	}
}
