package slide

import (
	"image"
	"iter"
)

// A part is a rectangle of a stored picture with the place of its first pixel in a level.
type part struct {
	layout *layout
	from   image.Rectangle
	at     image.Point
}

// collage returns the pixels of a block of a level that consists of parts, or nil where none lies.
// Of parts that lie over each other the last one is on top.
func (s *Slide) collage(block image.Rectangle, parts iter.Seq[part]) (*image.RGBA, error) {
	var out *image.RGBA
	for p := range parts {
		shown := p.from.Add(p.at.Sub(p.from.Min)).Intersect(block)
		if shown.Empty() {
			continue
		}
		m, err := s.region(p.layout, shown.Add(p.from.Min.Sub(p.at)))
		if err != nil {
			return nil, err
		}
		if out == nil {
			work := &workspace{container: p.layout.container}
			defer work.end()
			if err := work.take(4 * int64(block.Dx()) * int64(block.Dy())); err != nil {
				return nil, err
			}
			out = copied(image.White, image.Rectangle{Max: block.Size()})
		}
		for y := range shown.Dy() {
			to := out.PixOffset(shown.Min.X-block.Min.X, shown.Min.Y-block.Min.Y+y)
			copy(out.Pix[to:to+4*shown.Dx()], m.Pix[y*m.Stride:])
		}
	}
	return out, nil
}
