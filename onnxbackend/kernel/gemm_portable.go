package kernel

// portableWidth is the panel width of the portable level: more columns would leave the registers.
const portableWidth = 4

// gemmPortable computes C = A·B + Bias, cut off at zero for ActRelu, on panels of portableWidth columns.
func gemmPortable(c []float32, ldc int, a []float32, lda int, b []float32, m, n, k int, ep Epilogue) {
	for j := 0; j < n; j += portableWidth {
		panel := b[j*k : (j+portableWidth)*k]
		w := min(portableWidth, n-j)
		i := 0
		for ; i+4 <= m; i += 4 {
			tile4(c[i*ldc+j:], ldc, w, a[i*lda:], lda, panel, k)
		}
		for ; i < m; i++ {
			tile1(c[i*ldc+j:i*ldc+j+w], a[i*lda:i*lda+k], panel)
		}
	}
	if ep.Bias != nil || ep.Act == ActRelu {
		for i := range m {
			finish(c[i*ldc:i*ldc+n], ep, 0)
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
			if len(b) < portableWidth {
				break
			}
			b = b[portableWidth:]
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
		b := panel[p*portableWidth : p*portableWidth+portableWidth : p*portableWidth+portableWidth]
		c0 += v * b[0]
		c1 += v * b[1]
		c2 += v * b[2]
		c3 += v * b[3]
	}
	acc := [portableWidth]float32{c0, c1, c2, c3}
	copy(c, acc[:])
}

// gemvPortable is Gemv for at least one row and one column.
func gemvPortable(c, a, b []float32, ld int) {
	n := len(c)
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
