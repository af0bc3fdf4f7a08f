//go:build amd64 || arm64

package kernel

// Bits of a tile's mode.
const (
	modeAdd  = 1 // go on from what C holds
	modeRelu = 2
)

// innerBlock is how many steps of the inner dimension a tile takes before it puts its sums down in
// C: A's block and a panel stay in the second-level cache. On amd64, between 256 and 1024 nothing
// changes by more than 3 %, nor does copying rows of A together where their strides collide in the
// first level.
const innerBlock = 512

func gemm(c []float32, ldc int, a []float32, lda int, b []float32, m, n, k int, ep Epilogue) {
	if current == portable {
		gemmPortable(c, ldc, a, lda, b, m, n, k, ep)
		return
	}
	t := tiles{width: PanelWidth(), rows: tileRows()}
	for p := 0; p < k; p += innerBlock {
		steps := min(innerBlock, k-p)
		mode := 0
		if p > 0 {
			mode = modeAdd
		}
		var last Epilogue
		if p+steps == k {
			last = ep
		}
		if last.Act == ActRelu {
			mode |= modeRelu
		}
		for j := 0; j < n; j += t.width {
			t.column(c[j:], ldc, a[p:], lda, b[j*k+p*t.width:], m, min(t.width, n-j), steps,
				from(last.Bias, j), last.RowBias, mode)
		}
	}
}

// from returns x from element j on, nil for no x.
func from(x []float32, j int) []float32 {
	if x == nil {
		return nil
	}
	return x[j:]
}

// tiles is how a level cuts C up.
type tiles struct{ width, rows int }

// column computes w columns of C, one panel of B, tile after tile. bias is nil or the w biases,
// rowBias nil or the m biases of rows.
func (t tiles) column(
	c []float32, ldc int, a []float32, lda int, b []float32, m, w, k int, bias, rowBias []float32,
	mode int,
) {
	vectors := 2
	if w <= t.width/2 {
		vectors = 1
	}
	if w != vectors*t.width/2 {
		t.edge(c, ldc, a, lda, b, m, w, k, vectors, bias, rowBias, mode)
		return
	}
	for i := 0; i < m; i += t.rows {
		tile(&c[i*ldc], ldc, &a[i*lda], lda, &b[0], k, min(t.rows, m-i), vectors, bias,
			from(rowBias, i), mode)
	}
}

// edge is column for a w that is no whole number of vectors: through a whole tile beside C.
func (t tiles) edge(
	c []float32, ldc int, a []float32, lda int, b []float32, m, w, k, vectors int, bias,
	rowBias []float32, mode int,
) {
	var whole [maxTile]float32
	var biases [maxPanel]float32
	if bias != nil {
		copy(biases[:w], bias)
		bias = biases[:]
	}
	for i := 0; i < m; i += t.rows {
		rows := min(t.rows, m-i)
		if mode&modeAdd != 0 {
			for r := range rows {
				copy(whole[r*t.width:][:w], c[(i+r)*ldc:][:w])
			}
		}
		tile(&whole[0], t.width, &a[i*lda], lda, &b[0], k, rows, vectors, bias, from(rowBias, i),
			mode)
		for r := range rows {
			copy(c[(i+r)*ldc:][:w], whole[r*t.width:][:w])
		}
	}
}

// gemv takes the columns in wide steps, then in narrow ones, the last step of each kind set back to
// end at the last column: what is computed twice is computed alike. Fewer columns than a vector go
// one by one.
func gemv(c, a, b []float32, ld int) {
	if current == portable {
		gemvPortable(c, a, b, ld)
		return
	}
	narrow := PanelWidth() / 2
	wide := 4 * narrow
	n, j := len(c), 0
	for ; j+wide <= n; j += wide {
		columns(c, a, b, ld, j, wide)
	}
	for n >= narrow && j < n {
		j = min(j, n-narrow)
		columns(c, a, b, ld, j, narrow)
		j += narrow
	}
	for ; j < n; j++ {
		column(&c[j], &a[0], &b[j], ld, len(a))
	}
}
