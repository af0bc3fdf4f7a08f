package draw

import (
	"image"
	"image/color"
	"image/png"
	"io"
)

// A Scene is a drawing before it has pixels: a list of marks that are painted in their order, and
// the places of the instances. Lengths are pixels.
type Scene struct {
	Width, Height int
	Scale         int // pixels along each side of a layout pixel
	Marks         []Mark
	Cells         []Cell
	Names         []Name // with Options.NameWidth

	cache map[[2]int][]footprint // see painter
}

// A Kind says how a mark is painted.
type Kind int

// The kinds of marks.
const (
	Fill   Kind = iota // Colour over Rect, as opaque as Opacity says
	Pixels             // Scene.RGBA over Rect, as bright as Opacity says
	Grey               // less colour in Rect
	Strike             // a line across Rect, horizontal if it is three times as wide as high
	Text               // Text in Rect, in letters of equal width
)

// Kinds are the names of the kinds of marks.
var Kinds = []string{Fill: "fill", Pixels: "pixels", Grey: "grey", Strike: "strike", Text: "text"}

// A Mark is a part of a scene.
type Mark struct {
	Kind    Kind
	Rect    image.Rectangle
	Colour  color.RGBA // opaque
	Opacity float64    // 0 to 1
	Text    string

	source *raster // of Pixels
}

// OwnCell is the Class of a cell that shows an instance instead of a score.
const OwnCell = -1

// A Cell is the rectangle of an instance in a picture, in pixels of the picture. Cells of one class
// do not overlap, unless the patches of an overlay do; the later instance is then on top.
type Cell struct {
	Instance int
	Class    int // OwnCell for the instance itself
	Rect     image.Rectangle
}

// A Name is the rectangle that a scene leaves to the name of a class, in pixels of the picture.
type Name struct {
	Class int
	Above bool // above a column, not beside a row
	Rect  image.Rectangle
}

// bounds returns the rectangle of a scene.
func (s *Scene) bounds() image.Rectangle { return image.Rect(0, 0, s.Width, s.Height) }

// Picture paints a scene. Equal scenes give equal pixels.
func (s *Scene) Picture() *image.RGBA {
	p := s.painter(s.bounds())
	for i := range s.Marks {
		p.paint(&s.Marks[i])
	}
	return p.RGBA
}

// EncodePNG writes the picture of a scene as PNG. Equal scenes give equal bytes.
func (s *Scene) EncodePNG(w io.Writer) error { return png.Encode(w, s.Picture()) }

// RGBA returns the pixels of a mark of kind Pixels at full brightness, four bytes each, row by row.
func (s *Scene) RGBA(m *Mark) []byte {
	p := s.painter(image.Rectangle{Max: m.Rect.Size()})
	p.sample(p.Rect, *m.source)
	return p.Pix
}

// painter returns a painter of transparent pixels.
func (s *Scene) painter(r image.Rectangle) *painter {
	if s.cache == nil {
		s.cache = map[[2]int][]footprint{}
	}
	return &painter{image.NewRGBA(r), s.Scale, s.cache}
}
