package dataset

import (
	"math/rand/v2"

	"github.com/bagscope/bagscope/core"
)

// Augment returns a copy of a bag of pictures (n, ..., height, width) in which each instance is
// rotated and mirrored at random: one of the eight symmetries of the square, with equal
// probability. The paper augments the training bags of CRC in this way. Pictures that are not
// square have four symmetries, because a quarter turn would exchange their sides.
//
// Augment does not change the bag. It returns the bag itself if instances are not pictures, or if
// core.Bag.Validate rejects it.
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
	// All axes before the last two, such as colours, share one symmetry.
	planes := bag.Stride() / plane
	for i := range bag.Len() {
		// Bit 0 mirrors left and right, bit 1 mirrors top and bottom, bit 2 transposes.
		symmetry := r.IntN(symmetries)
		from, to := bag.Instance(i), out.Instance(i)
		for p := range planes {
			mirror(to[p*plane:][:plane], from[p*plane:], height, width, symmetry)
		}
	}
	return &out
}

// mirror writes a symmetry of a plane (height, width) to dst. Only that of a square may transpose.
func mirror(dst, src []float32, height, width, symmetry int) {
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
			dst[y*width+x] = src[v*width+u]
		}
	}
}
