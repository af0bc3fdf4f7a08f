package slide

import (
	"cmp"
	"image"
	"image/draw"

	"github.com/bagscope/bagscope/internal/msg"
)

// Tile returns the block in a column and row of a level's grid, as opaque RGB. At the right and
// lower side it has the pixels that the level has. It must not be changed. Errors are those of
// [Open]; a place outside of the grid is a *[FormatError].
func (s *Slide) Tile(level, column, row int) (*image.RGBA, error) {
	if level < 0 || level >= len(s.Levels) {
		return nil, bad(s.name, "it has no level %d; the levels are 0 to %d",
			level, len(s.Levels)-1)
	}
	l := s.Levels[level].layout
	across, down := l.grid()
	if column < 0 || row < 0 || column >= across || row >= down {
		return nil, bad(s.name, "level %d has %d x %d tiles and none at column %d of row %d", level,
			across, down, column, row)
	}
	return s.blocks.get(blockKey{l, column, row})
}

// Region returns the pixels of a rectangle of a level, as opaque RGB, with its upper left corner at
// (0, 0). Outside of the level, and where the scanner stored no pixels, it is white, as glass is.
// Errors are those of [Open]; a region of more than Options.Pixels is a *[LimitError].
func (s *Slide) Region(level int, r image.Rectangle) (*image.RGBA, error) {
	if level < 0 || level >= len(s.Levels) {
		return nil, bad(s.name, "it has no level %d; the levels are 0 to %d",
			level, len(s.Levels)-1)
	}
	return s.region(s.Levels[level].layout, r)
}

// Picture returns all pixels of a picture beside the tissue. Errors are those of Region.
func (s *Slide) Picture(a Associated) (*image.RGBA, error) {
	return s.region(a.layout, image.Rect(0, 0, a.Width, a.Height))
}

func (s *Slide) region(l *layout, r image.Rectangle) (*image.RGBA, error) {
	if r = r.Canon(); r.Empty() {
		return image.NewRGBA(image.Rectangle{}), nil
	}
	if wide, high := int64(r.Dx()), int64(r.Dy()); wide <= 0 || high <= 0 || high > s.most/wide {
		return nil, tooLarge(s.name, msg.Sprintf("the region of %s", l.what), wide, high,
			s.most)
	}
	get := s.blocks.get
	whole := r == image.Rect(0, 0, l.width, l.height)
	switch across, down := l.grid(); {
	case whole: // it needs each block once
		get = s.blocks.decode
		// A strip of all pixels is not copied. A tile can be larger than its picture.
		if across*down == 1 && !l.tiled {
			m, err := get(blockKey{l, 0, 0})
			return m, cmp.Or(err, l.checkDepth())
		}
	case l.isBlock(r): // viewers read blocks, and remember what they show
		get = s.blocks.once
	}
	out := image.NewRGBA(image.Rectangle{Max: r.Size()})
	draw.Draw(out, out.Rect, image.White, image.Point{}, draw.Src)
	inside := r.Intersect(image.Rect(0, 0, l.width, l.height))
	if inside.Empty() {
		return out, nil
	}
	last := inside.Max.Sub(image.Pt(1, 1))
	for row := inside.Min.Y / l.block.Y; row <= last.Y/l.block.Y; row++ {
		for column := inside.Min.X / l.block.X; column <= last.X/l.block.X; column++ {
			block, err := get(blockKey{l, column, row})
			if err != nil {
				return nil, err
			}
			at := l.rect(column, row).Min
			where := image.Rectangle{at, at.Add(block.Rect.Size())}.Intersect(inside)
			draw.Draw(out, where.Sub(r.Min), block, where.Min.Sub(at), draw.Src)
		}
	}
	if whole {
		return out, l.checkDepth()
	}
	return out, nil
}
