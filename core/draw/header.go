package draw

import (
	"image"

	"github.com/bagscope/bagscope/core"
)

const (
	margin       = 16
	headerHeight = lineHeight + 12
	swatch       = 14
)

// heading returns the title of the method drawn, of a report that layers took.
func heading(report *core.Report, o Options) string {
	name := o.Method
	if name == "" {
		name = report.Explanations[0].Method
	}
	for _, m := range core.Methods() {
		if m.Name == name {
			return m.Title
		}
	}
	return name
}

// header writes what is seen, on the left, and what the colours mean, on the right, as far as there
// is room: method, then legend, then the name of the bag or class.
func (c *canvas) header(width int, title, detail string) {
	x, end := margin, width-margin
	title = shorten(title, end-x)
	c.text(x, margin, title, c.ink)
	x += textWidth(title) + 2*charWidth
	legend := 2*swatch + textWidth("supports"+"refutes") + 30
	if end-x >= legend {
		end -= legend
		c.legend(end)
		end -= 2 * charWidth
	}
	if detail != "" && end-x >= 4*charWidth {
		c.text(x, margin, shorten(detail, end-x), c.faint)
	}
}

func (c *canvas) legend(x int) {
	for _, entry := range []struct {
		sign int
		word string
	}{{1, "supports"}, {-1, "refutes"}} {
		c.signed(c.box(x, margin+1, swatch, swatch), 1, entry.sign)
		c.text(x+swatch+6, margin, entry.word, c.ink)
		x += swatch + 6 + textWidth(entry.word) + 18
	}
}

// scored draws an instance's cell of a class: its sign and strength, or an empty frame where the
// instance was removed.
func (c *canvas) scored(r image.Rectangle, l *layer, instance int, gone bool) {
	if gone {
		c.outline(r, c.neutral, 1)
	} else {
		t, sign := l.strength(instance)
		c.signed(r, t, sign)
	}
	c.cell(instance, l.class, r)
}
