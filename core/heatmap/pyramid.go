package heatmap

import (
	"cmp"
	"context"
	"image"
	"image/color"
	"slices"

	"github.com/bagscope/bagscope/core/draw"
)

// A level of a pyramid has this size; tiles at its right and lower side are smaller.
type level struct{ width, height int }

// levels returns the sizes of the levels, the full resolution first: each has half of the one
// before, rounded up, and the last one has at most side pixels across and down.
func (m *Map) levels(side int) []level {
	list := []level{{m.Width, m.Height}}
	for last := list[0]; max(last.width, last.height) > side; list = append(list, last) {
		last = level{(last.width + 1) / 2, (last.height + 1) / 2}
	}
	return list
}

// A pyramid draws the tiles of one class from the full resolution up.
type pyramid struct {
	*Map
	ctx    context.Context
	shades draw.Shades
	rank   []int // (instance) patches of higher rank are drawn over others
	sizes  []level
	done   func() // is called after each tile
	// emit gets every tile once, and must not keep its pixels. Tiles without a patch are nil.
	emit func(level, column, row int, tile *image.NRGBA) error
}

// show sets the class that is drawn.
func (p *pyramid) show(s draw.Shades) {
	p.shades, p.rank = s, make([]int, len(s.Order))
	for rank, i := range s.Order {
		p.rank[i] = rank
	}
}

// draw draws all tiles. It returns errors of emit, and the cause when ctx ends.
func (p *pyramid) draw() error {
	top := len(p.sizes) - 1
	for row := range ceil(p.sizes[top].height, tileSide) {
		for column := range ceil(p.sizes[top].width, tileSide) {
			if _, err := p.tile(top, column, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// tile draws a tile and those below it, depth first, so that few are in memory together.
func (p *pyramid) tile(at, column, row int) (*image.NRGBA, error) {
	if p.ctx.Err() != nil {
		return nil, context.Cause(p.ctx)
	}
	var out *image.NRGBA
	if at == 0 {
		out = p.paint(column, row)
	} else {
		below := p.sizes[at-1]
		for r := 2 * row; r < min(2*row+2, ceil(below.height, tileSide)); r++ {
			for c := 2 * column; c < min(2*column+2, ceil(below.width, tileSide)); c++ {
				part, err := p.tile(at-1, c, r)
				if err != nil {
					return nil, err
				}
				if part == nil {
					continue
				}
				if out == nil {
					out = p.empty(at, column, row)
				}
				halve(out, part, image.Pt(c%2, r%2).Mul(tileSide/2))
			}
		}
	}
	if err := p.emit(at, column, row, out); err != nil {
		return nil, err
	}
	p.done()
	return out, nil
}

// counter returns a function that counts the tiles of pictures with levels of these sizes.
func (m *Map) counter(pictures int, sizes []level) func() {
	if m.progress == nil {
		return func() {}
	}
	done, total := 0, 0
	for _, l := range sizes {
		total += pictures * ceil(l.width, tileSide) * ceil(l.height, tileSide)
	}
	return func() {
		done++
		m.progress(done, total)
	}
}

// size returns the size of a tile: smaller than others at the right and lower side.
func (p *pyramid) size(at, column, row int) image.Point {
	l := p.sizes[at]
	return image.Pt(min(tileSide, l.width-column*tileSide), min(tileSide, l.height-row*tileSide))
}

// empty returns a tile that is transparent white.
func (p *pyramid) empty(at, column, row int) *image.NRGBA {
	m := image.NewNRGBA(image.Rectangle{Max: p.size(at, column, row)})
	clear255(m.Pix)
	return m
}

// clear255 makes pixels transparent white.
func clear255(pix []byte) {
	for i := range pix {
		if i%4 < 3 {
			pix[i] = 255
		}
	}
}

// paint draws a tile of the full resolution, nil if no patch touches it.
func (p *pyramid) paint(column, row int) *image.NRGBA {
	list := slices.Clone(p.tiles[row*ceil(p.Width, tileSide)+column])
	slices.SortFunc(list, func(i, j int32) int { return cmp.Compare(p.rank[i], p.rank[j]) })
	var out *image.NRGBA
	for _, i := range list {
		c := p.shades.Colours[i]
		if c.A == 0 {
			continue // a removed patch
		}
		if out == nil {
			out = p.empty(0, column, row)
		}
		box := p.boxes[i].Sub(image.Pt(column, row).Mul(tileSide))
		fill(out, box, c)
		for _, bar := range draw.SignBars(box, p.shades.Signs[i]) {
			fill(out, bar, p.shades.Marks[i])
		}
	}
	return out
}

// fill fills the part of a rectangle that lies in a tile with an opaque colour.
func fill(to *image.NRGBA, r image.Rectangle, c color.RGBA) {
	if r = r.Intersect(to.Rect); r.Empty() {
		return
	}
	first := to.Pix[to.PixOffset(r.Min.X, r.Min.Y):][:4*r.Dx()]
	for at := 0; at < len(first); at += 4 {
		copy(first[at:], []byte{c.R, c.G, c.B, 255})
	}
	for y := r.Min.Y + 1; y < r.Max.Y; y++ {
		copy(to.Pix[to.PixOffset(r.Min.X, y):], first)
	}
}

// halve draws a tile at half of its size into another one, from a place on. A pixel is the mean of
// the two to four pixels that the tile has there; transparent ones have no share in its colour.
func halve(to, from *image.NRGBA, at image.Point) {
	size := from.Rect.Size()
	for y := range (size.Y + 1) / 2 {
		for x := range (size.X + 1) / 2 {
			var sum [4]int // red, green, blue weighted by opacity, and opacity
			n := 0
			for dy := 2 * y; dy < min(2*y+2, size.Y); dy++ {
				for dx := 2 * x; dx < min(2*x+2, size.X); dx++ {
					q := from.Pix[dy*from.Stride+4*dx:][:4]
					a := int(q[3])
					sum[0] += a * int(q[0])
					sum[1] += a * int(q[1])
					sum[2] += a * int(q[2])
					sum[3] += a
					n++
				}
			}
			if sum[3] == 0 {
				continue
			}
			q := to.Pix[to.PixOffset(at.X+x, at.Y+y):][:4]
			for c := range 3 {
				q[c] = byte((sum[c] + sum[3]/2) / sum[3])
			}
			q[3] = byte((sum[3] + n/2) / n)
		}
	}
}
