package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// popcount writes the size of an intersection of bit sets, for processors with VPOPCNTQ. Others use
// one POPCNT for each word in Go, which AVX2 would not beat.
func popcount() {
	function("andCountAVX512", "(a, b *uint64, lines int) int",
		"andCountAVX512 counts the bits that a and b share in lines times 8 words. lines is at "+
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
	repeat(lines, "loop")
	// Add the upper half of the sums to the lower one, three times: 8 sums, 4, 2, 1.
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
