package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// popcount writes the size of an intersection of bit sets. Only the processors with VPOPCNTQ have
// something to gain over one POPCNT a word.
func popcount() {
	TEXT("andCountAVX512", NOSPLIT, "func(a, b *uint64, lines int) int")
	Pragma("noescape")
	Doc("andCountAVX512 counts the bits that a and b share in lines times 8 words. lines is at " +
		"least 1.")
	a, b, lines := param("a"), param("b"), param("lines")
	sum, x := ZMM(), ZMM()
	VPXORQ(sum, sum, sum)
	Label("loop")
	VMOVDQU64(at(a, 0), x)
	VPANDQ(at(b, 0), x, x)
	VPOPCNTQ(x, x)
	VPADDQ(x, sum, sum)
	ADDQ(Imm(64), a)
	ADDQ(Imm(64), b)
	DECQ(lines)
	JNZ(LabelRef("loop"))
	// Fold eight sums into one.
	half := YMM()
	VEXTRACTI64X4(Imm(1), sum, half)
	VPADDQ(half, sum.AsY(), half)
	quarter := XMM()
	VEXTRACTI128(Imm(1), half, quarter)
	VPADDQ(quarter, half.AsX(), quarter)
	swapped := XMM()
	VPSHUFD(Imm(0x4e), quarter, swapped)
	VPADDQ(swapped, quarter, quarter)
	result := GP64()
	VMOVQ(quarter, result)
	VZEROUPPER()
	Store(result, ReturnIndex(0))
	RET()
}
