package kernel

//go:generate go -C ../../tools/gen/kernels/amd64 run . -kernel gemm -pkg kernel -out ../../../../onnxbackend/kernel/gemm_amd64.s -stubs ../../../../onnxbackend/kernel/gemm_stubs_amd64.go
//go:generate go -C ../../tools/gen/kernels/arm64 run . -kernel gemm -folder ../../../../onnxbackend/kernel
//go:generate go run ../../tools/gen/kernels/wasm -root ../..

// rowBlock is the number of rows of A that are multiplied with all panels before the next rows:
// their block of C stays in the second-level cache until its activation. It is a multiple of the
// tile heights 12, 8, 6 and 4.
const rowBlock = 96

// PanelWidth returns the number of columns of a panel of a packed matrix: 4 in plain Go, 8 in the
// WebAssembly module and with NEON, 16 with AVX2, 32 with AVX-512. It is the same for the life of
// the process.
func PanelWidth() int { return current.panelWidth() }

// PackedLen returns how many floats Pack writes for a (k, n) matrix.
func PackedLen(k, n int) int {
	w := PanelWidth()
	return (n + w - 1) / w * w * k
}

// Pack lays out a (k, n) matrix for Gemm: panels of PanelWidth columns, each panel (k, PanelWidth),
// the last one padded with zeros. Row p of b begins at b[p*ld]; with trans, b is (n, k) and row
// j begins at b[j*ld]. dst has PackedLen(k, n) floats.
func Pack(dst, b []float32, k, n, ld int, trans bool) {
	width := PanelWidth()
	for j := 0; j < n; j += width {
		panel := dst[j*k : (j+width)*k]
		w := min(width, n-j)
		if w < width {
			clear(panel)
		}
		if trans {
			packTransposed(panel, b[j*ld:], k, w, width, ld)
			continue
		}
		for p := range k {
			copy(panel[p*width:p*width+w], b[p*ld+j:p*ld+j+w])
		}
	}
}

// packTransposed fills w columns of a panel from rows of b, four at a time: 0.47 ns a
// value instead of 0.88.
func packTransposed(panel, b []float32, k, w, width, ld int) {
	c := 0
	for ; c+4 <= w; c += 4 {
		b0, b1, b2, b3 := b[c*ld:][:k], b[(c+1)*ld:][:k], b[(c+2)*ld:][:k], b[(c+3)*ld:][:k]
		for p, v := range b0 {
			to := panel[p*width+c:][:4]
			to[0], to[1], to[2], to[3] = v, b1[p], b2[p], b3[p]
		}
	}
	for ; c < w; c++ {
		for p, v := range b[c*ld:][:k] {
			panel[p*width+c] = v
		}
	}
}

// An Epilogue is applied to each element of a product while it is in a register or in the cache:
// Act(c + Bias of its column + RowBias of its row). The zero value changes nothing.
type Epilogue struct {
	Bias    []float32 // (n), or nil: bias of a layer, whose units are columns
	RowBias []float32 // (m), or nil: bias of a convolution, whose maps are rows
	Act     Activation
}

// Gemm computes C = A·B, with ep applied, for A (m, k) with rows lda apart, B (k, n) packed by
// Pack, C (m, n) with rows ldc apart. C must not overlap A or B. Memory of C between n and ldc does
// not change.
func Gemm(c []float32, ldc int, a []float32, lda int, packed []float32, m, n, k int, ep Epilogue) {
	if m <= 0 || n <= 0 {
		return
	}
	if ep.Bias != nil {
		ep.Bias = ep.Bias[:n:n]
	}
	rowBias := ep.RowBias
	if rowBias != nil {
		rowBias = rowBias[:m:m]
	}
	packed = packed[:PackedLen(k, n)]
	for i := 0; i < m; i += rowBlock {
		rows := min(rowBlock, m-i)
		if rowBias != nil {
			ep.RowBias = rowBias[i : i+rows]
		}
		block := c[i*ldc : (i+rows-1)*ldc+n]
		if k > 0 {
			gemm(block, ldc, a[i*lda:(i+rows-1)*lda+k], lda, packed, rows, n, k, ep)
		} else {
			empty(block, ldc, rows, n, ep)
		}
		if ep.Act > ActRelu {
			activateRows(block, ldc, rows, n, ep.Act)
		}
	}
}

// activateRows applies act to C (m, n), at once if rows are adjacent.
func activateRows(c []float32, ldc, m, n int, act Activation) {
	if ldc == n {
		Activate(c, act)
		return
	}
	for i := range m {
		Activate(c[i*ldc:i*ldc+n], act)
	}
}

// empty is gemm for an inner dimension of size 0: C is the epilogue of zeros.
func empty(c []float32, ldc, m, n int, ep Epilogue) {
	for i := range m {
		clear(c[i*ldc : i*ldc+n])
	}
	finish(c, ldc, m, n, ep)
}

// finish applies the part of an epilogue that gemm is responsible for: the biases and ActRelu.
func finish(c []float32, ldc, m, n int, ep Epilogue) {
	if ep.Bias == nil && ep.RowBias == nil && ep.Act != ActRelu {
		return
	}
	for i := range m {
		row := c[i*ldc : i*ldc+n]
		if ep.Bias != nil {
			for j, b := range ep.Bias[:n] {
				row[j] += b
			}
		}
		if ep.RowBias != nil {
			b := ep.RowBias[i]
			for j := range row {
				row[j] += b
			}
		}
		if ep.Act == ActRelu {
			Activate(row, ActRelu)
		}
	}
}

// Gemv computes c = a·B for a vector a of k elements and B (k, n) with rows ld apart, not packed.
// It equals Gemm with one row, bit for bit. c must not overlap a or b.
func Gemv(c, a, b []float32, n, ld int) {
	c = c[:n]
	if n == 0 || len(a) == 0 {
		clear(c)
		return
	}
	gemv(c, a, b[:(len(a)-1)*ld+n], ld)
}
