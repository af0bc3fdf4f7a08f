//go:build !amd64 && !arm64

package kernel

func copyRun(dst, src []float32, n, channels, dstStride, srcStride int) {
	copyRunPortable(dst, src, n, channels, dstStride, srcStride)
}
