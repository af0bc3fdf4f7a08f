package bagio

import (
	"image"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/lattice"
	"github.com/bagscope/bagscope/internal/msg"
)

// places are the coordinates of the k instances of a file, in its unit.
type places struct {
	file    string
	corners []float64 // (k, axes): x y, or x0 y0 x1 y1
	axes    int       // 2 or 4
	notes   []string
	apart   float64 // distance between neighbours, 0 until step computes it
}

// step returns the usual distance between neighbours.
func (p *places) step() float64 {
	if p.apart == 0 {
		p.apart = lattice.Step(p.corners)
	}
	return p.apart
}

// isPlace reports whether a coordinate can be a place on a slide.
func isPlace(v float64) bool { return math.Abs(v) < math.MaxInt32/2 }

// placesOf returns coordinates (k, 2) or (k, 4), the same with a first axis of size 1, or
// transposed. The last two of four may be a width and a height, see readSizes.
func placesOf(file string, a *Array, k int) (*places, error) {
	shape := a.Shape
	if len(shape) == 3 && shape[0] == 1 {
		shape = shape[1:]
	}
	p := &places{file: file}
	turned := len(shape) == 2 && shape[1] == k && (shape[0] == 2 || shape[0] == 4) &&
		shape[1] != 2 && shape[1] != 4
	switch {
	case a.dtype.isText():
		return nil, bad(file, "its coordinates are text (%v), not numbers", a.dtype)
	case turned:
		p.axes = shape[0]
		p.note("its coordinates of shape %s are read as one column for each instance",
			shapeText(a.Shape))
	case len(shape) == 2 && shape[0] == k && (shape[1] == 2 || shape[1] == 4):
		p.axes = shape[1]
	default:
		return nil, bad(file, "its coordinates have shape %s; %d instances need shape (%d, 2), "+
			"or (%d, 4) for x0 y0 x1 y1", shapeText(a.Shape), k, k, k)
	}
	get, size := a.dtype.float(), a.dtype.size
	p.corners = make([]float64, k*p.axes)
	for i := range p.corners {
		from := i
		if turned {
			from = i%p.axes*k + i/p.axes
		}
		if p.corners[i] = get(a.data[from*size:]); !isPlace(p.corners[i]) {
			return nil, bad(file, "coordinate %d of instance %d is %v, which is no place on a "+
				"slide", i%p.axes, i/p.axes, p.corners[i])
		}
	}
	p.readSizes()
	return p, nil
}

// note adds a sentence about the file.
func (p *places) note(format string, args ...any) {
	p.notes = append(p.notes, p.file+": "+msg.Sprintf(format, args...))
}

// readSizes replaces x y width height by corners. Sizes differ less than places: the last two
// columns are sizes if they vary much less than their differences to the first two.
func (p *places) readSizes() {
	if p.axes != 4 || len(p.corners) < 8 {
		return
	}
	wide, sureWide := p.sizesLast(0)
	high, sureHigh := p.sizesLast(1)
	if !wide || !high || !sureWide && !sureHigh {
		return
	}
	for i := 0; i < len(p.corners); i += 4 {
		p.corners[i+2] += p.corners[i]
		p.corners[i+3] += p.corners[i+1]
	}
	p.note("its coordinates are read as x, y, width and height, because the last two differ less " +
		"from patch to patch than sizes of corners would")
}

// moreSpread is how many times as wide the range of differences must be as that of sizes.
const moreSpread = 2

// sizesLast reports whether the second column of an axis can be a size, and whether it is one for
// sure. Nothing is sure if places do not differ along the axis.
func (p *places) sizesLast(axis int) (can, sure bool) {
	var first, second, between []float64
	can = true
	for i := 0; i < len(p.corners); i += 4 {
		a, b := p.corners[i+axis], p.corners[i+2+axis]
		first, second, between = append(first, a), append(second, b), append(between, b-a)
		can = can && b > 0
	}
	spread := func(v []float64) float64 { return slices.Max(v) - slices.Min(v) }
	if spread(first) == 0 {
		return can, false
	}
	sure = spread(between) > moreSpread*spread(second)
	return can && sure, sure
}

// A layout is how places become rectangles: in pixels of level 0, or in micrometres if nobody
// states the micrometres of a pixel.
type layout struct {
	slide         core.Slide
	factor        float64 // lengths of the layout in a unit of coordinates
	width, height float64 // size of a patch at coordinates x y
	middle        bool    // coordinates are the middles of patches
	guessed       bool    // nothing states the size of a patch
}

