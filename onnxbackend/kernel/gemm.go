// Package kernel holds the hand-tuned loops of the engine: matrix multiplication and what convolution
// needs around it. Every element of a product is summed over the inner dimension from first to last
// in one accumulator, so that a row's result does not depend on which other rows are computed with it.
package kernel

// NR is the number of columns of a panel of a packed matrix.
const NR = 4

// PackedLen returns how many floats Pack writes for a (k, n) matrix.
func PackedLen(k, n int) int { return (n + NR - 1) / NR * NR * k }

// Pack lays out a (k, n) matrix for Gemm: panels of NR columns, each panel (k, NR), the last one
// filled up with zeros. Row p of b begins at b[p*ld]; with trans, b is (n, k) and row j begins at b[j*ld].
func Pack(dst, b []float32, k, n, ld int, trans bool) {
	for j := 0; j < n; j += NR {
		panel := dst[j*k : (j+NR)*k]
		w := min(NR, n-j)
		if w < NR {
			clear(panel)
		}
		if trans {
			for c := range w {
				row := b[(j+c)*ld : (j+c)*ld+k]
				for p, v := range row {
					panel[p*NR+c] = v
				}
			}
			continue
		}
		for p := range k {
			copy(panel[p*NR:p*NR+w], b[p*ld+j:p*ld+j+w])
		}
	}
}

// Gemm computes C = A·B for A (m, k) with rows lda apart, B (k, n) packed, C (m, n) with rows ldc apart.
func Gemm(c []float32, ldc int, a []float32, lda int, b []float32, m, n, k int) {
	if k == 0 {
		for i := range m {
			clear(c[i*ldc : i*ldc+n])
		}
		return
	}
	gemm(c, ldc, a, lda, b, m, n, k)
}

// Gemv computes c = a·B for a vector a of k elements and B (k, n) with rows ld apart, not packed. It
// equals Gemm with one row, bit for bit.
func Gemv(c, a, b []float32, n, ld int) {
	c = c[:n]
	clear(c)
	p := 0
	for ; p+4 <= len(a); p += 4 {
		a0, a1, a2, a3 := a[p], a[p+1], a[p+2], a[p+3]
		b0, b1, b2, b3 := b[p*ld:][:n], b[(p+1)*ld:][:n], b[(p+2)*ld:][:n], b[(p+3)*ld:][:n]
		for j := range c {
			v := c[j] + a0*b0[j]
			v += a1 * b1[j]
			v += a2 * b2[j]
			c[j] = v + a3*b3[j]
		}
	}
	for ; p < len(a); p++ {
		a0, b0 := a[p], b[p*ld:][:n]
		for j := range c {
			c[j] += a0 * b0[j]
		}
	}
}
