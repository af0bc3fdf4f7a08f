package draw

import (
	"image"
	"image/color"
)

// A painter paints the marks of a scene.
type painter struct {
	*image.RGBA
	scale  int
	cache  map[[2]int][]footprint  // footprints by the numbers of source pixels and of pixels
	letter func(rune) *image.Alpha // Scene.letter
}

// paint paints a mark.
func (p *painter) paint(m *Mark) {
	switch m.Kind {
	case Fill:
		if m.Opacity == 1 {
			p.fill(m.Rect, m.Colour)
		} else {
			p.tint(m.Rect, m.Colour, m.Opacity)
		}
	case Pixels:
		p.sample(m.Rect, *m.source)
		if m.Opacity < 1 {
			p.replace(m.Rect, func(_, _ int, was color.RGBA) color.RGBA {
				return mix(black, was, m.Opacity)
			})
		}
	case Grey:
		p.desaturate(m.Rect)
	case Strike:
		p.strike(m.Rect, m.Colour)
	case Text:
		p.text(m.Rect.Min, m.Text, m.Colour)
	}
}

// fill fills a rectangle with an opaque colour. It does not use image/draw, whose single large
// function takes a browser 36 ms to optimise, longer than drawing a whole picture.
func (p *painter) fill(r image.Rectangle, col color.RGBA) {
	r = r.Intersect(p.Bounds())
	if r.Empty() {
		return
	}
	// The first row is filled by doubling, the others are copies of the row above.
	first := p.Pix[p.PixOffset(r.Min.X, r.Min.Y):p.PixOffset(r.Max.X, r.Min.Y)]
	for done := copy(first, []uint8{col.R, col.G, col.B, col.A}); done < len(first); {
		done += copy(first[done:], first[:done])
	}
	for y := r.Min.Y + 1; y < r.Max.Y; y++ {
		p.repeatRow(r.Min.X, r.Max.X, y)
	}
}

// tint blends a colour over a rectangle. It computes consecutive equal pixels once, because most
// pixels of a background are equal.
func (p *painter) tint(r image.Rectangle, col color.RGBA, opacity float64) {
	r = r.Intersect(p.Bounds())
	var was [4]uint8 // equals no pixel, because pixels are opaque
	var now color.RGBA
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := p.Pix[p.PixOffset(r.Min.X, y):]
		for x := range r.Dx() {
			px := (*[4]uint8)(row[4*x:])
			if *px != was {
				was = *px
				now = mix(color.RGBA{px[0], px[1], px[2], px[3]}, col, opacity)
			}
			*px = [4]uint8{now.R, now.G, now.B, now.A}
		}
	}
}

// desaturate removes most of the colour in r.
func (p *painter) desaturate(r image.Rectangle) {
	p.replace(r, func(_, _ int, was color.RGBA) color.RGBA {
		grey := uint8((299*int(was.R) + 587*int(was.G) + 114*int(was.B)) / 1000)
		return mix(was, color.RGBA{grey, grey, grey, 255}, Greyed)
	})
}

// replace replaces the colour of each pixel of r by f of its place and colour. r must lie inside
// the picture.
func (p *painter) replace(r image.Rectangle, f func(x, y int, was color.RGBA) color.RGBA) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			p.SetRGBA(x, y, f(x, y, p.RGBAAt(x, y)))
		}
	}
}

// strike crosses out r, the cell of a removed instance, with a diagonal or, in a wide cell, a
// horizontal line.
func (p *painter) strike(r image.Rectangle, col color.RGBA) {
	w, h := r.Dx(), r.Dy()
	if w > 3*h {
		y := r.Min.Y + (h-p.scale)/2
		p.fill(image.Rect(r.Min.X, y, r.Max.X, y+p.scale).Intersect(r), col)
		return
	}
	// One dot for each pixel of the longer side, from the lower left to the upper right corner.
	n := max(w, h)
	for i := range n {
		x, y := r.Min.X+i*w/n, r.Max.Y-1-i*h/n
		dot := image.Rect(x, y-p.scale/2, x+p.scale, y+(p.scale+1)/2)
		p.fill(dot.Intersect(r), col)
	}
}
