// Package oklab measures how far apart colours are for people, in the space OKLab (Ottosson 2020, A
// perceptual color space for image processing).
package oklab

import (
	"image/color"
	"math"
)

// A Place is a colour in OKLab: its lightness L, 0 to 1, and its coordinates a (green to red) and b
// (blue to yellow).
type Place [3]float64

// Distance returns the Euclidean distance of two colours. About .02 is just noticeable.
func (p Place) Distance(q Place) float64 {
	return math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2])
}

// A Matrix maps the three numbers of a colour to three others.
type Matrix [3][3]float64

// Times returns the product of a matrix and a colour.
func (m Matrix) Times(v [3]float64) (out [3]float64) {
	for i, row := range m {
		out[i] = row[0]*v[0] + row[1]*v[1] + row[2]*v[2]
	}
	return out
}

// The two matrices of OKLab: from linear red, green and blue to cones, and from the cube roots of
// cones to the space.
var (
	cones = Matrix{{.4122214708, .5363325363, .0514459929}, {.2119034982, .6806995451, .1073969566},
		{.0883024619, .2817188376, .6299787005}}
	space = Matrix{{.2104542553, .7936177850, -.0040720468},
		{1.9779984951, -2.4285922050, .4505937099}, {.0259040371, .7827717662, -.8086757660}}
)

// Linear returns the linear red, green and blue of an opaque colour of sRGB (IEC 61966-2-1), 0 to
// 1.
func Linear(c color.RGBA) (out [3]float64) {
	for i, v := range []uint8{c.R, c.G, c.B} {
		if u := float64(v) / 255; u <= .04045 {
			out[i] = u / 12.92
		} else {
			out[i] = math.Pow((u+.055)/1.055, 2.4)
		}
	}
	return out
}

// Of returns the place of a colour that is given by its linear red, green and blue.
func Of(linear [3]float64) Place {
	seen := cones.Times(linear)
	for i, v := range seen {
		seen[i] = math.Cbrt(v)
	}
	return Place(space.Times(seen))
}
