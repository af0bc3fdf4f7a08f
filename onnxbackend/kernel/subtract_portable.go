package kernel

// subtractPortable takes four columns of C at a time, which stay in registers, for two rows of A.
func subtractPortable(
	c []float64, ldc int, a []float64, row, column int, b []float64, ldb, m, n, k int,
) {
	j := 0
	for ; j+4 <= n; j += 4 {
		i := 0
		for ; i+2 <= m; i += 2 {
			subtract2x4(c[i*ldc+j:], c[(i+1)*ldc+j:], a[i*row:], a[(i+1)*row:], column, b[j:], ldb,
				k)
		}
		if i < m {
			subtract1x4(c[i*ldc+j:], a[i*row:], column, b[j:], ldb, k)
		}
	}
	for i := range m {
		for l := j; l < n; l++ {
			sum := c[i*ldc+l]
			for p := range k {
				sum -= float64(a[i*row+p*column] * b[p*ldb+l])
			}
			c[i*ldc+l] = sum
		}
	}
}

func subtract2x4(c, d, a, e []float64, column int, b []float64, ldb, k int) {
	c, d = c[:4], d[:4]
	c0, c1, c2, c3 := c[0], c[1], c[2], c[3]
	d0, d1, d2, d3 := d[0], d[1], d[2], d[3]
	for p, at, line := 0, 0, 0; p < k; p, at, line = p+1, at+column, line+ldb {
		x, y, v := a[at], e[at], b[line:line+4:line+4]
		c0 -= float64(x * v[0])
		c1 -= float64(x * v[1])
		c2 -= float64(x * v[2])
		c3 -= float64(x * v[3])
		d0 -= float64(y * v[0])
		d1 -= float64(y * v[1])
		d2 -= float64(y * v[2])
		d3 -= float64(y * v[3])
	}
	c[0], c[1], c[2], c[3] = c0, c1, c2, c3
	d[0], d[1], d[2], d[3] = d0, d1, d2, d3
}

func subtract1x4(c, a []float64, column int, b []float64, ldb, k int) {
	c = c[:4]
	c0, c1, c2, c3 := c[0], c[1], c[2], c[3]
	for p, at, line := 0, 0, 0; p < k; p, at, line = p+1, at+column, line+ldb {
		x, v := a[at], b[line:line+4:line+4]
		c0 -= float64(x * v[0])
		c1 -= float64(x * v[1])
		c2 -= float64(x * v[2])
		c3 -= float64(x * v[3])
	}
	c[0], c[1], c[2], c[3] = c0, c1, c2, c3
}
