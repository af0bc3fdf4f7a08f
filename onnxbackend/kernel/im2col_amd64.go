package kernel

// maxRun is the longest run for which copies by masks take less time than calls of copy.
const maxRun = 64

// copyRun copies by masks where there are some: a call of copy for each channel costs four times as
// much.
func copyRun(dst, src []float32, n, channels, dstStride, srcStride int) {
	if current != avx512 {
		copyRunPortable(dst, src, n, channels, dstStride, srcStride)
		return
	}
	const vector = 16
	dst, src = dst[:(channels-1)*dstStride+n], src[:(channels-1)*srcStride+n]
	for at := 0; at < n; at += vector {
		copyRunAVX512(&dst[at], &src[at], min(vector, n-at), channels, dstStride, srcStride)
	}
}
