package kernel

import "golang.org/x/sys/cpu"

// countsVectors says whether the processor counts the bits of eight words at once, which not every
// processor with AVX-512 does: 293 ns instead of 1970 for 100,000 bits.
var countsVectors = cpu.X86.HasAVX512VPOPCNTDQ

// lineWords is the number of words of a vector.
const lineWords = 8

func andCounts(dst []float64, a, b []uint64) {
	lines := len(a) / lineWords
	if lines == 0 || current != avx512 || !countsVectors {
		andCountsPortable(dst, a, b)
		return
	}
	whole := lines * lineWords
	for j := range dst {
		row := b[j*len(a) : (j+1)*len(a)]
		dst[j] = float64(andCountAVX512(&a[0], &row[0], lines) + andCountPortable(a[whole:],
			row[whole:]))
	}
}
