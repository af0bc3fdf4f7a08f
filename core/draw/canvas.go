package draw

import (
	"image"
	"image/color"
	"image/png"
	"io"
)

// OwnCell is the Class of a cell that shows an instance instead of a score.
const OwnCell = -1

// A Cell is the rectangle of an instance in a picture, in pixels of the picture.
type Cell struct {
	Instance int
	Class    int // OwnCell for the instance itself
	Rect     image.Rectangle
}

// A Picture holds opaque pixels and the cells of the instances. Cells of one class do not overlap,
// unless the patches of an overlay do; the later instance is then on top.
type Picture struct {
	*image.RGBA
	Cells []Cell
}

// EncodePNG writes the picture as PNG. Equal pictures give equal bytes.
func (p *Picture) EncodePNG(w io.Writer) error { return png.Encode(w, p.RGBA) }

// Bounds of a picture that browsers' canvases and the memory of a wasm module support. Below
// minWidth no legend fits.
const (
	minWidth  = 120
	maxSide   = 16384   // pixels
	maxPixels = 1 << 24 // 64 MiB of RGBA
)

// A canvas is a picture that is being drawn. Its methods take rectangles in pixels of the picture,
// and texts and layouts in layout pixels; box converts between them.
type canvas struct {
	Picture
	palette
	scale int
	cache map[[2]int][]footprint // footprints by the numbers of source pixels and of pixels
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
	c := &canvas{palette: light, scale: o.Scale, cache: map[[2]int][]footprint{}}
	if o.Dark {
		c.palette = dark
	}
	c.RGBA = image.NewRGBA(image.Rect(0, 0, width*o.Scale, height*o.Scale))
	c.fill(c.Bounds(), c.background)
	return c, nil
}

// box converts a rectangle from layout pixels to pixels of the picture. Layouts are computed in
// layout pixels, so that they do not depend on the density of a screen.
func (c *canvas) box(x, y, width, height int) image.Rectangle {
	s := c.scale
	return image.Rect(x*s, y*s, (x+width)*s, (y+height)*s)
}

// cell records the rectangle of an instance for a class.
func (c *canvas) cell(instance, class int, r image.Rectangle) {
	c.Cells = append(c.Cells, Cell{instance, class, r})
}

// fill fills a rectangle with an opaque colour. It does not use image/draw, whose single large
// function takes a browser 36 ms to optimise, longer than drawing a whole picture.
func (c *canvas) fill(r image.Rectangle, col color.RGBA) {
	r = r.Intersect(c.Bounds())
	if r.Empty() {
		return
	}
	// The first row is filled by doubling, the others are copies of the row above.
	first := c.Pix[c.PixOffset(r.Min.X, r.Min.Y):c.PixOffset(r.Max.X, r.Min.Y)]
	for done := copy(first, []uint8{col.R, col.G, col.B, col.A}); done < len(first); {
		done += copy(first[done:], first[:done])
	}
	for y := r.Min.Y + 1; y < r.Max.Y; y++ {
		c.repeatRow(r.Min.X, r.Max.X, y)
	}
}

// tint blends a colour over a rectangle. It computes consecutive equal pixels once, because most
// pixels of a background are equal.
func (c *canvas) tint(r image.Rectangle, col color.RGBA, opacity float64) {
	r = r.Intersect(c.Bounds())
	var was [4]uint8 // equals no pixel, because pixels are opaque
	var now color.RGBA
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := c.Pix[c.PixOffset(r.Min.X, y):]
		for x := range r.Dx() {
			p := (*[4]uint8)(row[4*x:])
			if *p != was {
				was = *p
				now = mix(color.RGBA{p[0], p[1], p[2], p[3]}, col, opacity)
			}
			*p = [4]uint8{now.R, now.G, now.B, now.A}
		}
	}
}

// desaturate removes most of the colour in r, so that a tint is visible on stained tissue.
func (c *canvas) desaturate(r image.Rectangle) {
	c.replace(r, func(_, _ int, was color.RGBA) color.RGBA {
		grey := uint8((299*int(was.R) + 587*int(was.G) + 114*int(was.B)) / 1000)
		return mix(was, color.RGBA{grey, grey, grey, 255}, .75)
	})
}

// replace replaces the colour of each pixel of r by f of its place and colour. r must lie inside
// the picture.
func (c *canvas) replace(r image.Rectangle, f func(x, y int, was color.RGBA) color.RGBA) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			c.SetRGBA(x, y, f(x, y, c.RGBAAt(x, y)))
		}
	}
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

// mark draws a plus or a minus in the middle of r if r is large enough.
func (c *canvas) mark(r image.Rectangle, sign int, col color.RGBA) {
	side := min(r.Dx(), r.Dy())
	if sign == 0 || side < smallestMarked*c.scale {
		return
	}
	// The mark grows with the rectangle, up to 16 layout pixels, so that it does not hide the
	// colour.
	stroke := max(c.scale, side/9)
	length := max(5*c.scale, min(side*5/9, 16*c.scale))
	length += (length - stroke) & 1 // so that the bars cross in the middle
	at := r.Min.Add(image.Pt((r.Dx()-length)/2, (r.Dy()-length)/2))
	arm := (length - stroke) / 2
	c.fill(image.Rect(0, arm, length, arm+stroke).Add(at), col)
	if sign > 0 {
		c.fill(image.Rect(arm, 0, arm+stroke, length).Add(at), col)
	}
}

// strike crosses out r, the cell of a removed instance, with a diagonal or, in a wide cell, a
// horizontal line.
func (c *canvas) strike(r image.Rectangle, col color.RGBA) {
	w, h := r.Dx(), r.Dy()
	if w > 3*h {
		y := r.Min.Y + (h-c.scale)/2
		c.fill(image.Rect(r.Min.X, y, r.Max.X, y+c.scale).Intersect(r), col)
		return
	}
	// One dot for each pixel of the longer side, from the lower left to the upper right corner.
	n := max(w, h)
	for i := range n {
		x, y := r.Min.X+i*w/n, r.Max.Y-1-i*h/n
		dot := image.Rect(x, y-c.scale/2, x+c.scale, y+(c.scale+1)/2)
		c.fill(dot.Intersect(r), col)
	}
}

// signed draws a cell with a colour of strength t and a sign mark.
func (c *canvas) signed(r image.Rectangle, t float64, sign int) {
	col := c.palette.signed(t, sign)
	c.fill(r, col)
	// Marks of weak scores are fainter, so that many of them do not hide a strong one.
	c.mark(r, sign, mix(col, c.palette.mark(col, sign), .6+.4*t))
}
