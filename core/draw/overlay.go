package draw

import (
	"image"
	"image/color"
	"math"

	"github.com/bagscope/bagscope/core"
)

// Lengths in layout pixels, the brightness of the picture outside the top n patches, and opacities.
const (
	cornerSide  = 11  // largest side of the sign mark in the corner of a patch
	cornerPatch = 10  // smallest side of a patch with a sign mark; a smaller one has a stripe
	cornerShare = .55 // side of the sign mark in a patch that is smaller than twice cornerSide
	dimmed      = .22
	covered     = .85 // opacity of the background over a removed patch
	bareEdge    = .25 // opacity of the outline of a patch without a score
	weakestEdge = .65 // opacity of the outline of the smallest score that is evidence
	weakestMark = .35 // opacity of its sign mark
)

// PatchLook returns the lengths and opacities of patches over a picture by name, for programs that
// draw them themselves.
func PatchLook() map[string]float64 {
	return map[string]float64{"cornerSide": cornerSide, "cornerPatch": cornerPatch,
		"cornerShare": cornerShare, "smallestMarked": smallestMarked, "striped": striped,
		"dimmed": dimmed, "covered": covered, "bareEdge": bareEdge, "weakestEdge": weakestEdge,
		"weakestMark": weakestMark}
}

// Overlay draws the picture that a bag was cut from, or a small picture of its slide. Patches are
// tinted by sign; a larger score gives a more opaque tint. A patch whose score is not evidence
// shows the picture as it is. With o.Top, everything except the top n patches is dimmed instead. It
// shows one class: the first of o.Classes, else the predicted class, else the first explained
// class. Without a report it draws the outlines of the patches.
//
// Errors: *core.BagError if the bag has no boxes, *core.SettingError and *LimitError as for Strip.
func Overlay(bag *core.Bag, picture image.Image, report *core.Report, o Options) (*Scene, error) {
	o, ls, err := prepare(bag, report, o)
	if err != nil {
		return nil, err
	}
	if bag.Boxes == nil || picture == nil || picture.Bounds().Empty() {
		return nil, &core.BagError{Bag: bag.Name, Reason: "it was not cut from a picture, so an " +
			"overlay is not possible; draw it as a map, a strip or bars"}
	}
	ls, h := oneClass(report, ls, o)
	frame := frameBelow(h, picture.Bounds().Size(), o.Width-2*margin, o)
	c, err := newCanvas(o.Width, frame.Max.Y+margin, o)
	if err != nil {
		return nil, err
	}
	c.noise = paper // what is not evidence is not painted
	c.header(o.Width, h, func(t float64, sign int) color.RGBA {
		if o.Top > 0 {
			return c.full(sign)
		}
		return mix(paper, c.full(sign), o.Opacity*Tint(t))
	})
	shown := c.box(frame.Min.X, frame.Min.Y, frame.Dx(), frame.Dy())
	source := ofImage(picture)
	c.paint(shown, source)
	switch {
	case len(ls) == 0:
		c.patches(bag, shownBy(bag, picture), shown, nil, o, c.bare)
	case o.Top > 0:
		c.spotlight(bag, shownBy(bag, picture), shown, source, &ls[0], o)
	default:
		c.patches(bag, shownBy(bag, picture), shown, &ls[0], o,
			func(i int, r image.Rectangle) { c.tinted(i, r, &ls[0], o) })
	}
	return &c.Scene, nil
}

// paper is the background of the tints in the legend; in the picture their background is
// desaturated.
var paper = rgb(0xd8d8d8)

// oneClass returns the first layer, the only one that a picture of patches shows, and its header.
// Without a report there are no layers, and the header is nil.
func oneClass(report *core.Report, ls []layer, o Options) ([]layer, *header) {
	if len(ls) == 0 {
		return nil, nil
	}
	return ls[:1], newHeader(report, ls[0].name, ls[:1], o)
}

// frameBelow returns the frame below a header, in layout pixels, for a source of the given size.
// The frame is at most width wide and twice as high, and centred in the picture.
func frameBelow(h *header, source image.Point, width int, o Options) image.Rectangle {
	frame := centred(image.Rect(0, 0, width, 2*width), source.X, source.Y)
	left := (o.Width - frame.Dx()) / 2
	return frame.Sub(frame.Min).Add(image.Pt(left, margin+h.height(o.Width)))
}

