package kernel

// portableWidth is the panel width of the portable level: more columns would leave the registers.
const portableWidth = 4

// gemmPortable computes C = A·B on panels of portableWidth columns, with the biases and ActRelu.
// Products are rounded before they are added: a conversion to float32 keeps the compiler from
// fusing them, so that results are the same on every machine.
func gemmPortable(
	c []float32, ldc int, a []float32, lda int, b []float32, m, n, k int, ep Epilogue,
) {
	for j := 0; j < n; j += portableWidth {
		panel := b[j*k : (j+portableWidth)*k]
		w := min(portableWidth, n-j)
		for i := range m {
			tilePortable(c[i*ldc+j:i*ldc+j+w], a[i*lda:i*lda+k], panel)
		}
	}
	finish(c, ldc, m, n, ep)
}

// tilePortable computes one row of a panel. More accumulators, of further rows or columns, do not
// stay in the registers of scalar code and make it half as fast.
func tilePortable(c, a, panel []float32) {
	var c0, c1, c2, c3 float32
	for p, v := range a {
		b := panel[p*portableWidth : p*portableWidth+portableWidth : p*portableWidth+portableWidth]
		c0 += float32(v * b[0])
		c1 += float32(v * b[1])
		c2 += float32(v * b[2])
		c3 += float32(v * b[3])
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
			v := c[j] + float32(a0*b0[j])
			v += float32(a1 * b1[j])
			v += float32(a2 * b2[j])
			c[j] = v + float32(a3*b3[j])
		}
	}
	for ; p < len(a); p++ {
		a0, b0 := a[p], b[p*ld:][:n]
		for j := range c {
			c[j] += float32(a0 * b0[j])
		}
	}
}
