package study

import "math/rand/v2"

// BagSeed returns the seed of bag number bag in an evaluation with the given seed. With one seed
// for all bags, bags of equal size would have equal coalitions, and errors would not average out.
func BagSeed(seed uint64, bag int) uint64 {
	return rand.New(rand.NewPCG(seed, uint64(bag))).Uint64()
}
