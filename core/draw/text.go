package draw

import (
	"image"
	"image/color"
	"slices"

	"golang.org/x/image/font/inconsolata"
	"golang.org/x/image/math/fixed"
)

// Text uses an 8x16 font with grey levels, which adds less than 30 KB to a compressed wasm module.
// An outline font and its rasteriser add five times as much. The font has Latin letters only; other
// letters appear as a question mark.
const (
	charWidth  = 8
	lineHeight = 16
)

// typeface is the only font. Its glyphs are all charWidth wide, so that the width of a text is
// known without measuring its glyphs.
var typeface = inconsolata.Regular8x16

// textWidth returns the width of a text in layout pixels.
func textWidth(s string) int { return charWidth * len([]rune(s)) }

// shorten returns the text, cut to the given width and ended with an ellipsis if it is too wide.
func shorten(s string, width int) string {
	runes := []rune(s)
	n := max(1, width/charWidth)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n-1]) + "…"
}

// hasLetter reports whether the font has a letter.
func hasLetter(r rune) bool {
	_, _, _, _, ok := typeface.Glyph(fixed.Point26_6{}, r)
	return ok
}

// Lacking returns the letters of a scene's texts for which its picture has question marks, each
// once.
func (s *Scene) Lacking() string {
	var out []rune
	for _, m := range s.Marks {
		for _, r := range m.Text {
			if r != ' ' && !hasLetter(r) && !slices.Contains(out, r) {
				out = append(out, r)
			}
		}
	}
	return string(out)
}

// text draws s with the top left corner of its line at x, y, in layout pixels.
func (c *canvas) text(x, y int, s string, col color.RGBA) {
	c.add(Mark{Kind: Text, Rect: c.box(x, y, textWidth(s), lineHeight), Text: s, Colour: col,
		Opacity: 1})
}

// text draws s with the top left corner of its line at a pixel on the grid of layout pixels.
func (p *painter) text(at image.Point, s string, col color.RGBA) {
	x, y := at.X/p.scale, at.Y/p.scale
	for _, r := range s {
		if r == ' ' {
			x += charWidth
			continue
		}
		_, mask, at, _, ok := typeface.Glyph(fixed.Point26_6{}, r)
		if !ok {
			_, mask, at, _, _ = typeface.Glyph(fixed.Point26_6{}, '?')
		}
		p.glyph(x, y, mask.(*image.Alpha), at, col)
		x += charWidth
	}
}

// glyph draws the glyph at a point of the font's mask. Enlarged glyphs are interpolated and
// sharpened, so that edges are as steep as at scale 1.
func (p *painter) glyph(x, y int, mask *image.Alpha, at image.Point, col color.RGBA) {
	s := float64(p.scale)
	// cover returns how much of a pixel of the mask the glyph covers, 0 to 1; 0 outside the mask.
	cover := func(px, py int) float64 {
		if px < 0 || py < 0 || px >= typeface.Width || py >= typeface.Ascent+typeface.Descent {
			return 0
		}
		return float64(mask.AlphaAt(at.X+px, at.Y+py).A) / 255
	}
	x += typeface.Left
	size := image.Pt(typeface.Width, typeface.Ascent+typeface.Descent)
	r := image.Rectangle{Max: size.Mul(p.scale)}.Add(image.Pt(x, y).Mul(p.scale))
	p.replace(r.Intersect(p.Bounds()), func(px, py int, was color.RGBA) color.RGBA {
		a := cover(px-x, py-y)
		if p.scale > 1 {
			// Bilinear interpolation between the centres of the four nearest pixels of the mask.
			u, v := (float64(px-x*p.scale)+.5)/s+.5, (float64(py-y*p.scale)+.5)/s+.5
			i, j := int(u), int(v)
			fu, fv := u-float64(i), v-float64(j)
			a = (1-fv)*((1-fu)*cover(i-1, j-1)+fu*cover(i, j-1)) +
				fv*((1-fu)*cover(i-1, j)+fu*cover(i, j))
			a = min(1, max(0, (a-.5)*s*.8+.5))
		}
		return mix(was, col, a)
	})
}
