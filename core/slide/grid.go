package slide

import (
	"cmp"
	"fmt"
	"image"
	"math"

	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/msg"
	"golang.org/x/image/draw"
)

// GridOptions are the settings of [Slide.Grid].
type GridOptions struct {
	PatchSize int     // side of a patch in pixels, as the encoder takes it; required
	Microns   float64 // microns that a pixel of a patch covers; 0 takes the pixels of level 0
	Overlap   int     // pixels of a patch that the next one repeats
	// Smallest part of a patch, 0..1, that must be tissue. With 0, patches without any tissue are
	// left out, too.
	MinTissue float64
	// Most patches, default 2^22.
	Most int
}

// mostGrid is the default of GridOptions.Most.
const mostGrid = 1 << 22

// A Grid is a list of patches of a slide.
type Grid struct {
	// Where patches lie in level 0, row by row. Those at the right and lower side reach over it.
	Boxes      []image.Rectangle
	PatchSize  int // side of a patch in pixels
	Side, Step int // side of a patch, and distance to the next, in pixels of level 0
	Level      int // level that pixels are read from
	slide      *Slide
	atLevel    int // side of a patch in pixels of Level
}

// Grid places patches over the tissue, or over the whole slide if mask is nil. Places and sizes are
// those of TRIDENT's grid, see METHODS section 9: multiples of the step from the slide's corner,
// where a patch has round(PatchSize * Microns / microns of level 0) pixels of level 0.
//
// It returns an *[OptionError] for a setting that cannot hold, such as microns for a slide that
// does not state its own, or if there are too many patches.
func (s *Slide) Grid(mask *Mask, o GridOptions) (*Grid, error) {
	scale, err := s.scale(o)
	if err != nil {
		return nil, err
	}
	side := int(math.RoundToEven(float64(o.PatchSize) * scale))
	step := side - int(math.RoundToEven(float64(o.Overlap)*scale))
	if side < 1 || step < 1 {
		return nil, &OptionError{"patch size", fmt.Sprintf("a patch has %d pixels of level 0, and "+
			"the next one begins %d pixels after it", side, step)}
	}
	base := s.Levels[0]
	across, down := (base.Width-1)/step+1, (base.Height-1)/step+1
	most := cmp.Or(o.Most, mostGrid)
	if across > most/down {
		return nil, &OptionError{"patch size", fmt.Sprintf("%d x %d patches of %d pixels of "+
			"level 0 cover the slide; the limit is %d", across, down, side, most)}
	}
	g := &Grid{PatchSize: o.PatchSize, Side: side, Step: step, slide: s,
		Level: s.levelFor(scale)}
	g.atLevel = max(1, int(math.Round(float64(side)/s.Levels[g.Level].Downsample)))
	var share *shares
	if mask != nil {
		share = newShares(mask)
	}
	for row := range down {
		for column := range across {
			at := image.Pt(column*step, row*step)
			box := image.Rectangle{at, at.Add(image.Pt(side, side))}
			if share != nil {
				if part := share.of(box); part == 0 || part < o.MinTissue-rounding {
					continue
				}
			}
			g.Boxes = append(g.Boxes, box)
		}
	}
	return g, nil
}

// GridAt returns patches of PatchSize pixels at places that something else has laid: boxes of level
// 0, squares of one size. step is the distance from one to the next, for what is said of them.
//
// It returns an *[OptionError] for boxes of several sizes, and for one that lies beside the slide.
func (s *Slide) GridAt(boxes []image.Rectangle, step int, o GridOptions) (*Grid, error) {
	wrong := func(reason string, args ...any) (*Grid, error) {
		return nil, &OptionError{"places", msg.Sprintf(reason, args...)}
	}
	if most := cmp.Or(o.Most, mostGrid); len(boxes) == 0 || len(boxes) > most {
		return wrong("there are %d; a slide may have from 1 to %d", len(boxes), most)
	}
	side, base := boxes[0].Dx(), s.Levels[0]
	whole := image.Rect(0, 0, base.Width, base.Height)
	for i, b := range boxes {
		if b.Dx() != side || b.Dy() != side {
			return wrong("patch %d has %d x %d pixels of level 0, and patch 0 has %d across; all "+
				"must be squares of one size", i, b.Dx(), b.Dy(), side)
		}
		if !b.Overlaps(whole) {
			return wrong("patch %d lies at %d, %d, beside the slide of %d x %d pixels; use the "+
				"places of this slide, in pixels of its full resolution", i, b.Min.X, b.Min.Y,
				base.Width, base.Height)
		}
	}
	scale := float64(side) / float64(o.PatchSize)
	if scale < 1/16. || scale > 1<<16 {
		return wrong("patches have %d pixels of level 0, and the encoder takes %d", side,
			o.PatchSize)
	}
	g := &Grid{PatchSize: o.PatchSize, Side: side, Step: max(1, step), slide: s, Boxes: boxes,
		Level: s.levelFor(scale)}
	g.atLevel = max(1, int(math.Round(float64(side)/s.Levels[g.Level].Downsample)))
	return g, nil
}

// mostStretched is how many times as high as wide the pixels of a slide may be, or as wide as high.
const mostStretched = 1.1

