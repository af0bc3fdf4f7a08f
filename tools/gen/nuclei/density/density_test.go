package density

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// stains of a picture: the colours of nuclei, of eosin, and of dense keratin.
var (
	blue  = color.RGBA{70, 50, 120, 255}
	pink  = color.RGBA{225, 150, 190, 255}
	white = color.RGBA{245, 245, 245, 255}
)

// picture returns a pink picture with rectangles.
func picture(size int, colour color.Color, at ...image.Rectangle) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, size, size))
	draw.Draw(m, m.Rect, image.NewUniform(pink), image.Point{}, draw.Src)
	for _, r := range at {
		draw.Draw(m, r, image.NewUniform(colour), image.Point{}, draw.Src)
	}
	return m
}

// TestMeasure finds what has the colour and the size of nuclei. The mean over 5 x 5 pixels may move
// each side by a pixel.
func TestMeasure(t *testing.T) {
	const size = 200
	nucleus := image.Rect(40, 40, 56, 54)
	for _, c := range []struct {
		name        string
		m           *image.RGBA
		least, most float64 // pixels of nuclei
	}{
		{"tissue alone", picture(size, pink), 0, 0},
		{"one nucleus", picture(size, blue, nucleus), 14 * 12, 18 * 16},
		{"two nuclei", picture(size, blue, nucleus, nucleus.Add(image.Pt(60, 60))), 2 * 14 * 12,
			2 * 18 * 16},
		{"a speck", picture(size, blue, image.Rect(40, 40, 44, 44)), 0, 0},
		{"a large area", picture(size, blue, image.Rect(40, 40, 90, 90)), 0, 0},
		{"a hole", picture(size, white, nucleus), 0, 0},
		{"at the corner", picture(size, blue, image.Rect(0, 0, 16, 14)), 14 * 12, 18 * 16},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Measure(c.m).Share(c.m.Rect) * size * size
			must.Equal(t, got >= c.least, true, got, c.least, c.most)
			must.Equal(t, got <= c.most, true, got, c.least, c.most)
		})
	}
}

// TestShare counts only what lies in the rectangle.
func TestShare(t *testing.T) {
	m := Measure(picture(200, blue, image.Rect(40, 40, 56, 56)))
	must.Equal(t, m.Share(image.Rect(44, 44, 52, 52)), 1, "inside of a nucleus")
	for _, r := range []image.Rectangle{image.Rect(100, 100, 150, 150),
		image.Rect(400, 400, 450, 450), {}} {
		must.Equal(t, m.Share(r), 0, r)
	}
	whole, half := m.Share(image.Rect(0, 0, 200, 200)), m.Share(image.Rect(0, 0, 200, 400))
	must.Equal(t, math.Abs(whole-2*half) <= 1e-12, true, whole, half)
}

// TestUnmix expects each stain's own direction to contain as much of it as it states, and no
// haematoxylin in eosin.
func TestUnmix(t *testing.T) {
	dot := func(v [3]float64) float64 {
		n := math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2])
		return (v[0]*unmix[0] + v[1]*unmix[1] + v[2]*unmix[2]) / n
	}
	must.Equal(t, math.Abs(dot([3]float64{.65, .70, .29})-1) <= 1e-12, true)
	for _, v := range [][3]float64{{.07, .99, .11}, {.27, .57, .78}} {
		must.Equal(t, math.Abs(dot(v)) <= 1e-12, true, v)
	}
}
