package kernel

import "golang.org/x/sys/cpu"

// countsVectors says whether the processor counts the bits of eight words at once, which not every
// processor with AVX-512 does: 293 ns instead of 1970 for 100,000 bits.
var countsVectors = cpu.X86.HasAVX512VPOPCNTDQ

// lineWords is the number of words of a vector.
const lineWords = 8

func andCount(a, b []uint64) int {
	lines := len(a) / lineWords
	if lines == 0 || current != avx512 || !countsVectors {
		return andCountPortable(a, b)
	}
	whole := lines * lineWords
	return andCountAVX512(&a[0], &b[0], lines) + andCountPortable(a[whole:], b[whole:])
}
