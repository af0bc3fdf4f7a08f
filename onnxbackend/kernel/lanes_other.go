package kernel

func convLanes(dst []float32, mapStride int, src []float32, n int, c *ConvRow) {
	convLanesPortable(dst, mapStride, src, n, c)
}

func maxLanes(dst, src []float32, from []int32, n, step int) {
	maxLanesPortable(dst, src, from, n, step)
}

func toLanes(dst, src []float32, n, ld, pictures int) { toLanesPortable(dst, src, n, ld, pictures) }

func fromLanes(dst, src []float32, n, ld, pictures int) { fromLanesPortable(dst, src, n, ld, pictures) }
