package dicomout

import (
	"cmp"
	"image"
	"maps"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/draw"
)

const (
	tileSide = 256 // pixels of a frame of a slide's map
	// patchSide is how many pixels a patch of mean width has at least, if the slide has as many.
	patchSide = 8
	// mostPlaced and mostPainted bound how often tiles refer to patches, and the pixels that are
	// painted, for patches that overlap.
	mostPlaced        = 1 << 24
	mostPainted int64 = 1 << 33
)

// overSlide returns a map over a whole slide: a pixel covers scale x scale pixels of level 0, and
// frames are the tiles that patches touch, with their places in the total pixel matrix (PS3.3,
// C.8.12.14).
func (x *explained) overSlide() (g geometry, list []frame, err error) {
	m := x.origin.Matrix
	scale := x.scale()
	width, height := (m.Width-1)/scale+1, (m.Height-1)/scale+1
	tiles, err := x.tiles(scale, image.Rect(0, 0, width, height))
	if err != nil {
		return g, nil, err
	}
	spacing := core.Spacing{Rows: m.Spacing.Rows * float64(scale),
		Columns: m.Spacing.Columns * float64(scale)}
	g = geometry{width: tileSide, height: tileSide, spacing: spacing,
		thickness: spacing.Rows, reference: x.origin.Reference,
		dimensions: [][2]tag{{matrixRow, planeSlide}, {matrixColumn, planeSlide}}}
	corner := cornerOf(m, scale)
	g.more = func(d *dataset) {
		d.text(dimensionType, "TILED_SPARSE")
		d.long(matrixColumns, width)
		d.long(matrixRows, height)
		at := &dataset{}
		at.decimal(slideX, corner[0])
		at.decimal(slideY, corner[1])
		d.sequence(matrixOrigin, at)
		d.decimal(slideOrientation, append(m.Rows[:], m.Across[:]...)...)
	}
	keys := slices.SortedFunc(maps.Keys(tiles), func(a, b tileKey) int {
		return cmp.Or(cmp.Compare(a.of, b.of), cmp.Compare(a.row, b.row),
			cmp.Compare(a.column, b.column))
	})
	for _, k := range keys {
		area := image.Rect(0, 0, tileSide, tileSide).Add(
			image.Pt(k.column*tileSide, k.row*tileSide))
		pix := make([]byte, tileSide*tileSide)
		for _, c := range tiles[k] {
			fill(pix, tileSide, c.box.Intersect(area).Sub(area.Min), c.level)
		}
		groups := derived(x.origin.Images[0], -1)
		p := &dataset{}
		p.long(matrixColumn, area.Min.X+1)
		p.long(matrixRow, area.Min.Y+1)
		for i, t := range []tag{slideX, slideY} {
			p.decimal(t, corner[i]+m.Rows[i]*spacing.Columns*float64(area.Min.X)+
				m.Across[i]*spacing.Rows*float64(area.Min.Y))
		}
		p.decimal(slideZ, corner[2])
		groups.sequence(planeSlide, p)
		list = append(list, frame{k.of, packed(pix, tileSide), groups,
			[]int{k.row + 1, k.column + 1}})
	}
	return g, list, nil
}

// A tileKey is a tile of the map of a relation.
type tileKey struct {
	of          relation
	row, column int
}

// A placedScore is a score that has a frame, with its rectangle on the map.
type placedScore struct {
	level byte
	box   image.Rectangle
}

// tiles returns the scores that touch each tile of a map, at least one tile.
func (x *explained) tiles(scale int, whole image.Rectangle) (map[tileKey][]placedScore, error) {
	out := map[tileKey][]placedScore{}
	placed, painted := 0, int64(0)
	for _, c := range x.strongestFirst() {
		r := onMap(x.bag.Boxes[x.position(c.n)], scale).Intersect(whole)
		if r.Empty() {
			continue
		}
		last := r.Max.Sub(image.Pt(1, 1)).Div(tileSide)
		first := r.Min.Div(tileSide)
		placed += (last.X - first.X + 1) * (last.Y - first.Y + 1)
		painted += int64(r.Dx()) * int64(r.Dy())
		if placed > mostPlaced || painted > mostPainted {
			return nil, &draw.LimitError{What: "patches that overlap on a map (tiles)",
				Requested: placed, Limit: mostPlaced}
		}
		for row := first.Y; row <= last.Y; row++ {
			for column := first.X; column <= last.X; column++ {
				k := tileKey{c.of, row, column}
				out[k] = append(out[k], placedScore{c.level, r})
			}
		}
	}
	if len(out) == 0 { // all patches lie beside the slide
		out[tileKey{}] = nil
	}
	return out, tooMany(len(out))
}

// scale returns how many pixels of level 0 a pixel of the map covers across: a power of two.
func (x *explained) scale() int {
	sum := 0.0
	for _, b := range x.bag.Boxes {
		sum += float64(b.Dx())
	}
	mean, scale := sum/float64(len(x.bag.Boxes)), 1
	for mean/float64(2*scale) >= patchSide {
		scale *= 2
	}
	return scale
}

// onMap returns where a box of level 0 lies on a map. Neighbours share a side, because both round
// it, and no patch is without a pixel.
func onMap(b image.Rectangle, scale int) image.Rectangle {
	r := image.Rectangle{Min: b.Min.Div(scale), Max: b.Max.Div(scale)}
	r.Max.X, r.Max.Y = max(r.Max.X, r.Min.X+1), max(r.Max.Y, r.Min.Y+1)
	return r
}

// cornerOf returns the centre of the first pixel of a map on the glass.
func cornerOf(m *core.OriginMatrix, scale int) [3]float64 {
	out, half := m.Offset, float64(scale-1)/2
	for i := range 2 {
		out[i] += half * (m.Rows[i]*m.Spacing.Columns + m.Across[i]*m.Spacing.Rows)
	}
	return out
}
