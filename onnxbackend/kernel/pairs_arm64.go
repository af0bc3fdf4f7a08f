package kernel

// pairLoop computes n vectors of operands that advance by steps in bytes.
func pairLoop(p pairing, to, x, y *float32, n, stepA, stepB int) {
	switch p {
	case pairAdd:
		addNEON(to, x, y, n, stepA, stepB)
	case pairSub:
		subNEON(to, x, y, n, stepA, stepB)
	case pairMul:
		mulNEON(to, x, y, n, stepA, stepB)
	case pairDiv:
		divNEON(to, x, y, n, stepA, stepB)
	}
}

// clampLoop clamps n vectors.
func clampLoop(dst, src *float32, n int, low, high float32) { clampNEON(dst, src, n, low, high) }