// patches calls visit for every patch that is in an area and not removed, and darkens removed
// patches. The area, in the coordinates of the boxes, fills the rectangle shown of the picture.
// A patch is at least one layout pixel wide and high, so that none is missing. Those of a layer
// come from the weakest on, or with o.Top from the lowest, so that patches which overlap hide none
// that matters more. l may be nil.
func (c *canvas) patches(
	bag *core.Bag, area, shown image.Rectangle, l *layer, o Options,
	visit func(int, image.Rectangle),
) {
	removed, _ := o.removal(bag.Len())
	class, order := OwnCell, upTo(bag.Len())
	if l != nil {
		class, order = l.class, l.order(o)
	}
	for _, i := range order {
		b := bag.Boxes[i]
		// The coordinates of an area need not begin at 0.
		b = b.Intersect(area).Sub(area.Min)
		if b.Empty() {
			continue
		}
		r := image.Rect(
			b.Min.X*shown.Dx()/area.Dx(), b.Min.Y*shown.Dy()/area.Dy(),
			b.Max.X*shown.Dx()/area.Dx(), b.Max.Y*shown.Dy()/area.Dy(),
		).Add(shown.Min)
		r.Min.X, r.Min.Y = min(r.Min.X, shown.Max.X-c.scale), min(r.Min.Y, shown.Max.Y-c.scale)
		r.Max.X, r.Max.Y = max(r.Max.X, r.Min.X+c.scale), max(r.Max.Y, r.Min.Y+c.scale)
		if removed[i] {
			c.tint(r, c.background, covered)
			c.strike(r, c.faint)
		} else {
			visit(i, r)
		}
		c.cell(i, class, r)
	}
}

// shownBy returns the area that a picture shows, in the coordinates of boxes: the whole slide, if
// the file states its size, or else the picture's own.
func shownBy(bag *core.Bag, picture image.Image) image.Rectangle {
	if s := bag.Slide; s != nil && s.Width > 0 && s.Height > 0 {
		return image.Rect(0, 0, s.Width, s.Height)
	}
	return picture.Bounds()
}

// bare draws the outline of a patch without a score.
func (c *canvas) bare(_ int, r image.Rectangle) { c.outline(r, c.ink, bareEdge) }

// tinted tints a patch with the colour of its score.
func (c *canvas) tinted(i int, r image.Rectangle, l *layer, o Options) {
	t, sign := l.strength(i)
	if sign == 0 {
		return
	}
	c.desaturate(r)
	col := c.full(sign)
	c.tint(r, col, o.Opacity*Tint(t))
	c.outline(r, col, weakestEdge+(1-weakestEdge)*t)
	c.cornerMark(r, sign, weakestMark+(1-weakestMark)*t)
}

// cornerMark draws a sign mark in the corner of a patch or, in a small patch, its stripe.
func (c *canvas) cornerMark(r image.Rectangle, sign int, opacity float64) {
	of := c.palette.mark(c.full(sign), sign)
	patch := min(r.Dx(), r.Dy())
	if patch < cornerPatch*c.scale {
		c.stripe(r, sign, of, opacity)
		return
	}
	side := min(cornerSide*c.scale, max(smallestMarked*c.scale, int(cornerShare*float64(patch))))
	corner := image.Rectangle{r.Min, r.Min.Add(image.Pt(side, side))}
	c.tint(corner, c.full(sign), opacity)
	c.mark(corner, sign, of)
}

// spotlight darkens the picture except the top n patches. They keep full brightness or, with
// o.Discount, the brightness of their rank's weight in NDCG.
func (c *canvas) spotlight(
	bag *core.Bag, area, shown image.Rectangle, picture raster, l *layer, o Options,
) {
	// Patches show the picture with the pixels that it has outside of them.
	bright := c.painter(image.NewRGBA(shown))
	bright.sample(shown, picture)
	c.tint(shown, black, 1-dimmed)
	rank := ranks(l.scores)
	c.patches(bag, area, shown, l, o, func(i int, r image.Rectangle) {
		light := o.brightness(rank[i])
		if light == 0 {
			return
		}
		part := ofRGBA(bright.SubImage(r).(*image.RGBA))
		c.add(Mark{Kind: Pixels, Rect: r, Colour: black, Opacity: light, source: &part})
		_, sign := l.strength(i)
		col := c.faint
		if sign != 0 {
			col = c.full(sign)
		}
		c.outline(r, col, 1)
		c.cornerMark(r, sign, 1)
	})
}

// brightness returns the share of its brightness that a patch keeps if o.Top is set: 0 for a rank
// beyond the top n, else 1 or, with o.Discount, the weight of the rank in NDCG.
func (o Options) brightness(rank int) float64 {
	switch {
	case rank >= o.Top:
		return 0
	case o.Discount:
		return max(dimmed, 1/math.Log2(float64(rank+2)))
	}
	return 1
}

// ranks returns the rank of each score, 0 for the highest. Ties are ordered by index; NaN is last.
func ranks(scores []float64) []int {
	out := make([]int, len(scores))
	for rank, i := range descending(scores) {
		out[i] = rank
	}
	return out
}

// descending returns the indices of scores from the highest to the lowest. Ties are ordered by
// index; NaN is last.
func descending(scores []float64) []int { return core.OrderTies(scores, upTo(len(scores))) }
