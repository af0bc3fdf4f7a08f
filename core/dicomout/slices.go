package dicomout

import (
	"bytes"
	"image"
	"slices"

	"github.com/bagscope/bagscope/core"
)

// overSlices returns a map over the slices of a volume: each slice that stands out is a frame of
// one level.
func (x *explained) overSlices() (g geometry, list []frame, err error) {
	chosen := x.strongestFirst()
	if err := tooMany(len(chosen)); err != nil {
		return g, nil, err
	}
	first := x.bag.Slices[0]
	source := x.origin.Images[first.Image]
	g = geometry{width: source.Width, height: source.Height, spacing: first.Spacing,
		thickness: first.Thickness}
	placed := x.origin.Reference != "" && first.Spacing.Rows > 0 &&
		!slices.ContainsFunc(x.bag.Slices, func(s core.Slice) bool { return !s.Placed })
	parallel := true
	for _, s := range x.bag.Slices {
		parallel = parallel && s.Place.Rows == first.Place.Rows &&
			s.Place.Across == first.Place.Across
	}
	g.dimensions = [][2]tag{{stackPlace, frameContent}}
	if placed {
		g.reference = x.origin.Reference
		g.dimensions = [][2]tag{{position, planePosition}}
		if parallel {
			g.directions = directions(first.Place)
		}
	}
	var pixels [mostLevel + 1][]byte // frames by their level
	for _, c := range chosen {
		at := x.position(c.n)
		s := x.bag.Slices[at]
		groups := derived(x.origin.Images[s.Image], s.Frame)
		if placed {
			p := &dataset{}
			p.decimal(position, s.Place.Position[:]...)
			groups.sequence(planePosition, p)
			if !parallel {
				p := &dataset{}
				p.decimal(orientation, directions(s.Place)...)
				groups.sequence(planeOrientation, p)
			}
		}
		if pixels[c.level] == nil {
			pixels[c.level] = packed(bytes.Repeat([]byte{c.level}, g.width*g.height), g.width)
		}
		list = append(list, frame{c.of, pixels[c.level], groups, []int{at + 1}})
	}
	return g, list, nil
}

// directions returns the directions of a place as a file states them.
func directions(p core.Place) []float64 { return append(p.Rows[:], p.Across[:]...) }

// A chosen score is one that has a frame.
type chosen struct {
	n     int // place in the report
	of    relation
	level byte
}

// strongestFirst returns the scores that stand out, in the order of relations and of the bag. If
// none does, it returns the first one with a level of 0.
func (x *explained) strongestFirst() (list []chosen) {
	for _, r := range []relation{supports, refutes} {
		for n := range x.e.Scores {
			if x.relation(n) == r {
				list = append(list, chosen{n, r, x.level(n)})
			}
		}
	}
	if list == nil {
		list = []chosen{{n: 0, of: supports}}
	}
	return list
}

// overPicture returns a map over a picture: a frame of its size for each relation.
func (x *explained) overPicture() (g geometry, list []frame, err error) {
	source := x.origin.Images[0]
	g = geometry{width: source.Width, height: source.Height}
	area := image.Rect(0, 0, g.width, g.height)
	var pix [2][]byte
	for _, c := range x.strongestFirst() {
		if pix[c.of] == nil {
			pix[c.of] = make([]byte, g.width*g.height)
		}
		fill(pix[c.of], g.width, x.bag.Boxes[x.position(c.n)].Intersect(area), c.level)
	}
	for r, p := range pix {
		if p != nil {
			list = append(list, frame{relation(r), packed(p, g.width), derived(source, 0), nil})
		}
	}
	return g, list, nil
}

// fill raises the pixels of a rectangle to a level. Where patches overlap, the larger one stays.
func fill(pix []byte, width int, r image.Rectangle, level byte) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := pix[y*width+r.Min.X:][:r.Dx()]
		for i, v := range row {
			row[i] = max(v, level)
		}
	}
}
