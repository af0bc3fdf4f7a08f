package kernel

//go:generate go -C ../../tools/gen/kernels/amd64 run . -kernel pairs -pkg kernel -out ../../../../onnxbackend/kernel/pairs_amd64.s -stubs ../../../../onnxbackend/kernel/pairs_stubs_amd64.go
//go:generate go -C ../../tools/gen/kernels/arm64 run . -kernel pairs -folder ../../../../onnxbackend/kernel

// A pairing is a function of two elements.
type pairing uint8

const (
	pairAdd pairing = iota
	pairSub
	pairMul
	pairDiv
)

// Add writes a[i] + b[i] to dst[i]. a and b have len(dst) elements, or one for all. dst may be a or
// b, but must not overlap them otherwise.
func Add(dst, a, b []float32) { pairs(pairAdd, dst, a, b) }

// Sub writes a[i] - b[i] to dst[i], as Add.
func Sub(dst, a, b []float32) { pairs(pairSub, dst, a, b) }

// Mul writes a[i] · b[i] to dst[i], as Add.
func Mul(dst, a, b []float32) { pairs(pairMul, dst, a, b) }

// Div writes a[i] / b[i] to dst[i], as Add.
func Div(dst, a, b []float32) { pairs(pairDiv, dst, a, b) }

// minPairs is the length from which on vectors are faster than a loop in Go.
const minPairs = 16

// pairs computes whole vectors, and the rest one by one.
func pairs(p pairing, dst, a, b []float32) {
	if len(dst) == 0 {
		return
	}
	if len(a) != 1 {
		a = a[:len(dst)]
	}
	if len(b) != 1 {
		b = b[:len(dst)]
	}
	done := 0
	if current != portable && len(dst) >= minPairs {
		done = pairVectors(p, dst, a, b)
	}
	if len(a) > 1 {
		a = a[done:]
	}
	if len(b) > 1 {
		b = b[done:]
	}
	pairsPortable(p, dst[done:], a, b)
}

// pairsPortable is the loop in Go.
func pairsPortable(p pairing, dst, a, b []float32) {
	if len(dst) == 0 {
		return
	}
	stepA, stepB := step(a, dst), step(b, dst)
	for i, x, y := 0, 0, 0; i < len(dst); i, x, y = i+1, x+stepA, y+stepB {
		switch p {
		case pairAdd:
			dst[i] = a[x] + b[y]
		case pairSub:
			dst[i] = a[x] - b[y]
		case pairMul:
			dst[i] = a[x] * b[y]
		case pairDiv:
			dst[i] = a[x] / b[y]
		}
	}
}

// Clamp writes src[i] to dst[i], cut to [low, high]: first to low, then to high, so that high wins
// if it is less. A NaN stays one. dst may be src, but must not overlap it otherwise.
func Clamp(dst, src []float32, low, high float32) {
	dst = dst[:len(src)]
	done := 0
	if current != portable && len(src) >= minPairs {
		done = clampVectors(dst, src, low, high)
	}
	clampPortable(dst[done:], src[done:], low, high)
}

// clampPortable is the loop in Go.
func clampPortable(dst, src []float32, low, high float32) {
	for i, v := range src {
		if v < low {
			v = low
		}
		if v > high {
			v = high
		}
		dst[i] = v
	}
}

// step returns the distance between two elements of an operand: 0 if one serves all.
func step(x, dst []float32) int {
	if len(x) == 1 && len(dst) != 1 {
		return 0
	}
	return 1
}
