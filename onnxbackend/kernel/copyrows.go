package kernel

// CopyRows copies rows of n floats: row i from src[i*srcStride] to dst[i*dstStride]. Rows of dst
// must not overlap, nor dst and src.
func CopyRows(dst, src []float32, n, rows, dstStride, srcStride int) {
	switch {
	case n <= 0 || rows <= 0:
	case n == dstStride && n == srcStride:
		copy(dst[:n*rows], src[:n*rows])
	case n > maxRun:
		copyRunPortable(dst, src, n, rows, dstStride, srcStride)
	default:
		copyRun(dst, src, n, rows, dstStride, srcStride)
	}
}
