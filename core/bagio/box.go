package bagio

import (
	"fmt"
	"image"
	"math"

	"github.com/bagscope/bagscope/internal/msg"
)

// box returns the rectangle with the corners x0, y0, x1, y1, of which the second is outside. It
// returns an error for a coordinate that no picture has, or a rectangle without pixels. Callers add
// the place in the file.
func box(c []int) (image.Rectangle, error) {
	for _, v := range c {
		if v < math.MinInt32 || v > math.MaxInt32 {
			return image.Rectangle{}, fmt.Errorf("%d is out of range for a pixel coordinate", v)
		}
	}
	if c[0] >= c[2] || c[1] >= c[3] {
		return image.Rectangle{}, msg.Errorf(
			"x0 y0 x1 y1 are %v, but x0 < x1 and y0 < y1 must hold; add x0 to a width and y0 to a "+
				"height", c)
	}
	return image.Rect(c[0], c[1], c[2], c[3]), nil
}
