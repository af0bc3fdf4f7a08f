package kernel

// shiftColumns is the number that the columns in assembly are a multiple of.
const shiftColumns = 8

func shift(dst, src []float32, ld int, rows []int, bias []float32, act Activation) {
	n, whole := len(bias), 0
	if current != portable {
		whole = n / shiftColumns * shiftColumns
	}
	if whole > 0 {
		for i, r := range rows {
			shiftRowAVX2(&dst[i*n], &src[r*ld], &bias[0], whole, int(act))
		}
	}
	if whole < n {
		shiftPortable(dst, src, ld, rows, bias, act, whole)
	}
}
