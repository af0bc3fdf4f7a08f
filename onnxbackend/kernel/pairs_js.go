//go:build wasm && bagscope_simd

package kernel

import "math"

// pairVectors computes whole vectors and returns how many elements these are. Operands of one
// element are spread by the module.
func pairVectors(p pairing, dst, a, b []float32) int {
	n := len(dst) &^ 3
	stepA, stepB := int32(4), int32(4)
	if len(a) == 1 {
		stepA = 0
	}
	if len(b) == 1 {
		stepB = 0
	}
	to, x, y := address(dst), address(a), address(b)
	switch p {
	case pairAdd:
		simdAdd(to, x, y, int32(n), stepA, stepB)
	case pairSub:
		simdSub(to, x, y, int32(n), stepA, stepB)
	case pairMul:
		simdMul(to, x, y, int32(n), stepA, stepB)
	case pairDiv:
		simdDiv(to, x, y, int32(n), stepA, stepB)
	}
	return n
}

// clampVectors clamps whole vectors and returns how many elements these are.
func clampVectors(dst, src []float32, low, high float32) int {
	n := len(src) &^ 3
	simdClamp(address(dst), address(src), int32(n), math.Float32bits(low),
		math.Float32bits(high))
	return n
}