// scale returns the pixels of level 0 that a pixel of a patch covers, and checks the settings.
func (s *Slide) scale(o GridOptions) (float64, error) {
	switch {
	case o.PatchSize < 1 || o.PatchSize > 1<<13:
		return 0, &OptionError{"patch size", fmt.Sprintf("it is %d pixels, but must be from 1 to "+
			"8192", o.PatchSize)}
	case o.Overlap < 0 || o.Overlap >= o.PatchSize:
		return 0, &OptionError{"overlap", fmt.Sprintf("it is %d pixels, but must be from 0 to "+
			"less than the patch size of %d", o.Overlap, o.PatchSize)}
	case !(o.MinTissue >= 0 && o.MinTissue <= 1):
		return 0, &OptionError{"smallest part of tissue", msg.Sprintf("it is %v, but must be "+
			"from 0 to 1", o.MinTissue)}
	case o.Microns == 0:
		return 1, nil
	case !(o.Microns > 0) || math.IsInf(o.Microns, 1):
		return 0, &OptionError{"microns a pixel", msg.Sprintf("it is %v, but must be positive",
			o.Microns)}
	case s.MicronsX == 0:
		return 0, &OptionError{"microns a pixel", msg.Sprintf("%s does not state the microns of "+
			"its own pixels; state them by slide-mpp, or take 0 microns, so that patches have "+
			"the pixels of level 0", s.name)}
	case s.MicronsY > 0 && max(s.MicronsX/s.MicronsY, s.MicronsY/s.MicronsX) > mostStretched:
		return 0, &OptionError{"microns a pixel", msg.Sprintf("the pixels of %s cover %v x %v "+
			"microns, but patches have square ones; give the patch size in pixels of level 0 "+
			"instead", s.name, s.MicronsX, s.MicronsY)}
	}
	scale := o.Microns / s.MicronsX
	if scale < 1/16. || scale > 1<<16 {
		return 0, &OptionError{"microns a pixel", msg.Sprintf("it is %v, but those of the slide "+
			"are %v", o.Microns, s.MicronsX)}
	}
	return scale, nil
}

// An OptionError reports a setting that is invalid, or that does not fit the slide.
type OptionError struct {
	Option string
	Reason string
}

// Error returns the setting and the reason.
func (e *OptionError) Error() string {
	return msg.Sprintf("%s: %s", e.Option, msg.Text(e.Reason))
}

// Kind returns "setting".
func (e *OptionError) Kind() string { return kind.Setting }

// source returns the rectangle of g.Level that a patch shows.
func (g *Grid) source(i int) image.Rectangle {
	down := g.slide.Levels[g.Level].Downsample
	// Sides of levels are rounded, so that a level of half the size can be 2.0003 times smaller:
	// pixel 128 lies at 63.99.
	at := image.Pt(int(math.Round(float64(g.Boxes[i].Min.X)/down)),
		int(math.Round(float64(g.Boxes[i].Min.Y)/down)))
	return image.Rectangle{at, at.Add(image.Pt(g.atLevel, g.atLevel))}
}

// Patch returns the pixels of a patch, opaque RGB of PatchSize x PatchSize. They are read from the
// smallest level that is at least as fine, and interpolated if its pixels have another size. Errors
// are those of [Slide.Region].
func (g *Grid) Patch(i int) (*image.RGBA, error) {
	m, err := g.slide.Region(g.Level, g.source(i))
	if err != nil || g.atLevel == g.PatchSize {
		return m, err
	}
	out := image.NewRGBA(image.Rect(0, 0, g.PatchSize, g.PatchSize))
	draw.BiLinear.Scale(out, out.Rect, m, m.Rect, draw.Src, nil)
	return out, nil
}

// A shares is the summed-area table of a mask (Crow 1984). It returns the part of any box that is
// tissue from four entries.
type shares struct {
	*Mask
	sums []uint32 // (height+1, width+1): tissue above and to the left
}

func newShares(m *Mask) *shares {
	s := &shares{m, make([]uint32, (m.Width+1)*(m.Height+1))}
	for y := range m.Height {
		var row uint32
		for x := range m.Width {
			if m.Tissue[y*m.Width+x] {
				row++
			}
			s.sums[(y+1)*(m.Width+1)+x+1] = s.sums[y*(m.Width+1)+x+1] + row
		}
	}
	return s
}

// rounding bounds the error of a part.
const rounding = 1e-9

// of returns the part of a box of level 0 that is tissue. Outside of the mask is none.
func (s *shares) of(box image.Rectangle) float64 {
	box = box.Sub(s.Corner)
	area := s.until(box.Max.X, box.Max.Y) - s.until(box.Min.X, box.Max.Y) -
		s.until(box.Max.X, box.Min.Y) + s.until(box.Min.X, box.Min.Y)
	part := area * s.Scale * s.Scale / float64(box.Dx()) / float64(box.Dy())
	if part < rounding {
		return 0
	}
	return min(part, 1)
}

// until returns the area of tissue, in pixels of the mask, above and to the left of a place, in
// pixels of level 0 from its corner. Pixels that the place divides count in part.
func (s *shares) until(x, y int) float64 {
	fx := min(float64(max(x, 0))/s.Scale, float64(s.Width))
	fy := min(float64(max(y, 0))/s.Scale, float64(s.Height))
	column, row := min(int(fx), s.Width-1), min(int(fy), s.Height-1)
	dx, dy := fx-float64(column), fy-float64(row)
	at := func(c, r int) float64 { return float64(s.sums[r*(s.Width+1)+c]) }
	return (1-dx)*(1-dy)*at(column, row) + dx*(1-dy)*at(column+1, row) +
		(1-dx)*dy*at(column, row+1) + dx*dy*at(column+1, row+1)
}
