package reader

import (
	"image"
	"math"

	"github.com/bagscope/bagscope/internal/oklab"
)

// A view holds the linear red, green and blue of a part of a picture, row by row.
type view struct {
	area   image.Rectangle
	pixels [][3]float64
}

// blurred returns an area of a picture as a reader sees it: under a Gaussian blur of linear light,
// which ends after three standard deviations. Beyond the picture, its last pixel continues.
func (r Reader) blurred(m *image.RGBA, area image.Rectangle) *view {
	radius := int(math.Ceil(3 * r.Blur))
	weights, sum := make([]float64, 2*radius+1), 0.0
	for i := range weights {
		d := float64(i-radius) / r.Blur
		weights[i] = math.Exp(-d * d / 2)
		sum += weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	out := &view{area: area, pixels: make([][3]float64, 0, area.Dx()*area.Dy())}
	// Rows first, over the rows that the columns need; each pixel is converted once.
	rows := make([][][3]float64, area.Dy()+2*radius)
	for n := range rows {
		y := within(area.Min.Y-radius+n, m.Rect.Min.Y, m.Rect.Max.Y)
		line := make([][3]float64, area.Dx()+2*radius)
		for i := range line {
			x := within(area.Min.X-radius+i, m.Rect.Min.X, m.Rect.Max.X)
			line[i] = oklab.Linear(m.RGBAAt(x, y))
		}
		rows[n] = make([][3]float64, area.Dx())
		for x := range rows[n] {
			rows[n][x] = weighted(weights, func(i int) [3]float64 { return line[x+i] })
		}
	}
	for y := range area.Dy() {
		for x := range area.Dx() {
			out.pixels = append(out.pixels,
				weighted(weights, func(i int) [3]float64 { return rows[y+i][x] }))
		}
	}
	return out
}

// weighted returns the sum of colours times weights.
func weighted(weights []float64, at func(i int) [3]float64) (out [3]float64) {
	for i, w := range weights {
		for c, v := range at(i) {
			out[c] += w * v
		}
	}
	return out
}

// within returns the nearest number to v from lo to below hi.
func within(v, lo, hi int) int { return max(lo, min(v, hi-1)) }

// mean returns the mean of the pixels of a rectangle, which lies in the view and is not empty.
func (v *view) mean(r image.Rectangle) (out [3]float64) {
	n := float64(r.Dx() * r.Dy())
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			for c, u := range v.pixels[(y-v.area.Min.Y)*v.area.Dx()+x-v.area.Min.X] {
				out[c] += u / n
			}
		}
	}
	return out
}
