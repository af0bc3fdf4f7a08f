package slide

import (
	"cmp"
	"encoding/xml"
	"image"
	"math"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// leicaSpace is how the name space of the description of Leica's scanners begins.
const leicaSpace = "http://www.leica-microsystems.com/scn"

// A leicaGlass is what the description says of a glass: its size, and pictures of parts of it in
// nanometres. Of focal planes and channels the first is read.
type leicaGlass struct {
	Width  float64      `xml:"sizeX,attr"`
	Height float64      `xml:"sizeY,attr"`
	Images []leicaImage `xml:"image"`
}

type leicaSize struct {
	Width  int `xml:"sizeX,attr"`
	Height int `xml:"sizeY,attr"`
	IFD    int `xml:"ifd,attr"`
	Plane  int `xml:"z,attr"`
	Colour int `xml:"c,attr"`
}

type leicaImage struct {
	Sizes []leicaSize `xml:"pixels>dimension"`
	View  struct {
		Width  float64 `xml:"sizeX,attr"`
		Height float64 `xml:"sizeY,attr"`
		Left   float64 `xml:"offsetX,attr"`
		Top    float64 `xml:"offsetY,attr"`
	} `xml:"view"`
	Objective float64 `xml:"scanSettings>objectiveSettings>objective"`
	Light     string  `xml:"scanSettings>illuminationSettings>illuminationSource"`
}

// readLeica reads a slide of Leica (SCN). Pixels are those of the whole glass, as OpenSlide counts
// them, so that places of other programs fit: parts of it that were not scanned are white. The
// picture of the whole glass is the macro.
func (s *Slide) readLeica(list []*directory, description string) error {
	s.Format = "Leica"
	decoder := xml.NewDecoder(strings.NewReader(description))
	decoder.CharsetReader = eightBits
	var file struct {
		Glass leicaGlass `xml:"collection"`
	}
	if err := decoder.Decode(&file); err != nil {
		return because(err, s.name, "its description cannot be read")
	}
	glass := file.Glass
	var areas []leicaImage // scanned parts
	for _, m := range glass.Images {
		m.Sizes = slices.DeleteFunc(m.Sizes, func(d leicaSize) bool {
			return d.Plane != 0 || d.Colour != 0
		})
		for _, d := range m.Sizes {
			if d.IFD < 0 || d.IFD >= len(list) || d.Width < 1 {
				return bad(s.name, "its description names the picture %d, but the file holds %d",
					d.IFD, len(list))
			}
		}
		v := m.View
		switch whole := v.Left == 0 && v.Top == 0 && v.Width == glass.Width &&
			v.Height == glass.Height; {
		case len(m.Sizes) == 0:
		case whole && len(glass.Images) > 1:
			s.associate("macro", list[m.Sizes[0].IFD])
		case m.Light != "" && m.Light != "brightfield":
			return unsupported(s.name, "pictures of Leica in the light "+msg.Line(m.Light),
				byVips+convert)
		default:
			areas = append(areas, m)
		}
	}
	return s.addAreas(list, glass, areas)
}

// addAreas appends the levels of the glass. All areas must have the same.
func (s *Slide) addAreas(list []*directory, glass leicaGlass, areas []leicaImage) error {
	if len(areas) == 0 || len(areas) > mostAreas {
		return bad(s.name, "it has %d scanned parts; from 1 to %d are read", len(areas), mostAreas)
	}
	first := areas[0]
	s.Magnification = first.Objective
	for n := range first.Sizes {
		nm := first.View.Width / float64(first.Sizes[n].Width) // one pixel
		g := &glassLevel{slide: s}
		for _, a := range areas {
			if n >= len(a.Sizes) {
				return bad(s.name, "its scanned parts have other levels")
			}
			if other := a.View.Width / float64(a.Sizes[n].Width); !(math.Abs(other-nm) <= nm/100) {
				return bad(s.name, "pixels of its scanned parts cover %v and %v nm", nm, other)
			}
			l, err := layoutOf(list[a.Sizes[n].IFD], "a scanned part")
			if err != nil {
				return err
			}
			left, top := math.Round(a.View.Left/nm), math.Round(a.View.Top/nm)
			if !(left >= 0 && top >= 0 && left < 1<<31 && top < 1<<31) {
				return bad(s.name, "a scanned part lies outside of the glass")
			}
			g.areas = append(g.areas, glassArea{l, image.Pt(int(left), int(top))})
		}
		wide, high := math.Ceil(glass.Width/nm), math.Ceil(glass.Height/nm)
		base := g.areas[0].layout
		across, down := wide/float64(base.block.X), high/float64(base.block.Y)
		if !(wide >= 1 && high >= 1 && wide < 1<<31 && high < 1<<31 && across*down <= mostGrid) {
			return bad(s.name, "the glass has %v x %v pixels in blocks of %d x %d", wide, high,
				base.block.X, base.block.Y)
		}
		if s.MicronsX == 0 {
			s.MicronsX, s.MicronsY = nm/1000, nm/1000
			s.bound(g.areas)
		}
		if err := s.addLayout(&layout{directory: base.directory, what: "a level", tiled: true,
			width: int(wide), height: int(high), block: base.block, samples: base.samples,
			bits: base.bits, photometric: base.photometric, tile: g.tile}); err != nil {
			return err
		}
	}
	if n := len(s.Levels); n == 0 {
		return bad(s.name, "it has no level")
	}
	slices.SortStableFunc(s.Levels, func(a, b Level) int { return cmp.Compare(b.Width, a.Width) })
	return nil
}

// bound sets Bounds.
func (s *Slide) bound(areas []glassArea) {
	for _, a := range areas {
		s.Bounds = s.Bounds.Union(image.Rect(0, 0, a.layout.width, a.layout.height).Add(a.at))
	}
}

// mostAreas bounds the scanned parts of a glass.
const mostAreas = 64

// A glassLevel is a level of a glass of which parts were scanned.
type glassLevel struct {
	slide *Slide
	areas []glassArea
}

// A glassArea is a scanned part with its place in the level.
type glassArea struct {
	layout *layout
	at     image.Point
}

// tile returns the pixels of a block of the glass, or nil where nothing was scanned. Of parts that
// lie over each other the last one is on top.
func (g *glassLevel) tile(column, row int) (*image.RGBA, error) {
	size := g.areas[0].layout.block
	at := image.Pt(column*size.X, row*size.Y)
	return g.slide.collage(image.Rectangle{at, at.Add(size)}, func(yield func(part) bool) {
		for _, a := range g.areas {
			whole := image.Rect(0, 0, a.layout.width, a.layout.height)
			if !yield(part{a.layout, whole, a.at}) {
				return
			}
		}
	})
}
