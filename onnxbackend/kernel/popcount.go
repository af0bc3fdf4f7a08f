package kernel

import "math/bits"

//go:generate go -C ../../tools/gen/kernels/amd64 run . -kernel popcount -pkg kernel -out ../../../../onnxbackend/kernel/popcount_amd64.s -stubs ../../../../onnxbackend/kernel/popcount_stubs_amd64.go
//go:generate go -C ../../tools/gen/kernels/arm64 run . -kernel popcount -folder ../../../../onnxbackend/kernel

// overlapRows is how many rows of y meet all rows of x before the next are taken: of 100,000 bits
// each they are 200 KB and stay in the second-level cache.
const overlapRows = 16

// Overlaps writes to dst (m, n) how many bits row i of x (m, words) and row j of y (n, words)
// share, |x_i ∩ y_j|.
func Overlaps(dst []float64, x []uint64, m int, y []uint64, n, words int) {
	if m <= 0 || n <= 0 {
		return
	}
	dst = dst[:m*n]
	if words <= 0 {
		clear(dst)
		return
	}
	x, y = x[:m*words], y[:n*words]
	for j := 0; j < n; j += overlapRows {
		rows := min(overlapRows, n-j)
		for i := range m {
			andCounts(dst[i*n+j:i*n+j+rows], x[i*words:(i+1)*words], y[j*words:(j+rows)*words])
		}
	}
}

// andCountsPortable writes how many bits a shares with each of the rows of b.
func andCountsPortable(dst []float64, a, b []uint64) {
	for j := range dst {
		dst[j] = float64(andCountPortable(a, b[j*len(a):(j+1)*len(a)]))
	}
}

// andCountPortable returns how many bits a and b share, with one count a word.
func andCountPortable(a, b []uint64) int {
	n := 0
	b = b[:len(a)]
	for i, w := range a {
		n += bits.OnesCount64(w & b[i])
	}
	return n
}
