package draw

import (
	"image"
	"image/color"
	"strings"
	"unicode/utf8"
)

// Lengths of a legend in layout pixels.
const (
	rampWidth  = 184 // maximum
	rampHeight = 12
	textLine   = LineHeight + 2
	indent     = swatch + 6 // indent of text after a sample
	sideBySide = 160        // minimum width of entries beside the ramp
)

// A legendLayout is the places of the parts of a legend for a width, in layout pixels from its top
// left corner.
type legendLayout struct {
	*legend
	ramp   image.Rectangle // rectangle of the ramp; empty if there is none
	words  bool            // whether "refutes" and "supports" are above the ramp
	lowAt  image.Point     // top left corners of the values below the ramp
	highAt image.Point
	rows   []row
	height int // including the space below; 0 for no legend
}

// A row is one line of an entry.
type row struct {
	at     image.Point
	sample sample
	text   string
}

// layout returns the layout of a legend for a width.
func (g *legend) layout(width int) legendLayout {
	l := legendLayout{legend: g}
	x, y, room := 0, 0, width
	bottom := 0
	if g.ramp {
		w := min(rampWidth, width)
		l.words = w >= textWidth(g.Refutes+g.Supports)+2*LetterWidth
		top := 0
		if l.words {
			top = textLine
		}
		l.ramp = image.Rect(0, top, w, top+rampHeight)
		l.lowAt = image.Pt(0, l.ramp.Max.Y+2)
		l.highAt = image.Pt(w-textWidth(g.high), l.lowAt.Y)
		if l.highAt.X < textWidth(g.low)+LetterWidth { // the two values would touch
			l.highAt.Y += textLine
		}
		bottom = l.highAt.Y + textLine
		// Entries are beside the ramp if there is room, else below it.
		if width-w-2*LetterWidth >= sideBySide {
			x, room = w+2*LetterWidth, width-w-2*LetterWidth
		} else {
			y = bottom
		}
	}
	entries := g.entries
	// Without room for the words above the ramp, entries explain both colours.
	if g.ramp && !l.words {
		entries = append([]entry{{supportSample, g.Supports}, {refuteSample, g.Refutes}},
			entries...)
	}
	for _, e := range entries {
		inset := 0
		if e.sample != noSample {
			inset = indent
		}
		for n, line := range wrap(e.text, room-inset) {
			r := row{image.Pt(g.start(x+inset, x+room-inset, line), y), e.sample, line}
			if n > 0 { // only the first line of an entry has the sample
				r.sample = noSample
			}
			l.rows = append(l.rows, r)
			y += textLine
		}
	}
	l.height = max(y, bottom) + 8
	return l
}

// wrap breaks a text at spaces into lines of at most the given width; longer words are cut.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && textWidth(line)+LetterWidth+textWidth(word) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for {
			_, first := utf8.DecodeRuneInString(word)
			n := max(first, fitting(word, width))
			if n == len(word) {
				break
			}
			lines = append(lines, word[:n])
			word = word[n:]
		}
		line = word
	}
	return append(lines, line)
}

// A shade returns the colour of a score of strength t.
type shade func(t float64, sign int) color.RGBA

// drawLegend draws a legend with its top left corner at x, y.
func (c *canvas) drawLegend(x, y int, l legendLayout, of shade) {
	if !l.ramp.Empty() {
		r := l.ramp.Add(image.Pt(x, y))
		if l.words {
			c.text(r.Min.X, y, l.Refutes, c.ink)
			c.text(r.Max.X-textWidth(l.Supports), y, l.Supports, c.ink)
		}
		c.drawRamp(r, of)
		c.text(x+l.lowAt.X, y+l.lowAt.Y, l.low, c.ink)
		c.text(x+l.highAt.X, y+l.highAt.Y, l.high, c.ink)
		// The zero is drawn only where it does not touch the values at the ends.
		zero := (l.ramp.Max.X - LetterWidth) / 2
		if zero >= textWidth(l.low)+LetterWidth &&
			(zero+2*LetterWidth <= l.highAt.X || l.highAt.Y > l.lowAt.Y) {
			c.text(x+zero, y+l.lowAt.Y, "0", c.ink)
		}
	}
	for _, row := range l.rows {
		at := row.at.Add(image.Pt(x, y))
		c.text(at.X, at.Y, row.text, c.ink)
		left := at.X - indent
		if l.RightToLeft {
			left = at.X + textWidth(row.text) + indent - swatch
		}
		c.drawSample(row.sample, c.box(left, at.Y+1, swatch, swatch), of)
	}
}

// drawRamp draws the colours from the strongest against a class to the strongest for it.
func (c *canvas) drawRamp(r image.Rectangle, of shade) {
	// The middle pixels have the colour of scores that are not evidence, as in the picture.
	half := float64(r.Dx()) / 2
	for x := r.Min.X; x < r.Max.X; x++ {
		from := float64(x-r.Min.X) + .5 - half
		col := c.noise
		if from <= -1 {
			col = of(-from/half, -1)
		} else if from >= 1 {
			col = of(from/half, 1)
		}
		c.fill(c.box(x, r.Min.Y, 1, r.Dy()), col)
	}
	side := r.Dy()
	c.mark(c.box(r.Min.X, r.Min.Y, side, side), -1, c.palette.mark(of(1, -1), -1))
	c.mark(c.box(r.Max.X-side, r.Min.Y, side, side), 1, c.palette.mark(of(1, 1), 1))
}

// drawSample draws the sample before an entry.
func (c *canvas) drawSample(s sample, r image.Rectangle, of shade) {
	switch s {
	case supportSample, refuteSample:
		sign := 1
		if s == refuteSample {
			sign = -1
		}
		c.fill(r, of(1, sign))
		c.mark(r, sign, c.palette.mark(of(1, sign), sign))
	case unclearSample:
		c.fill(r, c.noise)
	case removedSample:
		c.outline(r, c.faint, 1)
		c.strike(r, c.faint)
	}
}
