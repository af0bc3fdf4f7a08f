//go:build !amd64 && !arm64 && !(js && bagscope_simd)

package kernel

func convLanes(dst []float32, mapStride int, src []float32, n int, c *ConvRow) {
	convLanesPortable(dst, mapStride, src, n, c, portableLanes, portableLaneMaps)
}

func maxLanes(dst, src []float32, from []int32, n, step int) {
	maxLanesPortable(dst, src, from, n, step, portableLanes)
}

func toLanes(dst, src []float32, n, ld, pictures int) {
	toLanesPortable(dst, src, n, ld, 0, pictures, portableLanes)
}

func fromLanes(dst, src []float32, n, ld, pictures int) {
	fromLanesPortable(dst, src, n, ld, 0, pictures, portableLanes)
}
