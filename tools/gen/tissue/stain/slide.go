package stain

import (
	"image"
	"image/draw"
	"math"
	"math/rand/v2"
	"slices"
)

// The sizes of the pictures of colon cancer at twenty-fold magnification that slides resemble.
const (
	Side  = 500 // height and width of a slide in pixels
	Patch = 27  // height and width of a patch in pixels
)

// A Slide is a picture with its nuclei.
type Slide struct {
	Picture *image.RGBA
	Nuclei  []Nucleus
}

// Draw draws a positive or negative slide. The random numbers determine stain, fibres, holes, and
// the number and positions of the nuclei.
func Draw(r *rand.Rand, positive bool) *Slide {
	p := &painter{r: r, density: newDensity(Side), lie: math.Pi * r.Float64(),
		stain: .8 + .4*r.Float64()}
	p.ground()
	for range 1 + r.IntN(3) {
		p.hole(20 + 50*r.Float64())
	}
	// A gland needs room, so a positive slide may need several attempts.
	for positive && !p.holds(Gland) {
		p.epithelium()
	}
	p.scatter(Spindle, 25+r.IntN(50))
	p.scatter(Round, 10+r.IntN(40))
	for range r.IntN(4) {
		p.crowd(8 + r.IntN(25))
	}
	return &Slide{Picture: p.density.light(r), Nuclei: p.nuclei}
}

// Crop returns a part of a slide, moved to 0, 0, with the nuclei whose centres lie in it.
func (s *Slide) Crop(part image.Rectangle) *Slide {
	part = part.Intersect(s.Picture.Rect)
	out := &Slide{Picture: image.NewRGBA(image.Rect(0, 0, part.Dx(), part.Dy()))}
	draw.Draw(out.Picture, out.Picture.Rect, s.Picture, part.Min, draw.Src)
	left, top := float64(part.Min.X), float64(part.Min.Y)
	for _, n := range s.Nuclei {
		n.X, n.Y = n.X-left, n.Y-top
		if n.X >= 0 && n.Y >= 0 && n.X < float64(part.Dx()) && n.Y < float64(part.Dy()) {
			out.Nuclei = append(out.Nuclei, n)
		}
	}
	return out
}

// Numbered draws the slide of a number in the series of a seed. Odd numbers are positive. Each
// slide has its own random stream, so that any of them can be drawn alone.
func Numbered(seed uint64, number int) *Slide {
	return Draw(rand.New(rand.NewPCG(seed, uint64(number))), number%2 == 1)
}

// A painter is the state of a slide during drawing.
type painter struct {
	r        *rand.Rand
	density  *density
	lie      float64 // direction of the fibres in radians
	stain    float64 // factor of the strength of both stains
	nuclei   []Nucleus
	occupied []circle // areas in which no other object may begin
}

// A circle is given in pixels.
type circle struct{ x, y, radius float64 }

// ground draws fibres in eosin.
func (p *painter) ground() {
	// Fibres run along one direction; waves bend them, and clouds vary their strength.
	fibres := newNoise(p.r, 70, 5, p.lie, 3.5)
	clouds := newNoise(p.r, 160, 2, 0, 1)
	waves := newNoise(p.r, 110, 2, 0, 1)
	base := .22 + .12*p.r.Float64()
	for i := range p.density.pixels {
		x, y := float64(i%Side), float64(i/Side)
		bent := 60 * (waves.at(x, y) - .5)
		weight := p.stain * (base + .5*(fibres.at(x+bent, y-bent)-.5) + .25*(clouds.at(x, y)-.5))
		p.density.pixels[i] = [2]float64{haematoxylin: .06 * p.stain, eosin: max(weight, .04)}
	}
}

// hole clears an area without tissue, such as a vessel, a fat cell or a crack.
func (p *painter) hole(radius float64) {
	x, y, free := p.room(radius)
	if !free {
		return
	}
	p.clear(x, y, radius, .5+.5*p.r.Float64())
	p.occupied = append(p.occupied, circle{x, y, radius})
}

// clear removes the stains from a disc with an uneven edge. The ratio of its short to its long axis
// is flat.
func (p *painter) clear(x, y, radius, flat float64) {
	edge := newNoise(p.r, 1.2*radius, 3, 0, 1)
	sin, cos := math.Sincos(math.Pi * p.r.Float64())
	p.density.around(x, y, 1.5*radius, func(px, py float64, at *[2]float64) {
		u, v := cos*(px-x)+sin*(py-y), (cos*(py-y)-sin*(px-x))/flat
		distance := math.Hypot(u, v) / (radius * (.5 + edge.at(px, py)))
		// The edge is four pixels wide, so that holes do not look cut out.
		left := 1 - .97*smooth((1-distance)*radius/4+.5)
		at[0] *= left
		at[1] *= left
	})
}

