//go:build amd64 || arm64

package kernel

// elementwise computes whole vectors; the rest of the slice is copied to a vector of its own.
func elementwise(fn function, dst, src []float32) {
	if current == portable {
		elementwisePortable(fn, dst, src)
		return
	}
	width := PanelWidth() / 2
	whole := len(src) / width
	if whole > 0 {
		vectors(fn, &dst[0], &src[0], whole)
	}
	if rest := src[whole*width:]; len(rest) > 0 {
		var part [16]float32
		copy(part[:], rest)
		vectors(fn, &part[0], &part[0], 1)
		copy(dst[whole*width:], part[:])
	}
}
