package annotation

import (
	"context"
	"image"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/geojson"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/msg"
)

// An Area is a part of a slide that a file marks: polygons in pixels of level 0, or a mask over the
// whole slide.
type Area struct {
	Name string // name of its file

	regions []geojson.Region
	mask    *slide.Mask // a mask without a scale; nil for polygons
	clean   bool        // the mask is one of GrandQC
}

// ReadArea reads annotations, see [Read], or a mask: a PNG or TIFF picture of the whole slide at
// any scale, in which everything that is not black is marked, or clean tissue if GrandQC wrote it.
// It reserves what it holds in the
// Memory of ctx, which ends it. It returns a *geojson.FormatError for a file that is neither, for a
// picture with too many colours for a mask, and for a mask that is all black, and errors of
// slide.Open.
func ReadArea(ctx context.Context, file string, data []byte) (*Area, error) {
	a := &Area{Name: file}
	var err error
	if IsPicture(data) {
		a.mask, a.clean, err = readMask(ctx, file, data)
	} else {
		a.regions, _, err = Read(file, data)
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// mostStretched is the part by which the sides of a mask may differ from those of the slide, beside
// the rounding of both: some programs crop slides to whole tiles.
const mostStretched = 0.01

// Mask returns the area of a slide. A mask keeps its pixels, and shows all of level 0 unless the
// slide's Origin is its bounds, or only they have its shape; polygons are
// drawn on wide pixels across: those whose middle lies inside are marked. It returns a
// *geojson.FormatError for a mask of another shape than the slide, and for polygons with too many
// lines.
func (a *Area) Mask(s *core.Slide, wide int) (*slide.Mask, error) {
	if a.mask == nil {
		on := &Area{Name: a.Name}
		for _, r := range a.regions {
			on.regions = append(on.regions, r.On(s))
		}
		return on.drawn(image.Pt(s.Width, s.Height), wide)
	}
	shown := []image.Rectangle{image.Rect(0, 0, s.Width, s.Height)}
	if bounds := image.Rect(0, 0, s.BoundsWidth, s.BoundsHeight).Add(
		image.Pt(s.BoundsX, s.BoundsY)); s.Origin != core.Canvas && !bounds.Empty() {
		shown = append(shown, bounds)
	}
	if s.Origin == core.Bounds {
		slices.Reverse(shown)
	}
	for _, part := range shown {
		m, size := *a.mask, part.Size()
		m.Corner, m.Scale = part.Min, float64(size.X)/float64(m.Width)
		off := math.Abs(float64(size.Y) - float64(m.Height)*m.Scale)
		if off <= max(1.5*m.Scale, mostStretched*float64(size.Y)) {
			return &m, nil
		}
	}
	return nil, &geojson.FormatError{File: a.Name, Reason: msg.Sprintf("it is a mask of %d x "+
		"%d pixels, and the slide has %d x %d, which is another shape; use the mask of this "+
		"slide, of its whole picture", a.mask.Width, a.mask.Height, s.Width, s.Height)}
}

// Note says in a sentence how the file was read, "" for what is usual.
func (a *Area) Note() string {
	if !a.clean {
		return ""
	}
	return msg.Sprintf("%s is read as a mask of GrandQC: its clean tissue stays.", a.Name)
}

// Taken says where that lies which TakeFrom takes, as in "in pen.xml".
func (a *Area) Taken() string {
	if a.clean {
		return msg.Sprintf("outside of the clean tissue of %s", a.Name)
	}
	return msg.Sprintf("in %s", a.Name)
}

// TakeFrom returns what the area, as one of no tissue, leaves of a mask, see [Area.Mask]. A mask of
// GrandQC takes all but clean tissue.
func (a *Area) TakeFrom(m *slide.Mask, s *core.Slide, wide int) (*slide.Mask, error) {
	marked, err := a.Mask(s, wide)
	if err != nil {
		return nil, err
	}
	out := m.Without(marked)
	if a.clean {
		out = m.Without(out)
	}
	return out, nil
}

// mostSteps bounds the work of drawing polygons: rows that lines cross, and pixels of holes.
const mostSteps int64 = 1 << 31

// drawn returns the mask of polygons.
func (a *Area) drawn(size image.Point, wide int) (*slide.Mask, error) {
	scale := float64(size.X) / float64(wide)
	m := &slide.Mask{Width: wide, Height: max(1, int(math.Round(float64(size.Y)/scale))),
		Scale: scale}
	m.Tissue = make([]bool, m.Width*m.Height)
	inside, hole := newFill(m), newFill(m)
	for _, r := range a.regions {
		inside.add(r.Rings)
		for i := range r.Holes {
			hole.add(r.Holes[i : i+1])
			hole.each(func(at int) { inside.marked[at] = false })
		}
		inside.each(func(at int) { m.Tissue[at] = true })
		if inside.steps+hole.steps > mostSteps {
			return nil, &geojson.FormatError{File: a.Name, Reason: "its annotations have too " +
				"many lines to be drawn on the slide; simplify them"}
		}
	}
	return m, nil
}

// A fill marks the pixels of a mask inside of rings.
type fill struct {
	width, height int
	scale         float64
	marked        []bool // (height, width)
	from, to      int    // rows with marks
	steps         int64
}

func newFill(m *slide.Mask) *fill {
	f := &fill{width: m.Width, height: m.Height, scale: m.Scale}
	f.marked = make([]bool, m.Width*m.Height)
	f.from, f.to = m.Height, 0
	return f
}

// add marks the pixels whose middle lies inside of an odd number of rings. Each line turns the
// pixels to the left of it: first only the last one of them is turned, then turns are summed from
// the right.
func (f *fill) add(rings []geojson.Ring) {
	for p, q := range geojson.Lines(rings) {
		if f.steps > mostSteps {
			return
		}
		low, high := f.before(min(p.Y, q.Y), f.height), f.before(max(p.Y, q.Y), f.height)
		for row := low; row < high; row++ {
			y := (float64(row) + .5) * f.scale
			// The middles of this many pixels lie to the left of the line.
			if n := f.before(p.X+(y-p.Y)*(q.X-p.X)/(q.Y-p.Y), f.width); n > 0 {
				at := row*f.width + n - 1
				f.marked[at] = !f.marked[at]
			}
		}
		if low < high {
			f.from, f.to = min(f.from, low), max(f.to, high)
		}
		f.steps += int64(1 + high - low)
	}
	for row := f.from; row < f.to; row++ {
		line := f.marked[row*f.width:][:f.width]
		for x := f.width - 2; x >= 0; x-- {
			line[x] = line[x] != line[x+1]
		}
	}
}

// before returns how many pixels, of n in a line, have their middle before a place of level 0.
func (f *fill) before(place float64, n int) int {
	at := int(min(max(math.Round(place/f.scale), 0), float64(n)))
	middle := func(i int) float64 { return (float64(i) + .5) * f.scale }
	for at > 0 && middle(at-1) >= place {
		at--
	}
	for at < n && middle(at) < place {
		at++
	}
	return at
}

// each calls do with each marked pixel, and clears the marks.
func (f *fill) each(do func(at int)) {
	for at := f.from * f.width; at < f.to*f.width; at++ {
		if f.marked[at] {
			do(at)
			f.marked[at] = false
		}
	}
	f.steps += int64(max(0, f.to-f.from)) * int64(f.width)
	f.from, f.to = f.height, 0
}
