package dicomtest

import (
	"image"
)

// Attributes of whole slides.
const (
	ImageType     Tag = 0x0008_0008
	Concatenation Tag = 0x0020_9161
	FrameOffset   Tag = 0x0020_9228
	Tiling        Tag = 0x0020_9311
	PixelSpacing  Tag = 0x0028_0030
	PixelMeasures Tag = 0x0028_9110
	MatrixColumns Tag = 0x0048_0006
	MatrixRows    Tag = 0x0048_0007
	OpticalPath   Tag = 0x0048_0105
	Objective     Tag = 0x0048_0112
	PlaneSlide    Tag = 0x0048_021a
	PlaneColumn   Tag = 0x0048_021e
	PlaneRow      Tag = 0x0048_021f
	OpticalPaths  Tag = 0x0048_0302
	FocalPlanes   Tag = 0x0048_0303
	Shared        Tag = 0x5200_9229
)

// WholeSlide is the class of whole slides.
const WholeSlide = "1.2.840.10008.5.1.4.1.1.77.1.6"

// Long writes an element of a 32-bit number.
func (w *Writer) Long(t Tag, vr string, v int) {
	w.Add(t, vr, w.order.AppendUint32(nil, uint32(v)))
}

// Sequence writes a sequence, and calls write for the content of each of its items.
func (w *Writer) Sequence(t Tag, items int, write func(i int)) {
	w.Head(t, "SQ", undefined)
	for i := range items {
		w.Head(Item, "", undefined)
		write(i)
		w.Head(ItemEnd, "", 0)
	}
	w.Head(SequenceEnd, "", 0)
}

// A SlideFile is a file of a whole slide, whose frames are tiles of a picture.
type SlideFile struct {
	Kind    string // "VOLUME"
	Picture *image.RGBA
	Tile    image.Point // size of a tile
	Series  string
	Spacing string        // mm of a pixel down and across, `0.0005\0.0005`
	Places  []image.Point // corners of the frames from (0, 0), if they state theirs
	Planes  int           // frames of the first are black, of the last white
	// Part is the UID of a concatenation. Frames are the first and the number of the frames that
	// the file has, if it does not have all.
	Part   string
	Frames [2]int
	Paths  int             // optical paths, if they are not 1
	More   func(w *Writer) // writes further attributes
}

// File returns the bytes of the file.
func (s SlideFile) File() []byte {
	size := s.Picture.Rect.Size()
	p := Picture{UID: Explicit, Photometric: "RGB", Width: s.Tile.X, Height: s.Tile.Y, Samples: 3,
		Allocated: 8, Stored: 8, High: 7, Class: WholeSlide}
	places := s.Places
	if places == nil {
		for y := 0; y < size.Y; y += s.Tile.Y {
			for x := 0; x < size.X; x += s.Tile.X {
				places = append(places, image.Pt(x, y))
			}
		}
	}
	planes := max(1, s.Planes)
	for plane := range planes {
		for _, at := range places {
			p.Pixels = append(p.Pixels, s.tile(at, plane, planes)...)
		}
	}
	p.Frames = len(places) * planes
	if s.Frames[1] > 0 {
		each := 3 * s.Tile.X * s.Tile.Y
		p.Frames = s.Frames[1]
		p.Pixels = p.Pixels[s.Frames[0]*each:][:p.Frames*each]
	}
	p.More = func(w *Writer) { s.attributes(w, size, len(places), planes) }
	return p.File()
}

// tile returns the samples of a tile. Outside of the picture it is green.
func (s SlideFile) tile(at image.Point, plane, planes int) []byte {
	var out []byte
	for y := range s.Tile.Y {
		for x := range s.Tile.X {
			p := image.Pt(at.X+x, at.Y+y)
			switch c := s.Picture.RGBAAt(p.X, p.Y); {
			case plane != (planes-1)/2:
				v := byte(255 * plane / (planes - 1))
				out = append(out, v, v, v)
			case p.In(s.Picture.Rect):
				out = append(out, c.R, c.G, c.B)
			default:
				out = append(out, 0, 255, 0)
			}
		}
	}
	return out
}

// attributes writes what makes the file one of a slide.
func (s SlideFile) attributes(w *Writer, size image.Point, places, planes int) {
	w.Text(ImageType, "CS", `DERIVED\PRIMARY\`+s.Kind+`\NONE`)
	w.Text(Series, "UI", s.Series)
	if s.Part != "" {
		w.Text(Concatenation, "UI", s.Part)
		w.Long(FrameOffset, "UL", s.Frames[0])
	}
	w.Long(MatrixColumns, "UL", size.X)
	w.Long(MatrixRows, "UL", size.Y)
	w.Sequence(OpticalPath, max(1, s.Paths), func(int) { w.Text(Objective, "DS", "20") })
	w.Sequence(Shared, 1, func(int) {
		w.Sequence(PixelMeasures, 1, func(int) { w.Text(PixelSpacing, "DS", s.Spacing) })
	})
	if s.Places == nil {
		w.Text(Tiling, "CS", "TILED_FULL")
		w.Long(OpticalPaths, "UL", max(1, s.Paths))
		w.Long(FocalPlanes, "UL", planes)
	} else {
		w.Text(Tiling, "CS", "TILED_SPARSE")
		w.Sequence(PerFrame, places*planes, func(i int) {
			at := s.Places[i%places]
			w.Sequence(PlaneSlide, 1, func(int) {
				w.Long(PlaneColumn, "SL", at.X+1)
				w.Long(PlaneRow, "SL", at.Y+1)
			})
		})
	}
	if s.More != nil {
		s.More(w)
	}
}
