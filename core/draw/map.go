package draw

import (
	"cmp"
	"image"
	"image/color"
	"math"

	"github.com/bagscope/bagscope/core"
)

// separated is the smallest side of a patch with an edge, in layout pixels.
const separated = 8

// Map draws the patches of a bag at their coordinates, without the picture that they were cut from.
// It shows the smallest area that holds all patches, at a scale at which they are at most o.Cell
// layout pixels wide in the mean (default 40). Patches have the colours and marks of the cells of a
// Strip. With o.Top, all patches except the top n are neutral. It shows the class that Overlay
// shows. Without a report it draws the outlines of the patches.
//
// Errors: *core.BagError if the bag has no boxes or an area that no slide has, *core.SettingError
// and *LimitError as for Strip.
func Map(bag *core.Bag, report *core.Report, o Options) (*Scene, error) {
	o, ls, err := prepare(bag, report, o)
	if err != nil {
		return nil, err
	}
	if bag.Boxes == nil {
		return nil, &core.BagError{Bag: bag.Name, Reason: "its instances have no coordinates, so " +
			"a map is not possible; draw it as a strip or bars"}
	}
	area, across, err := areaOf(bag)
	if err != nil {
		return nil, err
	}
	ls, h := oneClass(report, ls, o)
	width := int(min(across*float64(cmp.Or(o.Cell, defaultThumb)), float64(o.Width-2*margin)))
	frame := frameBelow(h, area.Size(), max(width, 1), o)
	c, err := newCanvas(o.Width, frame.Max.Y+margin, o)
	if err != nil {
		return nil, err
	}
	c.header(o.Width, h, c.shadeOf(o))
	shown := c.box(frame.Min.X, frame.Min.Y, frame.Dx(), frame.Dy())
	if len(ls) == 0 {
		c.patches(bag, area, shown, nil, o, c.bare)
	} else {
		c.patches(bag, area, shown, &ls[0], o, c.mapped(&ls[0], o))
	}
	// Without an outline, a removed patch looks like the background.
	removed, _ := o.removal(bag.Len())
	for _, cell := range c.Cells {
		if removed[cell.Instance] {
			c.outline(cell.Rect, c.faint, .5)
		}
	}
	return &c.Scene, nil
}

// areaOf returns the smallest area that holds all patches of a bag, and how many patches of mean
// width lie side by side across it. It returns a *core.BagError for an area that no slide has.
func areaOf(bag *core.Bag) (area image.Rectangle, across float64, err error) {
	mean := 0.0
	for _, b := range bag.Boxes {
		area = area.Union(b)
		mean += float64(b.Dx()) / float64(bag.Len())
	}
	// Products of coordinates and of sides of the picture must not overflow.
	if area.Empty() || max(area.Dx(), area.Dy()) > math.MaxInt32 || mean <= 0 {
		return area, 0, &core.BagError{Bag: bag.Name, Reason: "its patches span no area of a " +
			"slide; check the coordinates"}
	}
	return area, float64(area.Dx()) / mean, nil
}

// shadeOf returns the shade of a map: that of signed cells or, with o.Top, always the strongest.
func (c *canvas) shadeOf(o Options) shade {
	if o.Top > 0 {
		return func(_ float64, sign int) color.RGBA { return c.full(sign) }
	}
	return c.palette.signed
}

// mapped returns the function that draws a patch of a map.
func (c *canvas) mapped(l *layer, o Options) func(i int, r image.Rectangle) {
	var rank []int // nil without o.Top
	if o.Top > 0 {
		rank = ranks(l.scores)
	}
	of := c.shadeOf(o)
	return func(i int, r image.Rectangle) {
		t, sign := l.strength(i)
		light := 1.0
		if rank != nil {
			light = o.brightness(rank[i])
		}
		col := c.noise
		if sign != 0 {
			col = of(t, sign)
		}
		col = mix(c.neutral, col, light)
		c.fill(r, col)
		if light > 0 {
			c.signMark(r, sign, c.markOn(col, t, sign))
		}
		if min(r.Dx(), r.Dy()) >= separated*c.scale {
			c.outline(r, c.background, .5)
		}
	}
}
