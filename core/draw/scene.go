package draw

import (
	"image"
	"image/color"
	"image/png"
	"io"
	"slices"
)

// A Scene is a drawing before it has pixels: a list of marks that are painted in their order, and
// the places of the instances. Lengths are pixels.
type Scene struct {
	Width, Height int
	Scale         int // pixels along each side of a layout pixel
	Marks         []Mark
	Cells         []Cell
	Names         []Name // with Options.NameWidth

	cache   map[[2]int][]footprint // see painter
	letters Letters                // of Options
}

// A Kind says how a mark is painted.
type Kind int

// The kinds of marks.
const (
	Fill   Kind = iota // Colour over Rect, as opaque as Opacity says
	Pixels             // Scene.AppendRGBA in Rect, mixed with Colour if Opacity is below 1
	Grey               // Rect loses as much of its colour as Opacity says
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
// do not overlap, unless patches do; the later cell is then on top.
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
	p := s.painter(image.NewRGBA(s.bounds()))
	for i := range s.Marks {
		p.paint(&s.Marks[i])
	}
	return p.RGBA
}

// EncodePNG writes the picture of a scene as PNG. Equal scenes give equal bytes.
func (s *Scene) EncodePNG(w io.Writer) error { return png.Encode(w, s.Picture()) }

// AppendRGBA appends the pixels of a mark of kind Pixels, four bytes each, row by row.
func (s *Scene) AppendRGBA(dst []byte, m *Mark) []byte {
	width, height := m.Rect.Dx(), m.Rect.Dy()
	n := len(dst)
	dst = slices.Grow(dst, 4*width*height)[:n+4*width*height]
	to := &image.RGBA{Pix: dst[n:], Stride: 4 * width, Rect: image.Rect(0, 0, width, height)}
	s.painter(to).sample(to.Rect, *m.source)
	return dst
}

// painter returns a painter of a picture.
func (s *Scene) painter(m *image.RGBA) *painter {
	if s.cache == nil {
		s.cache = map[[2]int][]footprint{}
	}
	return &painter{m, s.Scale, s.cache, s.letter}
}
