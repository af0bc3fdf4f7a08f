package study

import "math/rand/v2"

// BagSeed returns the seed of bag number bag in a study with that seed. Each bag draws
// coalitions of its own: with one seed for all, bags of equal size would share them, and their
// errors would not average out.
func BagSeed(seed uint64, bag int) uint64 {
	return rand.New(rand.NewPCG(seed, uint64(bag))).Uint64()
}
