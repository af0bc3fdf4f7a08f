package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// pairs writes the functions of two elements, and the one that cuts elements to an interval.
func pairs() {
	for _, f := range []struct {
		name string
		op   func(...Op)
	}{{"add", VADDPS}, {"sub", VSUBPS}, {"mul", VMULPS}, {"div", VDIVPS}} {
		for _, s := range []isa{avx2, avx512} {
			s.pair(f.name, f.op)
		}
	}
	for _, s := range []isa{avx2, avx512} {
		s.clampRow()
	}
}

// pair writes the loop over n vectors. An operand that advances by 0 bytes serves all of them.
func (s isa) pair(name string, op func(...Op)) {
	function(name+s.name, "(dst, a, b *float32, n, stepA, stepB int)",
		fmt.Sprintf("%s%s computes n times %d values. n is at least 1; the steps are in bytes.",
			name, s.name, s.bytes/4))
	dst, a, b, n := param("dst"), param("a"), param("b"), param("n")
	stepA, stepB := param("stepA"), param("stepB")
	Label("loop")
	x := s.vector()
	VMOVUPS(at(a, 0), x)
	op(at(b, 0), x, x)
	VMOVUPS(x, at(dst, 0))
	ADDQ(stepA, a)
	ADDQ(stepB, b)
	ADDQ(U32(s.bytes), dst)
	repeat(n, "loop")
	finish()
}

// clampRow writes the loop over n vectors that are cut to [low, high]. The second source of the
// instructions is the value, which they return if it is a NaN.
func (s isa) clampRow() {
	function("clamp"+s.name, "(dst, src *float32, n int, low, high float32)",
		fmt.Sprintf("clamp%s computes n times %d values. n is at least 1.", s.name, s.bytes/4))
	dst, src, n := param("dst"), param("src"), param("n")
	low, high := s.vector(), s.vector()
	address, _ := Param("low").Resolve()
	VBROADCASTSS(address.Addr, low)
	address, _ = Param("high").Resolve()
	VBROADCASTSS(address.Addr, high)
	Label("loop")
	x := s.vector()
	VMOVUPS(at(src, 0), x)
	VMAXPS(x, low, x)
	VMINPS(x, high, x)
	VMOVUPS(x, at(dst, 0))
	ADDQ(U32(s.bytes), src)
	ADDQ(U32(s.bytes), dst)
	repeat(n, "loop")
	finish()
}
