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
			i := i0
			for ; i+4 <= i1; i += 4 {
				tile4(c[i*ldc+j:], ldc, w, a[i*lda:], lda, panel, k)
			}
			for ; i < i1; i++ {
				tile1(c[i*ldc+j:i*ldc+j+w], a[i*lda:i*lda+k], panel)
			}
		}
	}
}

// tile4 computes four rows of a panel, two columns at a time: eight accumulators fit the registers.
func tile4(c []float32, ldc, w int, a []float32, lda int, panel []float32, k int) {
	a0, a1, a2, a3 := a[:k], a[lda:][:k], a[2*lda:][:k], a[3*lda:][:k]
	for h := 0; h < w; h += 2 {
		var c00, c01, c10, c11, c20, c21, c30, c31 float32
		b := panel[h:]
		for p := range a0 {
			x := b[:2:2]
			b0, b1 := x[0], x[1]
			v := a0[p]
			c00 += v * b0
			c01 += v * b1
			v = a1[p]
			c10 += v * b0
			c11 += v * b1
			v = a2[p]
			c20 += v * b0
			c21 += v * b1
			v = a3[p]
			c30 += v * b0
			c31 += v * b1
			if len(b) < NR {
				break
			}
			b = b[NR:]
		}
		c[h], c[ldc+h], c[2*ldc+h], c[3*ldc+h] = c00, c10, c20, c30
		if h+1 < w {
			c[h+1], c[ldc+h+1], c[2*ldc+h+1], c[3*ldc+h+1] = c01, c11, c21, c31
		}
	}
}

// tile1 computes one row of a panel.
func tile1(c, a, panel []float32) {
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
