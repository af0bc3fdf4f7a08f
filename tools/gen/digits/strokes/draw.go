package strokes

import (
	"math"
	"math/rand/v2"
)

// The frame of MNIST.
const (
	Side = 28 // height and width of a picture
	box  = 20 // height and width of the square that contains the ink
)

// The random variation of digits. All but upright are standard deviations.
const (
	upright  = -.1  // mean of the shear; most handwriting leans to the right
	slant    = .18  // shear, x += slant*y
	turn     = .1   // rotation in radians
	stretch  = .15  // logarithm of width divided by height
	bend     = .032 // each wave of the elastic distortion, in heights of a glyph
	pressure = .06  // difference of the ink to full brightness
	grain    = .03  // noise of pixels with ink
)

// The range of the pen's radius in pixels.
const (
	finest   = .85
	broadest = 1.65
)

// Draw draws one digit and returns its pixels (row, column): white ink on black. As in MNIST, the
// bounding box of the ink fits into 20 by 20 pixels, and the centre of mass is the picture's
// centre.
func Draw(r *rand.Rand, digit int) []uint8 {
	styles := glyphs[digit]
	lines := distort(r, styles[r.IntN(len(styles))])
	radius := finest + r.Float64()*(broadest-finest)
	scaleToBox(lines, box-2*radius)
	// The first rendering only finds the centre of mass.
	ink := render(lines, radius)
	dx, dy := offCentre(ink)
	for _, line := range lines {
		for i := range line {
			line[i].x -= dx
			line[i].y -= dy
		}
	}
	strength := 1 - math.Abs(pressure*r.NormFloat64())
	picture := make([]uint8, len(ink))
	for i, v := range render(lines, radius) {
		if v > 0 {
			v = strength*v + grain*r.NormFloat64()
		}
		picture[i] = uint8(math.Round(255 * min(max(v, 0), 1)))
	}
	return picture
}

// distort applies an elastic distortion, a rotation, a shear and a stretch to a glyph.
func distort(r *rand.Rand, g glyph) [][]point {
	field := newField(r)
	shear := upright + slant*r.NormFloat64()
	sin, cos := math.Sincos(turn * r.NormFloat64())
	width := math.Exp(stretch * r.NormFloat64())
	var lines [][]point
	for _, s := range g {
		line := s.smooth()
		for i, p := range line {
			p = field.move(p)
			x, y := (p.x-.5)*width, p.y-.5
			x += shear * y
			line[i] = point{cos*x - sin*y, sin*x + cos*y}
		}
		lines = append(lines, line)
	}
	return lines
}

// A field is a smooth random displacement of the plane, the sum of a few long waves. It depends
// only on the position, so strokes that meet still meet after it.
type field struct{ waves [4]wave }

// A wave displaces a point p by (dx, dy) sin(kx p.x + ky p.y + phase).
type wave struct{ kx, ky, phase, dx, dy float64 }

// newField draws a field.
func newField(r *rand.Rand) field {
	var f field
	for i := range f.waves {
		f.waves[i] = wave{
			kx: 3 * r.NormFloat64(), ky: 3 * r.NormFloat64(), phase: 2 * math.Pi * r.Float64(),
			dx: bend * r.NormFloat64(), dy: bend * r.NormFloat64(),
		}
	}
	return f
}

// move displaces a point.
func (f field) move(p point) point {
	q := p
	for _, w := range f.waves {
		s := math.Sin(w.kx*p.x + w.ky*p.y + w.phase)
		q.x += w.dx * s
		q.y += w.dy * s
	}
	return q
}

// scaleToBox scales lines so that the longer side of their bounding box has the given size, and
// moves the box to the centre of the picture.
func scaleToBox(lines [][]point, size float64) {
	lo, hi := point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for _, line := range lines {
		for _, p := range line {
			lo.x, lo.y = min(lo.x, p.x), min(lo.y, p.y)
			hi.x, hi.y = max(hi.x, p.x), max(hi.y, p.y)
		}
	}
	// One scale for both axes keeps the proportions.
	scale := size / max(hi.x-lo.x, hi.y-lo.y)
	for _, line := range lines {
		for i, p := range line {
			line[i] = point{Side/2 + scale*(p.x-(lo.x+hi.x)/2), Side/2 + scale*(p.y-(lo.y+hi.y)/2)}
		}
	}
}

// render returns the ink of each pixel (row, column), from 0 to 1.
func render(lines [][]point, radius float64) []float64 {
	const edge = 1.3 // width in pixels over which ink fades at the edge of a stroke
	ink := make([]float64, Side*Side)
	for row := range Side {
		for col := range Side {
			d := distance(lines, point{float64(col) + .5, float64(row) + .5})
			ink[row*Side+col] = min(max((radius-d)/edge+.5, 0), 1)
		}
	}
	return ink
}

// distance returns the distance of a point to the nearest segment of the lines.
func distance(lines [][]point, p point) float64 {
	best := math.Inf(1)
	for _, line := range lines {
		for i := 1; i < len(line); i++ {
			a, b := line[i-1], line[i]
			dx, dy := b.x-a.x, b.y-a.y
			// The nearest point of the segment is a + t (b - a).
			t := 0.0
			if l := dx*dx + dy*dy; l > 0 {
				t = min(max(((p.x-a.x)*dx+(p.y-a.y)*dy)/l, 0), 1)
			}
			x, y := a.x+t*dx-p.x, a.y+t*dy-p.y
			best = min(best, x*x+y*y)
		}
	}
	return math.Sqrt(best)
}

// offCentre returns the vector from the picture's centre to the centre of mass.
func offCentre(ink []float64) (dx, dy float64) {
	var mass, x, y float64
	for i, v := range ink {
		mass += v
		x += v * (float64(i%Side) + .5)
		y += v * (float64(i/Side) + .5)
	}
	return x/mass - Side/2, y/mass - Side/2
}
