package draw

import "image/color"

// A palette holds the colours of a theme.
type palette struct {
	background color.RGBA
	ink        color.RGBA // text
	faint      color.RGBA // secondary text, axes
	neutral    color.RGBA // frames, backgrounds of panels
	noise      color.RGBA // a score that is not evidence
	support    color.RGBA
	refute     color.RGBA
}

// Green is bluish, red is orange, and the luminance of green is higher by half or more, so that
// readers with red-green colour blindness can distinguish them.
var (
	light = palette{
		background: color.RGBA{255, 255, 255, 255},
		ink:        color.RGBA{32, 36, 42, 255},
		faint:      color.RGBA{118, 126, 136, 255},
		neutral:    color.RGBA{229, 232, 236, 255},
		noise:      color.RGBA{206, 210, 216, 255},
		support:    color.RGBA{34, 168, 108, 255},
		refute:     color.RGBA{208, 60, 36, 255},
	}
	dark = palette{
		background: color.RGBA{20, 23, 28, 255},
		ink:        color.RGBA{230, 234, 240, 255},
		faint:      color.RGBA{140, 149, 160, 255},
		neutral:    color.RGBA{46, 52, 60, 255},
		noise:      color.RGBA{74, 81, 91, 255},
		support:    color.RGBA{52, 199, 137, 255},
		refute:     color.RGBA{226, 82, 54, 255},
	}
)

// weakest is the share of colour in a cell of the smallest score; its sign must remain visible.
const weakest = .25

// signed returns the colour of a cell of strength t.
func (p *palette) signed(t float64, sign int) color.RGBA {
	if sign == 0 {
		return p.noise
	}
	return mix(p.neutral, p.full(sign), weakest+(1-weakest)*t)
}

// full returns the colour of the largest score of a sign.
func (p *palette) full(sign int) color.RGBA {
	if sign < 0 {
		return p.refute
	}
	return p.support
}

// mark returns the colour of a plus or minus on a signed cell: the dark or the light shade of its
// hue with the higher contrast. It has the hue of the cell, so that every pixel of a green cell is
// green.
func (p *palette) mark(cell color.RGBA, sign int) color.RGBA {
	deep := mix(p.full(sign), black, .75)
	pale := mix(p.full(sign), color.RGBA{255, 255, 255, 255}, .6)
	if contrast(deep, cell) > contrast(pale, cell) {
		return deep
	}
	return pale
}

var black = color.RGBA{0, 0, 0, 255}

// contrast returns the contrast ratio of two colours as WCAG 2 defines it, from 1 to 21.
func contrast(a, b color.RGBA) float64 {
	x, y := luminance(a)+.05, luminance(b)+.05
	return max(x, y) / min(x, y)
}

// mix returns a·(1-t) + b·t.
func mix(a, b color.RGBA, t float64) color.RGBA {
	m := func(x, y uint8) uint8 { return uint8(float64(x) + (float64(y)-float64(x))*t + .5) }
	return color.RGBA{m(a.R, b.R), m(a.G, b.G), m(a.B, b.B), 255}
}

// luminance returns the relative luminance of a colour, 0 to 1, with a square for the gamma curve.
func luminance(c color.RGBA) float64 {
	l := func(v uint8) float64 { return float64(v) * float64(v) / (255 * 255) }
	return .2126*l(c.R) + .7152*l(c.G) + .0722*l(c.B)
}
