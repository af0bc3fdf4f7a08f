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
		background: rgb(0xffffff),
		ink:        rgb(0x20242a),
		faint:      rgb(0x767e88),
		neutral:    rgb(0xe5e8ec),
		noise:      rgb(0xced2d8),
		support:    rgb(0x22a86c),
		refute:     rgb(0xd03c24),
	}
	dark = palette{
		background: rgb(0x14171c),
		ink:        rgb(0xe6eaf0),
		faint:      rgb(0x8c95a0),
		neutral:    rgb(0x2e343c),
		noise:      rgb(0x4a515b),
		support:    rgb(0x34c789),
		refute:     rgb(0xe25236),
	}
)

// rgb returns the opaque colour 0xrrggbb.
func rgb(hex uint32) color.RGBA {
	return color.RGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 255}
}

// Colours returns the colours of the light theme for scores that support, that refute, and that are
// no evidence, for programs that draw explanations themselves.
func Colours() (support, refute, noise color.RGBA) {
	return light.support, light.refute, light.noise
}

// Theme returns the colours of a theme by name, for programs that draw bags themselves. Those of
// marks are for signs on the strongest colours.
func Theme(isDark bool) map[string]color.RGBA {
	p := light
	if isDark {
		p = dark
	}
	return map[string]color.RGBA{"paper": p.background, "ink": p.ink, "neutral": p.neutral,
		"noise": p.noise, "support": p.support, "refute": p.refute,
		"supportMark": p.mark(p.support, 1), "refuteMark": p.mark(p.refute, -1)}
}

// Weakest is the share of colour in a cell of the smallest score; its sign must remain visible.
const Weakest = .25

// Greyed is the share of its colour that a picture loses beneath patches, so that tints are visible
// on stained tissue.
const Greyed = .75

// signed returns the colour of a cell of strength t.
func (p *palette) signed(t float64, sign int) color.RGBA {
	if sign == 0 {
		return p.noise
	}
	return mix(p.neutral, p.full(sign), Weakest+(1-Weakest)*t)
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
	pale := mix(p.full(sign), white, .6)
	if contrast(deep, cell) > contrast(pale, cell) {
		return deep
	}
	return pale
}

// black and white are the same in both themes.
var black, white = rgb(0), rgb(0xffffff)

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
