package kernel

// pairLoop computes n vectors of operands that advance by steps in bytes.
func pairLoop(p pairing, to, x, y *float32, n, stepA, stepB int) {
	wide := current == avx512
	switch {
	case p == pairAdd && wide:
		addAVX512(to, x, y, n, stepA, stepB)
	case p == pairAdd:
		addAVX2(to, x, y, n, stepA, stepB)
	case p == pairSub && wide:
		subAVX512(to, x, y, n, stepA, stepB)
	case p == pairSub:
		subAVX2(to, x, y, n, stepA, stepB)
	case p == pairMul && wide:
		mulAVX512(to, x, y, n, stepA, stepB)
	case p == pairMul:
		mulAVX2(to, x, y, n, stepA, stepB)
	case wide:
		divAVX512(to, x, y, n, stepA, stepB)
	default:
		divAVX2(to, x, y, n, stepA, stepB)
	}
}

// clampLoop clamps n vectors.
func clampLoop(dst, src *float32, n int, low, high float32) {
	if current == avx512 {
		clampAVX512(dst, src, n, low, high)
	} else {
		clampAVX2(dst, src, n, low, high)
	}
}
