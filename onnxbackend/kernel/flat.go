package kernel

//go:generate go -C ../../tools/gen/kernels/amd64 run . -kernel flat -pkg kernel -out ../../../../onnxbackend/kernel/flat_amd64.s -stubs ../../../../onnxbackend/kernel/flat_stubs_amd64.go
//go:generate go -C ../../tools/gen/kernels/arm64 run . -kernel flat -folder ../../../../onnxbackend/kernel

// In a flat convolution the lanes are neighbouring places of a picture instead of pictures. A
// picture whose rows are pitch floats apart, with its padding stored as zeros, is one long line:
// place p of the result reads place p plus a constant for each tap. Nothing is copied for a tap,
// and vectors run over the ends of rows.

// ConvFlat computes n neighbouring floats of every map: float x of map m is at dst[m*mapStride + x]
// and is the sum over p of weight (m, p) times src[From[p] + x], p ascending in one chain of
// additions, then the bias, then what is below zero cut off. Step must be LaneWidth, and n at least
// LaneWidth. It equals Gemm of the same columns, bit for bit. dst and src must not overlap.
func ConvFlat(dst []float32, mapStride int, src []float32, n int, c *ConvRow) {
	if c.Maps <= 0 {
		return
	}
	width := LaneWidth()
	checkFlat(n, width, c.Step)
	dst = dst[:(c.Maps-1)*mapStride+n]
	_ = c.Weights[:c.Maps*len(c.From)]
	if c.Bias != nil {
		_ = c.Bias[:c.Maps]
	}
	for _, from := range c.From {
		_ = src[from : int(from)+n]
	}
	convFlat(dst, mapStride, src, n, c)
}

// DepthFlat computes n neighbouring floats of one map, as ConvFlat does for a ConvRow of one map.
// It keeps more sums of this map in registers, which pays if there are few taps: a depthwise
// convolution has one map for each channel.
func DepthFlat(dst, src []float32, n int, c *ConvRow) {
	width := LaneWidth()
	checkFlat(n, width, c.Step)
	if len(c.From) == 0 {
		ConvFlat(dst, n, src, n, c)
		return
	}
	dst = dst[:n]
	_ = c.Weights[:len(c.From)]
	if c.Bias != nil {
		_ = c.Bias[:1]
	}
	for _, from := range c.From {
		_ = src[from : int(from)+n]
	}
	depthFlat(dst, src, n, c)
}

// FlatPays reports whether a flat convolution takes less time than the product of its columns. In
// plain Go it takes 1.1 to 1.5 times as long, unless groups of channels make many small products.
func FlatPays(grouped bool) bool { return grouped || current != portable }

// checkFlat panics if an argument breaks the contract, since the kernels check nothing.
func checkFlat(n, width, step int) {
	if n < width || step != width {
		panic("kernel: a flat convolution of less than a vector, or with a step")
	}
}

// convFlatByLanes is ConvFlat in whole vectors. The last vector is set back to end at the last
// place: what is computed twice is computed alike.
func convFlatByLanes(dst []float32, mapStride int, src []float32, n int, c *ConvRow) {
	width := LaneWidth()
	vectors := n / width
	convLanes(dst, mapStride, src, vectors, c)
	if vectors*width < n {
		convLanes(dst[n-width:], mapStride, src[n-width:], 1, c)
	}
}
