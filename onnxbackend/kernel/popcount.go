package kernel

import "math/bits"

//go:generate go -C ../../tools/kernelgen/amd64 run . -kernel popcount -pkg kernel -out ../../../onnxbackend/kernel/popcount_amd64.s -stubs ../../../onnxbackend/kernel/popcount_stubs_amd64.go

// AndCount returns how many bits a and b share, |a ∩ b|. They have the same number of words.
func AndCount(a, b []uint64) int { return andCount(a, b[:len(a)]) }

// andCountPortable is AndCount with one count a word.
func andCountPortable(a, b []uint64) int {
	n := 0
	b = b[:len(a)]
	for i, w := range a {
		n += bits.OnesCount64(w & b[i])
	}
	return n
}
