package draw

import (
	"image"
	"image/color"
	"slices"

	"golang.org/x/image/font/inconsolata"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/width"
)

// Text uses an 8x16 font with grey levels, which adds less than 30 KB to a compressed wasm module.
// An outline font and its rasteriser add five times as much: native programs pass them as
// Options.Letters. The font has Latin letters only; letters that no font has appear as a question
// mark.
const (
	// LetterWidth is the width of a letter in layout pixels; wide ones, as of Chinese, take two.
	LetterWidth = 8
	// LineHeight is the height of a line of text in layout pixels.
	LineHeight = 16
)

// Letters are further letters, for those that the font of pictures lacks.
type Letters interface {
	// Letter returns how much a letter covers, of the pixels of a rectangle from 0, 0 to width,
	// LineHeight; nil if it has no such letter.
	Letter(r rune, width int) *image.Alpha
}

// typeface is the font of Latin letters. Its glyphs are all LetterWidth wide, so that the width of
// a text is known without measuring its glyphs.
var typeface = inconsolata.Regular8x16

// letterWidth returns the width of a letter in layout pixels.
func letterWidth(r rune) int {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2 * LetterWidth
	}
	return LetterWidth
}

// textWidth returns the width of a text in layout pixels.
func textWidth(s string) (w int) {
	for _, r := range s {
		w += letterWidth(r)
	}
	return w
}

// shorten returns the text, cut to the given width and ended with an ellipsis if it is too wide. It
// keeps at least the ellipsis.
func shorten(s string, room int) string {
	if textWidth(s) <= max(room, LetterWidth) {
		return s
	}
	return s[:fitting(s, room-LetterWidth)] + "…"
}

// fitting returns how many bytes of a text are letters that fit into a width.
func fitting(s string, room int) int {
	for at, r := range s {
		if room -= letterWidth(r); room < 0 {
			return at
		}
	}
	return len(s)
}

// letter returns how much a letter covers of the pixels of its place; nil if no font has it.
func (s *Scene) letter(r rune) *image.Alpha {
	if _, mask, at, _, ok := typeface.Glyph(fixed.Point26_6{}, r); ok {
		size := image.Pt(typeface.Width, typeface.Ascent+typeface.Descent)
		return mask.(*image.Alpha).SubImage(image.Rectangle{at, at.Add(size)}).(*image.Alpha)
	}
	if s.letters == nil {
		return nil
	}
	return s.letters.Letter(r, letterWidth(r))
}

// Lacking returns the letters of a scene's texts for which its picture has question marks, each
// once.
func (s *Scene) Lacking() string {
	var out []rune
	for _, m := range s.Marks {
		for _, r := range m.Text {
			if r != ' ' && !slices.Contains(out, r) && s.letter(r) == nil {
				out = append(out, r)
			}
		}
	}
	return string(out)
}

// text draws s with the top left corner of its line at x, y, in layout pixels.
func (c *canvas) text(x, y int, s string, col color.RGBA) {
	c.add(Mark{Kind: Text, Rect: c.box(x, y, textWidth(s), LineHeight), Text: s, Colour: col,
		Opacity: 1})
}

// text draws s with the top left corner of its line at a pixel on the grid of layout pixels.
func (p *painter) text(at image.Point, s string, col color.RGBA) {
	x, y := at.X/p.scale, at.Y/p.scale
	for _, r := range s {
		if mask := p.letter(r); mask != nil {
			p.glyph(x, y, mask, col)
		} else {
			p.glyph(x+(letterWidth(r)-LetterWidth)/2, y, p.letter('?'), col)
		}
		x += letterWidth(r)
	}
}

// glyph draws a letter of a line at x, y. Enlarged ones are interpolated and sharpened, so that
// edges are as steep as at scale 1.
func (p *painter) glyph(x, y int, mask *image.Alpha, col color.RGBA) {
	s := float64(p.scale)
	size, at := mask.Rect.Size(), mask.Rect.Min
	// cover returns how much of a pixel of the mask the glyph covers, 0 to 1; 0 outside the mask.
	cover := func(px, py int) float64 {
		if px < 0 || py < 0 || px >= size.X || py >= size.Y {
			return 0
		}
		return float64(mask.AlphaAt(at.X+px, at.Y+py).A) / 255
	}
	x += typeface.Left
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