// lay returns the layout of places on a ground, and adds notes on what nobody states.
func (p *places) lay(g ground, by placing) layout {
	l := layout{slide: g.slide, factor: g.unit.length, middle: g.middle}
	if by.unit.length > 0 {
		g.unit, g.stated, g.from = by.unit, "coords-unit", ""
		l.factor = g.unit.length
	}
	if by.mpp > 0 {
		l.slide.MPP = by.mpp
	} else if l.slide.MPP == 0 {
		l.slide.MPP = by.usualMPP
	}
	mpp := l.slide.MPP
	switch {
	case !g.unit.microns:
	case mpp > 0:
		l.factor /= mpp
	default:
		l.slide.Unit, l.slide.Width, l.slide.Height = core.Microns, 0, 0
	}
	l.guessed = p.axes == 2 && !p.size(&l, g, by)
	p.noteUnit(g, mpp, l.guessed)
	return l
}

// size sets the size of patches, and returns false if it is the distance between neighbours because
// nobody states it.
func (p *places) size(l *layout, g ground, by placing) bool {
	inMicrons, scale := l.slide.Unit == core.Microns, g.size.length
	switch {
	case g.size.microns && !inMicrons && l.slide.MPP > 0:
		scale /= l.slide.MPP
	case g.size.microns != inMicrons:
		scale = 0
	}
	l.width, l.height = g.width*scale, g.height*scale
	if by.side > 0 {
		l.width, l.height = float64(by.side), float64(by.side)
	}
	stated := l.width > 0 && l.height > 0
	if !stated {
		l.width = p.step() * l.factor
		l.height = l.width
	}
	if l.width == l.height {
		l.slide.PatchSize = wholeSide(l.width)
	}
	l.slide.Overlap = wholeSide(g.lap * l.width)
	if !stated && g.width > 0 {
		p.note("it states the size of a patch in another unit than the coordinates, so that the " +
			"usual distance between neighbours is used; slide-mpp states how many micrometres " +
			"a pixel of level 0 covers")
		return true
	}
	return stated
}

// noteUnit adds a note on the unit of coordinates, unless the file states pixels of level 0, and on
// the size of patches if it is guessed.
func (p *places) noteUnit(g ground, mpp float64, guessed bool) {
	const unit = "they are read as pixels of level 0"
	const size = "patches have the usual distance between neighbours"
	switch {
	case g.from != "":
		p.note("nothing states the unit of its coordinates; they are read as %s writes them, in "+
			"units of %s (coords-unit states another)", g.from, g.unit.String())
	case g.stated == "" && guessed:
		p.note("it does not say how large a patch is, nor in which unit its coordinates are; " +
			unit + ", and " + size + " (coords-unit and patch-size state others)")
		guessed = false
	case g.stated == "":
		p.note("it does not say in which unit its coordinates are; " + unit +
			" (coords-unit states another)")
	}
	if guessed {
		p.note("it does not say how large a patch is; " + size + " (patch-size states another)")
	}
	switch {
	case !g.unit.microns:
	case mpp > 0:
		p.note("its coordinates in micrometres become pixels of level 0, of %v micrometres", mpp)
	default:
		p.note("its coordinates are in micrometres, and so is the map, because nothing states " +
			"how many a pixel of level 0 covers (slide-mpp states it)")
	}
}

// boxes returns the rectangles of patches. Both of their corners are rounded to whole pixels, so
// that neighbours without a gap have none.
func (p *places) boxes(l layout) ([]image.Rectangle, error) {
	out := make([]image.Rectangle, len(p.corners)/p.axes)
	for i := range out {
		c := slices.Clone(p.corners[i*p.axes:][:p.axes])
		for axis := range c {
			c[axis] *= l.factor
		}
		if p.axes == 2 {
			if l.middle {
				c[0], c[1] = c[0]-l.width/2, c[1]-l.height/2
			}
			c = append(c, c[0]+l.width, c[1]+l.height)
		}
		var whole [4]int
		for axis, v := range c {
			if math.Abs(v) > math.MaxInt32 {
				return nil, bad(p.file, "the place of instance %d is %v pixels from the slide's "+
					"corner, which no slide has", i, v)
			}
			whole[axis] = int(math.Round(v))
		}
		if p.axes == 2 { // a patch smaller than a pixel is shown as one
			whole[2], whole[3] = max(whole[2], whole[0]+1), max(whole[3], whole[1]+1)
		}
		var err error
		if out[i], err = box(whole[:]); err != nil {
			return nil, bad(p.file, "the place of instance %d: %v", i, err)
		}
	}
	return out, nil
}
