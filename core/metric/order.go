package metric

import (
	"math/rand/v2"

	"github.com/bagscope/bagscope/core"
)

// Order returns the instances by descending score. Equal scores have the order of ties, a
// permutation of all instances; use a random one to favour no index. NaN is last.
func Order(scores []float64, ties []int) []int { return core.OrderTies(scores, ties) }

// stream returns the random stream of a bag for a purpose. It depends on the bag's content and not
// on its position in a set. Bags of equal size have different random orders; otherwise all random
// rows of a study would use the same permutation.
func stream(seed uint64, bag *core.Bag, purpose string) *rand.Rand {
	return rand.New(rand.NewPCG(seed, bag.Hash(purpose)))
}
