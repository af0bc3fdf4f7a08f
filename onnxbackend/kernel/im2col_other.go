//go:build !amd64 && !arm64

package kernel

// maxRun is the longest run of copyRun. Here it copies all lengths alike.
const maxRun = 1 << 30

func copyRun(dst, src []float32, n, channels, dstStride, srcStride int) {
	copyRunPortable(dst, src, n, channels, dstStride, srcStride)
}
