package kernel

// rowBlock is how many rows of A meet a panel before the next panel is taken: few enough to stay in
// the second-level cache.
const rowBlock = 64

func gemm(c []float32, ldc int, a []float32, lda int, b []float32, m, n, k int) {
	for i0 := 0; i0 < m; i0 += rowBlock {
		i1 := min(i0+rowBlock, m)
		for j := 0; j < n; j += NR {
			panel := b[j*k : (j+NR)*k]
			w := min(NR, n-j)
			for i := i0; i < i1; i++ {
				tile(c[i*ldc+j:i*ldc+j+w], a[i*lda:i*lda+k], panel)
			}
		}
	}
}

// tile computes one row of a panel. More accumulators, of further rows or columns, do not
// stay in the registers of scalar code and make it slower.
func tile(c, a, panel []float32) {
	var c0, c1, c2, c3 float32
	for p, v := range a {
		b := panel[p*NR : p*NR+NR : p*NR+NR]
		c0 += v * b[0]
		c1 += v * b[1]
		c2 += v * b[2]
		c3 += v * b[3]
	}
	acc := [NR]float32{c0, c1, c2, c3}
	copy(c, acc[:])
}
