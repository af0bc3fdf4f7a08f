package metric

import (
	"math/rand/v2"

	"github.com/bagscope/bagscope/core"
)

// Order ranks instances by descending score. Equal scores keep the order that they have in ties, a
// permutation of all instances, drawn at random by whoever must not favour an index. NaN ranks last.
func Order(scores []float64, ties []int) []int { return core.OrderTies(scores, ties) }

// stream returns the random stream of a bag for a purpose. It depends on the bag's content, not on
// its place in a set: two bags of one size do not share their random orders, or the random row of a
// study would be one permutation repeated.
func stream(seed uint64, bag *core.Bag, purpose string) *rand.Rand {
	return rand.New(rand.NewPCG(seed, bag.Hash(purpose)))
}
