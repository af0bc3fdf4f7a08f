package oklab_test

import (
	"image/color"
	"math"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/oklab"
)

// TestPlaces compares with the places that Ottosson publishes for white and black, and that CSS
// Color 4 has for the primaries of sRGB.
func TestPlaces(t *testing.T) {
	for name, c := range map[string]struct {
		of   color.RGBA
		want oklab.Place
	}{
		"white": {color.RGBA{255, 255, 255, 255}, oklab.Place{1, 0, 0}},
		"black": {color.RGBA{A: 255}, oklab.Place{}},
		"red":   {color.RGBA{R: 255, A: 255}, oklab.Place{.62796, .22486, .12585}},
		"green": {color.RGBA{G: 255, A: 255}, oklab.Place{.86644, -.23389, .17950}},
		"blue":  {color.RGBA{B: 255, A: 255}, oklab.Place{.45201, -.03246, -.31153}},
		"grey":  {color.RGBA{128, 128, 128, 255}, oklab.Place{.59987, 0, 0}},
		"dark":  {color.RGBA{10, 10, 10, 255}, oklab.Place{.14480, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			must.Equal(t, oklab.Of(oklab.Linear(c.of)).Distance(c.want) <= 1e-4, true, c.want)
		})
	}
}

// TestDistance compares with a distance that is known: that of white and black.
func TestDistance(t *testing.T) {
	white, black := oklab.Place{1, 0, 0}, oklab.Place{}
	must.Equal(t, white.Distance(black), 1)
	must.Equal(t,
		math.Abs((oklab.Place{.1, .2, .3}).Distance(oklab.Place{.4, .6, 1.5})-1.3) <= 1e-12, true)
}
