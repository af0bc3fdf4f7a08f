package slide

import (
	"context"
	"image"
	"image/draw"
)

// Overview returns the whole slide in a picture whose longer side has at most side pixels, and the
// pixels of level 0 across that one of its pixels covers. It averages the pixels of the smallest
// level that is large enough. A slide without small levels is decoded whole, block by block, so
// that it takes time but no more memory; ctx ends it.
//
// It returns ctx's error, or those of [Open].
func (s *Slide) Overview(ctx context.Context, side int) (*image.RGBA, float64, error) {
	base := s.Levels[0]
	scale := max(1, float64(max(base.Width, base.Height))/float64(max(side, 1)))
	from := s.Levels[s.levelFor(scale)]
	// Each pixel has some of the level's, whose sides may be rounded down or be 1 % smaller.
	sized := func(n, most int) int { return max(1, min(int(float64(n)/scale+.5), most)) }
	sums := newAverage(sized(base.Width, from.Width), sized(base.Height, from.Height), from)
	across, down := from.layout.grid()
	for row := range down {
		sums.complete(sums.rowOf(from.layout.rect(0, row).Min.Y))
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
	if err := from.layout.checkDepth(); err != nil {
		return nil, 0, err
	}
	sums.complete(sums.out.Rect.Dy())
	return sums.out, float64(base.Width) / float64(sums.out.Rect.Dx()), nil
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

// An average makes a small picture of a large one, whose blocks arrive row by row. It sums the
// pixels that fall into those rows of the small picture that are not complete.
type average struct {
	wide, high int // sides of the large picture
	out        *image.RGBA
	first      int         // row of out that sums begin with
	sums       [][4]uint64 // red, green, blue and their number, row by row
}

// newAverage returns the average of a level as a picture of a size.
func newAverage(width, height int, from Level) *average {
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(out, out.Rect, image.White, image.Point{}, draw.Src)
	a := &average{wide: from.Width, high: from.Height, out: out}
	if !a.same() {
		rows := min(height, from.TileHeight*height/from.Height+2) // that a row of blocks falls into
		a.sums = make([][4]uint64, 0, rows*width)
	}
	return a
}

// same reports whether both pictures have the same size, so that each pixel is its own mean.
func (a *average) same() bool { return a.out.Rect.Size() == image.Pt(a.wide, a.high) }

// rowOf returns the row of the small picture that a row of the large one falls into.
func (a *average) rowOf(y int) int { return min(y*a.out.Rect.Dy()/a.high, a.out.Rect.Dy()-1) }

// add adds a block of the large picture whose upper left corner is at a place.
func (a *average) add(m *image.RGBA, at image.Point) {
	if a.same() {
		draw.Draw(a.out, m.Rect.Add(at), m, image.Point{}, draw.Src)
		return
	}
	width := a.out.Rect.Dx()
	columns := make([]int, m.Rect.Dx()) // column of the small picture for each of the large one
	for x := range columns {
		columns[x] = min((at.X+x)*width/a.wide, width-1)
	}
	rows := a.rowOf(at.Y+m.Rect.Dy()-1) - a.first + 1
	if more := rows*width - len(a.sums); more > 0 {
		a.sums = append(a.sums, make([][4]uint64, more)...)
	}
	for y := range m.Rect.Dy() {
		row := a.sums[(a.rowOf(at.Y+y)-a.first)*width:]
		pixels := m.Pix[y*m.Stride:]
		for x, column := range columns {
			sum, p := &row[column], pixels[4*x:][:3]
			sum[0] += uint64(p[0])
			sum[1] += uint64(p[1])
			sum[2] += uint64(p[2])
			sum[3]++
		}
	}
}

// complete writes the means of all rows above a row of the small picture.
func (a *average) complete(row int) {
	width := a.out.Rect.Dx()
	done := min((row-a.first)*width, len(a.sums))
	for i, sum := range a.sums[:done] {
		if n := sum[3]; n > 0 {
			p := a.out.Pix[4*(a.first*width+i):][:3]
			for c := range p {
				p[c] = byte((sum[c] + n/2) / n)
			}
		}
	}
	a.sums = append(a.sums[:0], a.sums[done:]...)
	a.first = row
}
