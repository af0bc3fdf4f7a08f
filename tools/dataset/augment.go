package dataset

import (
	"math/rand/v2"

	"github.com/bagscope/bagscope/core"
)

// Augment returns a bag of square pictures in which each is turned and mirrored at random: one of the eight
// symmetries of the square, all equally likely, for each instance by itself. The paper augments the training bags of CRC so.
// The bag given is left as it is.
func Augment(bag *core.Bag, r *rand.Rand) *core.Bag {
	n := len(bag.Shape)
	side := bag.Shape[n-1]
	if n < 2 || bag.Shape[n-2] != side {
		panic("dataset: Augment of instances that are no square pictures")
	}
	out := *bag
	out.Values = make([]float32, len(bag.Values))
	plane, last := side*side, side-1
	planes := bag.Stride() / plane
	for i := range bag.Len() {
		symmetry := r.IntN(8)
		from, to := bag.Instance(i), out.Instance(i)
		for p := range planes {
			for y := range side {
				for x := range side {
					u, v := x, y
					if symmetry&1 != 0 {
						u = last - u
					}
					if symmetry&2 != 0 {
						v = last - v
					}
					if symmetry&4 != 0 {
						u, v = v, u
					}
					to[p*plane+y*side+x] = from[p*plane+v*side+u]
				}
			}
		}
	}
	return &out
}
