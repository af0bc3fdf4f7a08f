package draw

import (
	"image"
	"image/color"
)

// Bounds of a picture that browsers' canvases and the memory of a wasm module support. Below
// minWidth no legend fits.
const (
	minWidth  = 120
	maxSide   = 16384   // pixels
	maxPixels = 1 << 24 // 64 MiB of RGBA
)

// A canvas records the marks of a scene. Its methods take rectangles in pixels of the picture, and
// texts and layouts in layout pixels; box converts between them.
type canvas struct {
	Scene
	palette
	scale int
	words *Words
}

// checkSize returns a *LimitError if a canvas of the given size in layout pixels would be too
// large.
func checkSize(width, height, scale int) error {
	const small = "the picture would be too large; draw fewer classes, a smaller cell, scale or " +
		"width, or fewer instances"
	if side := max(width, height); side > maxSide/scale {
		return &LimitError{small + " (pixels along a side)", side * scale, maxSide}
	}
	if area := width * height * scale * scale; area > maxPixels {
		return &LimitError{small + " (pixels)", area, maxPixels}
	}
	return nil
}

// newCanvas returns a canvas of the given size in layout pixels, filled with the background. It
// returns a *LimitError if it would be too large.
func newCanvas(width, height int, o Options) (*canvas, error) {
	if err := checkSize(width, height, o.Scale); err != nil {
		return nil, err
	}
	c := &canvas{palette: themed(o.Colours, o.Dark), scale: o.Scale, words: o.words()}
	c.Scene = Scene{Width: width * o.Scale, Height: height * o.Scale, Scale: o.Scale,
		letters: o.Letters}
	c.fill(c.bounds(), c.background)
	return c, nil
}

// box converts a rectangle from layout pixels to pixels of the picture. Layouts are computed in
// layout pixels, so that they do not depend on the density of a screen.
func (c *canvas) box(x, y, width, height int) image.Rectangle {
	s := c.scale
	return image.Rect(x*s, y*s, (x+width)*s, (y+height)*s)
}

// name leaves a rectangle to the name of a class.
func (c *canvas) name(class int, above bool, r image.Rectangle) {
	c.Names = append(c.Names, Name{class, above, r})
}

// cell records the rectangle of an instance for a class.
func (c *canvas) cell(instance, class int, r image.Rectangle) {
	c.Cells = append(c.Cells, Cell{instance, class, r})
}

// add appends a mark.
func (c *canvas) add(m Mark) { c.Marks = append(c.Marks, m) }

// fill fills a rectangle with an opaque colour.
func (c *canvas) fill(r image.Rectangle, col color.RGBA) { c.tint(r, col, 1) }

// tint blends a colour over a rectangle.
func (c *canvas) tint(r image.Rectangle, col color.RGBA, opacity float64) {
	c.add(Mark{Kind: Fill, Rect: r, Colour: col, Opacity: opacity})
}

// desaturate removes most of the colour in r.
func (c *canvas) desaturate(r image.Rectangle) {
	c.add(Mark{Kind: Grey, Rect: r, Colour: rgb(0x808080), Opacity: Greyed})
}

// strike crosses out r, the cell of a removed instance.
func (c *canvas) strike(r image.Rectangle, col color.RGBA) {
	c.add(Mark{Kind: Strike, Rect: r, Colour: col, Opacity: 1})
}

// paint scales a raster into r.
func (c *canvas) paint(r image.Rectangle, src raster) {
	c.add(Mark{Kind: Pixels, Rect: r, Colour: black, Opacity: 1, source: &src})
}

// outline draws the inner border of r, one layout pixel wide.
func (c *canvas) outline(r image.Rectangle, col color.RGBA, opacity float64) {
	s := c.scale
	inner := r.Inset(s)
	if inner.Empty() {
		c.tint(r, col, opacity)
		return
	}
	// The four sides do not overlap, because a tint over a tint would be stronger in the corners.
	for _, side := range []image.Rectangle{
		{r.Min, image.Pt(r.Max.X, inner.Min.Y)},
		{image.Pt(r.Min.X, inner.Max.Y), r.Max},
		{image.Pt(r.Min.X, inner.Min.Y), image.Pt(inner.Min.X, inner.Max.Y)},
		{image.Pt(inner.Max.X, inner.Min.Y), image.Pt(r.Max.X, inner.Max.Y)},
	} {
		c.tint(side, col, opacity)
	}
}

// smallestMarked is the smallest side, in layout pixels, of a rectangle with a sign mark.
const smallestMarked = 7

// striped is the smallest side, in layout pixels, of a rectangle with a stripe.
const striped = 3

// stripe draws a horizontal line through the middle of r for the sign -1, and nothing for others:
// the sign of a rectangle that is too small for a plus.
func (c *canvas) stripe(r image.Rectangle, sign int, col color.RGBA, opacity float64) {
	if sign < 0 && min(r.Dx(), r.Dy()) >= striped*c.scale {
		c.tint(stripeOf(r, c.scale), col, opacity)
	}
}

// stripeOf returns the stripe of a rectangle.
func stripeOf(r image.Rectangle, scale int) image.Rectangle {
	y := (r.Min.Y + r.Max.Y - scale) / 2
	return image.Rect(r.Min.X, y, r.Max.X, y+scale)
}

// mark draws a plus or a minus in the middle of r if r is large enough.
func (c *canvas) mark(r image.Rectangle, sign int, col color.RGBA) {
	if min(r.Dx(), r.Dy()) < smallestMarked*c.scale {
		return
	}
	for _, bar := range markOf(r, sign, c.scale) {
		c.fill(bar, col)
	}
}

// markOf returns the bars of a plus or a minus in the middle of r.
func markOf(r image.Rectangle, sign, scale int) []image.Rectangle {
	if sign == 0 {
		return nil
	}
	side := min(r.Dx(), r.Dy())
	// The mark grows with the rectangle, up to 16 layout pixels, so that it does not hide the
	// colour.
	stroke := max(scale, side/9)
	length := max(5*scale, min(side*5/9, 16*scale))
	length += (length - stroke) & 1 // so that the bars cross in the middle
	at := r.Min.Add(image.Pt((r.Dx()-length)/2, (r.Dy()-length)/2))
	arm := (length - stroke) / 2
	bars := []image.Rectangle{image.Rect(0, arm, length, arm+stroke).Add(at)}
	if sign > 0 {
		bars = append(bars, image.Rect(arm, 0, arm+stroke, length).Add(at))
	}
	return bars
}

// SignBars returns the rectangles that show the sign of a cell without its hue, at one pixel for
// each layout pixel: the bars of a mark or, in a cell that is too small for one, the stripe of a
// score that refutes. A cell without a sign has none.
func SignBars(r image.Rectangle, sign int) []image.Rectangle {
	switch side := min(r.Dx(), r.Dy()); {
	case side >= smallestMarked:
		return markOf(r, sign, 1)
	case side >= striped && sign < 0:
		return []image.Rectangle{stripeOf(r, 1)}
	}
	return nil
}

// signMark draws the sign of a cell: a mark or, in a cell that is too small for one, the stripe.
func (c *canvas) signMark(r image.Rectangle, sign int, col color.RGBA) {
	if min(r.Dx(), r.Dy()) < smallestMarked*c.scale {
		c.stripe(r, sign, col, 1)
		return
	}
	c.mark(r, sign, col)
}

// signed draws a cell with a colour of strength t and its sign.
func (c *canvas) signed(r image.Rectangle, t float64, sign int) {
	col := c.palette.signed(t, sign)
	c.fill(r, col)
	c.signMark(r, sign, c.markOn(col, t, sign))
}
