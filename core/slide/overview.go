package slide

import (
	"context"
	"image"
	"image/draw"
)

// Overview returns the whole slide in a picture whose longer side has at most side pixels, and the
// pixels of level 0 across that one of its pixels covers. It averages the pixels of the smallest
// level that is large enough. A slide without small levels is decoded whole, block by block, so that
// it takes time but no more memory; ctx ends it.
//
// It returns ctx's error, or those of [Open].
func (s *Slide) Overview(ctx context.Context, side int) (*image.RGBA, float64, error) {
	base := s.Levels[0]
	scale := max(1, float64(max(base.Width, base.Height))/float64(max(side, 1)))
	from := s.Levels[s.levelFor(scale)]
	sums := newAverage(max(1, int(float64(base.Width)/scale)), max(1, int(float64(base.Height)/scale)),
		from.Width, from.Height)
	across, down := from.layout.grid()
	for row := range down {
		for column := range across {
			if err := ctx.Err(); err != nil {
				return nil, 0, err
			}
			block, err := s.blocks.decode(blockKey{from.layout, column, row})
			if err != nil {
				return nil, 0, err
			}
			sums.add(block, from.layout.rect(column, row).Min)
		}
	}
	return sums.picture(), float64(base.Width) / float64(sums.size.X), nil
}

// levelFor returns the smallest level whose pixels are no larger than scale pixels of level 0.
func (s *Slide) levelFor(scale float64) int {
	best := 0
	for i, l := range s.Levels {
		if l.Downsample <= scale*1.01 {
			best = i
		}
	}
	return best
}

// An average sums the pixels of a large picture that fall into those of a small one.
type average struct {
	size        image.Point
	wide, high  int      // sides of the large picture
	red, green  []uint64 // sums, row by row
	blue, count []uint64
}

func newAverage(width, height, wide, high int) *average {
	n := width * height
	return &average{image.Pt(width, height), wide, high, make([]uint64, n), make([]uint64, n),
		make([]uint64, n), make([]uint64, n)}
}

// add adds a block of the large picture whose upper left corner is at a place.
func (a *average) add(m *image.RGBA, at image.Point) {
	columns := make([]int, m.Rect.Dx()) // column of the small picture for each column of m
	for x := range columns {
		columns[x] = min((at.X+x)*a.size.X/a.wide, a.size.X-1)
	}
	for y := range m.Rect.Dy() {
		row := min((at.Y+y)*a.size.Y/a.high, a.size.Y-1) * a.size.X
		pixels := m.Pix[y*m.Stride:]
		for x, column := range columns {
			i, p := row+column, pixels[4*x:][:3]
			a.red[i] += uint64(p[0])
			a.green[i] += uint64(p[1])
			a.blue[i] += uint64(p[2])
			a.count[i]++
		}
	}
}

// picture returns the means.
func (a *average) picture() *image.RGBA {
	out := image.NewRGBA(image.Rectangle{Max: a.size})
	draw.Draw(out, out.Rect, image.White, image.Point{}, draw.Src)
	for i, n := range a.count {
		if n > 0 {
			p := out.Pix[4*i:][:3]
			p[0] = byte((a.red[i] + n/2) / n)
			p[1] = byte((a.green[i] + n/2) / n)
			p[2] = byte((a.blue[i] + n/2) / n)
		}
	}
	return out
}
