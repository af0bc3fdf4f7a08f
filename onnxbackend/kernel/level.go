package kernel

// A level is one implementation of the kernels. All levels give the same sums, products and members
// in the same order; they differ in width and in whether a product and its sum are rounded once
// (fused) or twice. Each platform names its levels, the better ones greater, in level_*.go.
type level uint8

// portable is Go alone, on every machine.
const portable level = 0

// current is the best level that this machine runs. Tests set it to try the others.
var current = detect()

// Level names the implementation of the kernels that this process uses: portable, avx2, avx512,
// neon or simd.
func Level() string { return current.String() }

func (l level) String() string { return levelNames[l] }
