package kernel

// maxRun is the longest run of copyRun: the width of a panel.
const maxRun = 8

// copyRun copies a run of a panel of 8 columns by its first and its last vector: a call of copy for
// each channel costs more.
func copyRun(dst, src []float32, n, channels, dstStride, srcStride int) {
	const vector = 4
	if current == portable || n < vector {
		copyRunPortable(dst, src, n, channels, dstStride, srcStride)
		return
	}
	dst, src = dst[:(channels-1)*dstStride+n], src[:(channels-1)*srcStride+n]
	copyRunNEON(&dst[0], &src[0], n, channels, dstStride, srcStride)
}
