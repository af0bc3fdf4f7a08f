package draw

import (
	"cmp"
	"image"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/msg"
)

// Lengths of every picture in layout pixels. swatch is the side of a sample in a legend.
const (
	margin       = 16
	headerHeight = LineHeight + 12
	swatch       = 14
)

// heading returns the title of the drawn method of a report.
func heading(report *core.Report, o Options) string {
	name := methodOf(report, o)
	m, _ := methods.Find(name)
	return cmp.Or(msg.Line(o.words().Title), m.Title, msg.Line(name))
}

// A header is the part above the scores of a picture: the method, the name of the bag or class, and
// the legend.
type header struct {
	title, detail string
	legend        *legend
}

// newHeader returns the header for the layers of a report, or nil without layers or if the page has
// its own. A nil header has the height 0, so that layouts need no special case.
func newHeader(report *core.Report, detail string, ls []layer, o Options) *header {
	if len(ls) == 0 || o.NameWidth > 0 {
		return nil
	}
	return &header{heading(report, o), msg.Line(detail), newLegend(ls, o)}
}

// height returns the height of a header in a picture of the given width, or 0 for a nil header.
func (h *header) height(width int) int {
	if h == nil {
		return 0
	}
	return headerHeight + h.legend.layout(width-2*margin).height
}

// topOf returns the space above a picture of layers, which is small if the page has the header.
func (o Options) topOf(ls []layer) int {
	if len(ls) > 0 && o.NameWidth > 0 {
		return 2
	}
	return margin
}

// header draws a header at the top of the picture: the title on the left, then the detail if it
// fits, and the legend below.
func (c *canvas) header(width int, h *header, of shade) {
	if h == nil {
		return
	}
	// The title has priority: the detail uses the rest of the line if four characters remain.
	x, end := margin, width-margin
	title := shorten(h.title, end-x)
	c.text(c.words.start(x, end, title), margin, title, c.ink)
	if used := textWidth(title) + 2*LetterWidth; c.words.RightToLeft {
		end -= used
	} else {
		x += used
	}
	if h.detail != "" && end-x >= 4*LetterWidth {
		detail := shorten(h.detail, end-x)
		c.text(c.words.start(x, end, detail), margin, detail, c.faint)
	}
	c.drawLegend(margin, margin+headerHeight-4, h.legend.layout(width-2*margin), of)
}

// scored draws the cell of an instance and a class: its sign and strength, or an empty frame if the
// instance was removed.
func (c *canvas) scored(r image.Rectangle, l *layer, instance int, removed bool) {
	if removed {
		c.outline(r, c.neutral, 1)
	} else {
		t, sign := l.strength(instance)
		c.signed(r, t, sign)
	}
	c.cell(instance, l.class, r)
}
