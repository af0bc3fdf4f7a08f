package kernel

//go:generate go -C ../../tools/gen/kernels/amd64 run . -kernel shift -pkg kernel -out ../../../../onnxbackend/kernel/shift_amd64.s -stubs ../../../../onnxbackend/kernel/shift_stubs_amd64.go

// Shift writes act(src[rows[i]*ld + c] + bias[c]) to dst, (row, column), for the columns c of bias.
// act is ActNone or ActRelu. dst must not overlap src or bias.
func Shift(dst, src []float32, ld int, rows []int, bias []float32, act Activation) {
	n := len(bias)
	if n == 0 || len(rows) == 0 {
		return
	}
	dst = dst[:len(rows)*n]
	for _, i := range rows {
		_ = src[i*ld : i*ld+n] // the loops below do not look
	}
	shift(dst, src, ld, rows, bias, act)
}

// shiftPortable is Shift for the columns from first on.
func shiftPortable(
	dst, src []float32, ld int, rows []int, bias []float32, act Activation, first int,
) {
	n := len(bias)
	for i, r := range rows {
		to, from := dst[i*n+first:(i+1)*n], src[r*ld+first:r*ld+n]
		by := bias[first:]
		from, by = from[:len(to)], by[:len(to)]
		for c := range to {
			v := from[c] + by[c]
			if act == ActRelu && v < 0 {
				v = 0
			}
			to[c] = v
		}
	}
}
