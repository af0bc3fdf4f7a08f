package kernel

// A level is one implementation of the kernels. All levels give the same sums, products and members
// in the same order; they differ in width and in whether a product and its sum are rounded once
// (fused) or twice.
type level uint8

const (
	portable level = iota // Go alone, on every machine
	avx2                  // AVX2 with FMA: 8 floats, 16 registers
	avx512                // AVX-512 F, DQ, BW and VL: 16 floats, 32 registers
)

// current is the best level that this machine runs. Tests set it to try the others.
var current = detect()

func (l level) String() string { return [...]string{"portable", "avx2", "avx512"}[l] }
