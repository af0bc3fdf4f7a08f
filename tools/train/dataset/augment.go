package dataset

import (
	"math/rand/v2"

	"github.com/bagscope/bagscope/core"
)

// Augment returns a bag of pictures (..., height, width) in which each is turned and mirrored at
// random: one of the eight symmetries of the square, all equally likely, for each instance by
// itself. The paper augments the training bags of CRC so. Pictures that are not square have the
// four symmetries that keep their sides: those without a quarter turn. The bag given is left as it
// is; one whose instances are no pictures, or which core.Bag's Validate refuses, is returned.
func Augment(bag *core.Bag, r *rand.Rand) *core.Bag {
	n := len(bag.Shape)
	if n < 2 || bag.Validate() != nil {
		return bag
	}
	out := *bag
	out.Values = make([]float32, len(bag.Values))
	height, width := bag.Shape[n-2], bag.Shape[n-1]
	symmetries, plane := 8, height*width
	if height != width {
		symmetries = 4
	}
	planes := bag.Stride() / plane
	for i := range bag.Len() {
		symmetry := r.IntN(symmetries)
		from, to := bag.Instance(i), out.Instance(i)
		for p := range planes {
			for y := range height {
				for x := range width {
					u, v := x, y
					if symmetry&1 != 0 {
						u = width - 1 - u
					}
					if symmetry&2 != 0 {
						v = height - 1 - v
					}
					if symmetry&4 != 0 {
						u, v = v, u
					}
					to[p*plane+y*width+x] = from[p*plane+v*width+u]
				}
			}
		}
	}
	return &out
}
