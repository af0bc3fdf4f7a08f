package draw

import (
	"cmp"
	"image/color"
	"math"
)

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

// Palettes are the values of Options.Colours, the default first. Blue and orange differ for readers
// with any kind of colour vision, also over stained tissue: TestSight measures them. Green and red
// are those of the paper.
var Palettes = []string{"blue-orange", "green-red"}

// hues are the colours of the largest scores on light and on dark, by palette.
var hues = map[string][2]struct{ support, refute color.RGBA }{
	"blue-orange": {{rgb(0x2f62ff), rgb(0xe66f00)}, {rgb(0x4673ff), rgb(0xf58220)}},
	"green-red":   {{rgb(0x22a86c), rgb(0xd03c24)}, {rgb(0x34c789), rgb(0xe25236)}},
}

// themed returns the palette of a name of Palettes, "" for the default, on light or on dark.
func themed(name string, isDark bool) palette {
	of, at := hues[cmp.Or(name, Palettes[0])], 0
	p := palette{
		background: rgb(0xffffff),
		ink:        rgb(0x20242a),
		faint:      rgb(0x767e88),
		neutral:    rgb(0xe5e8ec),
		noise:      rgb(0xced2d8),
	}
	if isDark {
		at = 1
		p = palette{
			background: rgb(0x14171c),
			ink:        rgb(0xe6eaf0),
			faint:      rgb(0x8c95a0),
			neutral:    rgb(0x2e343c),
			noise:      rgb(0x4a515b),
		}
	}
	p.support, p.refute = of[at].support, of[at].refute
	return p
}

// rgb returns the opaque colour 0xrrggbb.
func rgb(hex uint32) color.RGBA {
	return color.RGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 255}
}

// Theme returns the colours of a palette by name, for programs that draw bags themselves. Those of
// marks are for signs on the strongest colours, those of texts for words on paper. The name must be
// one of Palettes, or "" for the first.
func Theme(name string, isDark bool) map[string]color.RGBA {
	p := themed(name, isDark)
	return map[string]color.RGBA{"paper": p.background, "ink": p.ink, "neutral": p.neutral,
		"noise": p.noise, "support": p.support, "refute": p.refute,
		"supportMark": p.mark(p.support, 1), "refuteMark": p.mark(p.refute, -1),
		"supportText": p.text(1), "refuteText": p.text(-1)}
}

// legible is the contrast of texts with paper. WCAG 2 wants 4.5; the rest is for pages whose paper
// is not quite white or black, and for rows that are selected.
const legible = 7

// text returns the colour of words about scores of a sign: its hue, mixed with ink until it is
// legible on the background.
func (p *palette) text(sign int) color.RGBA {
	col := p.full(sign)
	for t := .0; contrast(col, p.background) < legible; t += .05 {
		col = mix(p.full(sign), p.ink, t)
	}
	return col
}

// Tint returns the share of colour in a cell of strength t, 0 to 1. The square root shows the sign
// of a quarter of the strongest score to every reader (TestSight), and has no colour at 0.
func Tint(t float64) float64 { return math.Sqrt(t) }

// Greyed is the share of its colour that a picture loses beneath patches, so that tints are visible
// on stained tissue.
const Greyed = .75

// signed returns the colour of a cell of strength t.
func (p *palette) signed(t float64, sign int) color.RGBA {
	if sign == 0 {
		return p.noise
	}
	return mix(p.neutral, p.full(sign), Tint(t))
}

// full returns the colour of the largest score of a sign.
func (p *palette) full(sign int) color.RGBA {
	if sign < 0 {
		return p.refute
	}
	return p.support
}

// mark returns the colour of a plus or minus on a signed cell: the dark or the light shade of its
// hue with the higher contrast. It has the hue of the cell, so that every pixel of a cell has its
// hue.
func (p *palette) mark(cell color.RGBA, sign int) color.RGBA {
	deep := mix(p.full(sign), black, .75)
	pale := mix(p.full(sign), white, .6)
	if contrast(deep, cell) > contrast(pale, cell) {
		return deep
	}
	return pale
}

// markOn returns the colour of a plus or minus on a cell of strength t. Marks of weak scores are
// fainter, so that many of them do not hide a strong one.
func (p *palette) markOn(cell color.RGBA, t float64, sign int) color.RGBA {
	return mix(cell, p.mark(cell, sign), .6+.4*t)
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
