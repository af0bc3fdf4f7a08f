package draw

import (
	"cmp"
	"image"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// A stripPlan is the layout of a strip, in layout pixels.
type stripPlan struct {
	width, height int
	side          int // side of a thumbnail and width of a signed cell
	strip         int // height of a signed cell
	gap           int // space between cells
	label         int // width of the column of class names, 0 if they do not fit beside the cells
	names         int // top of the line with the class names, 0 if there is none
	top           int // top of the first row
	columns, rows int
	pitch         int // distance from a row of thumbnails to the next
	number        int // height of the line above a thumbnail with its number, 0 if it does not fit
}

// Lengths of strips in layout pixels.
const (
	defaultThumb = 40
	smallestCell = 2
	rowGap       = 14
)

// Strip draws a bag of small pictures as rows of thumbnails that wrap at the width, above each its
// number if that fits, and under each row a signed cell for every class. A nil report gives only
// the thumbnails. For large bags, cells are reduced to as little as two pixels.
//
// Errors: *core.BagError if the instances are not pictures (see Auto), *core.SettingError for an
// invalid option or a class or method that is not in the report, *LimitError if the picture is
// still too large.
func Strip(bag *core.Bag, report *core.Report, o Options) (*Scene, error) {
	o, ls, err := prepare(bag, report, o)
	if err != nil {
		return nil, err
	}
	t, ok := newThumbs(bag)
	if !ok {
		return nil, &core.BagError{Bag: bag.Name,
			Reason: msg.Sprintf("instances of shape %v are not pictures; draw bars instead",
				bag.Shape)}
	}
	h := newHeader(report, bag.Name, ls, o)
	plan, err := planStrip(bag.Len(), h, ls, o)
	if err != nil {
		return nil, err
	}
	c, err := newCanvas(plan.width, plan.height, o)
	if err != nil {
		return nil, err
	}
	c.header(plan.width, h, c.palette.signed)
	c.strips(plan, t, ls, o)
	return &c.Scene, nil
}

// planStrip returns the layout with the largest cell, up to o.Cell, for which the picture is not
// too large, or up to twice o.Cell if the picture is then no higher than o.Height. It tries every
// size, because headers and labels change with it. If even the smallest
// cell does not fit, it returns the *LimitError of that layout.
func planStrip(k int, h *header, ls []layer, o Options) (stripPlan, error) {
	most := cmp.Or(o.Cell, min(defaultThumb, o.Width-2*margin))
	for side := 2 * most; ; side-- {
		p := layStrip(k, side, h, ls, o)
		if side > most && p.height > o.Height {
			continue
		}
		err := checkSize(p.width, p.height, o.Scale)
		if err == nil && p.width <= o.Width || side <= smallestCell {
			return p, err
		}
	}
}

// layStrip returns the layout for cells of the given side, whatever the size of the picture.
func layStrip(k, side int, h *header, ls []layer, o Options) stripPlan {
	p := stripPlan{side: max(side, 1), gap: 1, top: o.topOf(ls)}
	if side >= 16 {
		p.gap = 3
	}
	p.strip = max(1, side*9/20)
	if side >= 14 {
		p.strip = max(p.strip, 14)
	}
	if p.strip >= 14 { // high enough for a line of text
		for _, l := range ls {
			p.label = max(p.label, cmp.Or(o.NameWidth, textWidth(l.name))+12)
		}
		p.label = min(p.label, o.Width/3)
	}
	// The last column needs no gap, so that the room is larger by one.
	room := o.Width - 2*margin - p.label + p.gap
	p.columns = min(k, max(1, room/(p.side+p.gap)))
	p.rows = (k + p.columns - 1) / p.columns
	if textWidth(numberText(k-1)) <= p.side {
		p.number = LineHeight
	}
	p.pitch = p.number + p.side + len(ls)*(p.strip+2) + min(rowGap, max(3, p.side/2))
	p.width = 2*margin + p.label + p.columns*(p.side+p.gap) - p.gap
	if len(ls) > 0 {
		p.width = max(p.width, min(o.Width, 420)) // room for the header
	}
	p.top += h.height(p.width)
	if len(ls) > 0 && p.label == 0 && o.NameWidth == 0 {
		p.names = p.top
		p.top += LineHeight + 4 // room for the line that names the classes
	}
	p.height = p.top + p.rows*p.pitch - min(rowGap, max(3, p.side/2)) + margin
	return p
}

// strips draws the names of the classes, and the thumbnail and the signed cells of each instance.
func (c *canvas) strips(p stripPlan, t *thumbs, ls []layer, o Options) {
	removed, _ := o.removal(t.bag.Len())
	if p.names > 0 {
		names := make([]string, len(ls))
		for i, l := range ls {
			names[i] = l.name
		}
		line := "top to bottom: " + strings.Join(names, ", ")
		c.text(margin, p.names, shorten(line, p.width-2*margin), c.faint)
	}
	for row := range p.rows {
		for j, l := range ls {
			if p.label > 0 {
				y := p.top + row*p.pitch + p.number + p.side + 2 + j*(p.strip+2)
				if o.NameWidth > 0 {
					c.name(l.class, false, c.box(margin-4, y, p.label, p.strip))
					continue
				}
				c.text(margin, y+(p.strip-LineHeight)/2, shorten(l.name, p.label-12), c.ink)
			}
		}
	}
	at := o.placesOf(ls, upTo(t.bag.Len()))
	for i, place := range at {
		x := margin + p.label + place%p.columns*(p.side+p.gap)
		y := p.top + place/p.columns*p.pitch
		if p.number > 0 {
			number := numberText(i)
			c.text(x+(p.side-textWidth(number))/2, y, number, c.faint)
			y += p.number
		}
		c.thumb(c.box(x, y, p.side, p.side), t, i, removed[i])
		y += p.side + 2
		for j := range ls {
			c.scored(c.box(x, y+j*(p.strip+2), p.side, p.strip), &ls[j], i, removed[i])
		}
	}
}

// thumb draws the thumbnail of an instance.
func (c *canvas) thumb(r image.Rectangle, t *thumbs, instance int, removed bool) {
	c.paint(centred(r, t.width, t.height), t.raster(instance))
	if removed {
		c.tint(r, c.background, .78)
		c.strike(r, c.faint)
	}
	c.cell(instance, OwnCell, r)
}