// epithelium adds glands or loose nests of their cells.
func (p *painter) epithelium() {
	if p.r.Float64() < .7 {
		for range 2 + p.r.IntN(4) {
			p.gland(12+33*p.r.Float64(), 1+p.r.IntN(2))
		}
		return
	}
	x, y := p.anywhere()
	for range 20 + p.r.IntN(30) {
		p.cell(Gland, x+35*p.r.NormFloat64(), y+35*p.r.NormFloat64(), 2*math.Pi*p.r.Float64())
	}
}

// holds reports whether the slide contains a nucleus of a kind.
func (p *painter) holds(kind Kind) bool {
	return slices.ContainsFunc(p.nuclei, func(n Nucleus) bool { return n.Kind == kind })
}

// gland draws a lumen of uneven shape in a rim of cytoplasm. Rows of nuclei surround the lumen,
// with their long axes towards it.
func (p *painter) gland(lumen float64, rows int) {
	const (
		depth = 13 // distance of rows in pixels
		apart = 11 // distance of nuclei in a row
	)
	thick := depth * (float64(rows) + .4)
	x, y, free := p.room(lumen + thick)
	if !free {
		return
	}
	var sway, phase [3]float64
	for h := range sway {
		sway[h], phase[h] = .16*p.r.NormFloat64()/float64(h+1), 2*math.Pi*p.r.Float64()
	}
	// The radius of the lumen varies with the angle by three harmonics.
	inner := func(angle float64) float64 {
		radius := lumen
		for h := range sway {
			radius += lumen * sway[h] * math.Sin(float64(h+2)*angle+phase[h])
		}
		return max(radius, 4)
	}
	p.density.around(x, y, 2*lumen+thick, func(px, py float64, at *[2]float64) {
		// The distance outside of the lumen is positive in the rim and negative in the lumen.
		beyond := math.Hypot(px-x, py-y) - inner(math.Atan2(py-y, px-x))
		rim := smooth((thick-beyond)/5) * smooth(beyond/3+.5)
		at[haematoxylin] += .16 * p.stain * rim
		at[eosin] += .06 * p.stain * rim
		empty := 1 - .95*smooth(-beyond/3+.5)
		at[haematoxylin] *= empty
		at[eosin] *= empty
	})
	p.occupied = append(p.occupied, circle{x, y, .7 * lumen})
	for row := range rows {
		start, turn := 2*math.Pi*p.r.Float64(), 0.0
		for turn < 2*math.Pi {
			angle := start + turn + .05*p.r.NormFloat64()
			distance := inner(angle) + depth*(float64(row)+.65) + 1.6*p.r.NormFloat64()
			sin, cos := math.Sincos(angle)
			p.cell(Gland, x+distance*cos, y+distance*sin, angle)
			turn += apart / distance
		}
	}
}

// scatter adds nuclei of one kind at uniform positions.
func (p *painter) scatter(kind Kind, n int) {
	for range n {
		x, y := p.anywhere()
		p.cell(kind, x, y, p.lie)
	}
}

// crowd adds round nuclei around one point, as in inflamed tissue.
func (p *painter) crowd(n int) {
	x, y := p.anywhere()
	for range n {
		p.cell(Round, x+25*p.r.NormFloat64(), y+25*p.r.NormFloat64(), 0)
	}
}

// cell adds a nucleus, unless its position is outside of the slide or occupied.
func (p *painter) cell(kind Kind, x, y, angle float64) {
	b := newBody(p.r, kind, angle)
	if x < 0 || y < 0 || x >= Side || y >= Side || !p.isFree(x, y, .9*b.short) {
		return
	}
	b.strength *= p.stain
	b.stain(p.density, x, y)
	p.occupied = append(p.occupied, circle{x, y, .9 * b.short})
	p.nuclei = append(p.nuclei, Nucleus{X: x, Y: y, Kind: kind})
}

// isFree reports whether a disc overlaps no occupied area.
func (p *painter) isFree(x, y, radius float64) bool {
	return !slices.ContainsFunc(p.occupied, func(c circle) bool {
		return math.Hypot(c.x-x, c.y-y) < c.radius+radius
	})
}

// room searches for a free position of a disc. A crowded slide may have none.
func (p *painter) room(radius float64) (x, y float64, found bool) {
	const tries = 50
	for range tries {
		if x, y = p.anywhere(); p.isFree(x, y, radius) {
			return x, y, true
		}
	}
	return 0, 0, false
}

// anywhere returns a uniform position.
func (p *painter) anywhere() (x, y float64) { return Side * p.r.Float64(), Side * p.r.Float64() }
