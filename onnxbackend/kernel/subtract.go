package kernel

//go:generate go -C ../../tools/gen/kernels/amd64 run . -kernel subtract -pkg kernel -out ../../../../onnxbackend/kernel/subtract_amd64.s -stubs ../../../../onnxbackend/kernel/subtract_stubs_amd64.go
//go:generate go -C ../../tools/gen/kernels/arm64 run . -kernel subtract -folder ../../../../onnxbackend/kernel

// subtractDepth is how many steps of the inner dimension are taken at a time: their strip of B,
// four columns of it a line each, stays in the first-level cache while the rows of A pass.
const subtractDepth = 128

// Subtract computes C -= A·B in float64, which is what a factorisation by blocks is made of. C is
// (m, n) with rows ldc apart. A is (m, k); its element (i, p) is a[i*row+p*column], so that it may
// be the transpose of what is stored. B is (k, n) with rows ldb apart. C may be another part of the
// matrix that A and B are parts of. Products are taken from an element one after the other, p
// ascending, each rounded and then subtracted, at every level. 32 rows of 264 columns, 264 deep,
// run at 21 GFLOP/s with AVX2 and at 16 in the WebAssembly module, at 3 to 5 in plain Go.
func Subtract(c []float64, ldc int, a []float64, row, column int, b []float64, ldb, m, n, k int) {
	if m <= 0 || n <= 0 || k <= 0 {
		return
	}
	c, a, b = c[:(m-1)*ldc+n], a[:(m-1)*row+(k-1)*column+1], b[:(k-1)*ldb+n]
	for p := 0; p < k; p += subtractDepth {
		subtract(c, ldc, a[p*column:], row, column, b[p*ldb:], ldb, m, n, min(subtractDepth, k-p))
	}
}
