//go:build amd64 || arm64

package kernel

// pairVectors computes whole vectors and returns how many elements these are. An operand for all is
// spread over a vector, which the loop then reads again and again.
func pairVectors(p pairing, dst, a, b []float32) int {
	width := PanelWidth() / 2
	n := len(dst) / width
	var spread [2][16]float32
	stepA, stepB := 4*width, 4*width
	if len(a) == 1 {
		a, stepA = spreadOver(&spread[0], a[0]), 0
	}
	if len(b) == 1 {
		b, stepB = spreadOver(&spread[1], b[0]), 0
	}
	pairLoop(p, &dst[0], &a[0], &b[0], n, stepA, stepB)
	return n * width
}

// spreadOver fills a vector with one element.
func spreadOver(to *[16]float32, v float32) []float32 {
	for i := range to {
		to[i] = v
	}
	return to[:]
}

// clampVectors clamps whole vectors and returns how many elements these are.
func clampVectors(dst, src []float32, low, high float32) int {
	width := PanelWidth() / 2
	n := len(src) / width
	clampLoop(&dst[0], &src[0], n, low, high)
	return n * width
}
