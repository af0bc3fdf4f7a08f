package kernel

// vectors computes n whole vectors. The functions are called by name: through a variable, the
// compiler would move memory of the caller to the heap.
func vectors(fn function, dst, src *float32, n int) {
	switch fn {
	case fnExp:
		expNEON(dst, src, n)
	case fnTanh:
		tanhNEON(dst, src, n)
	case fnSigmoid:
		sigmoidNEON(dst, src, n)
	case fnErf:
		erfNEON(dst, src, n)
	case fnSwish:
		swishNEON(dst, src, n)
	case fnGelu:
		geluNEON(dst, src, n)
	case fnHardSwish:
		hardSwishNEON(dst, src, n)
	}
}
