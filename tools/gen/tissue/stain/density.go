package stain

import (
	"image"
	"math"
	"math/rand/v2"
)

// The two stains, as indices into a density's pixels.
const (
	haematoxylin = iota
	eosin
)

// absorbs is the absorption of red, green and blue by each stain, as vectors of unit length
// (Macenko et al., 2009).
var absorbs = [2][3]float64{haematoxylin: {.563, .720, .406}, eosin: {.216, .801, .558}}

// A density holds the amount of each stain on the pixels of a square.
type density struct {
	side   int
	pixels [][2]float64 // (row, column), then the stain
}

// newDensity returns a density without stain.
func newDensity(side int) *density {
	return &density{side: side, pixels: make([][2]float64, side*side)}
}

// around calls f for each pixel in the square around a point, with the pixel's centre. The square
// has sides of twice reach.
func (d *density) around(x, y, reach float64, f func(px, py float64, at *[2]float64)) {
	low := func(v float64) int { return min(max(int(math.Floor(v)), 0), d.side) }
	for row := low(y - reach); row < low(y+reach+1); row++ {
		for column := low(x - reach); column < low(x+reach+1); column++ {
			f(float64(column)+.5, float64(row)+.5, &d.pixels[row*d.side+column])
		}
	}
}

// light returns the picture of white light that passes through the stains: attenuated by the law of
// Beer and Lambert, blurred slightly as by a lens, with the noise of a sensor.
func (d *density) light(r *rand.Rand) *image.RGBA {
	const (
		white = 246 // brightness without stain
		grain = 1.6 // standard deviation of the noise in grey levels
	)
	img := image.NewRGBA(image.Rect(0, 0, d.side, d.side))
	for row := range d.side {
		for column := range d.side {
			stains := d.blurred(row, column)
			pixel := img.Pix[row*img.Stride+4*column:]
			for c := range 3 {
				// The optical density of both stains adds up.
				od := stains[haematoxylin]*absorbs[haematoxylin][c] +
					stains[eosin]*absorbs[eosin][c]
				v := white*math.Exp(-od) + grain*r.NormFloat64()
				pixel[c] = uint8(math.Round(min(max(v, 0), 255)))
			}
			pixel[3] = 255
		}
	}
	return img
}

// blurred returns the mean of a pixel and its neighbours with weights 1 2 1 along each axis.
func (d *density) blurred(row, column int) [2]float64 {
	var sum [2]float64
	total := 0.0
	for y := max(row-1, 0); y <= min(row+1, d.side-1); y++ {
		for x := max(column-1, 0); x <= min(column+1, d.side-1); x++ {
			w := 4.0
			if y != row {
				w /= 2
			}
			if x != column {
				w /= 2
			}
			p := d.pixels[y*d.side+x]
			sum[0], sum[1], total = sum[0]+w*p[0], sum[1]+w*p[1], total+w
		}
	}
	return [2]float64{sum[0] / total, sum[1] / total}
}
