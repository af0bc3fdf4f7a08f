package main

import (
	"bufio"
	"fmt"
	"image"
	"io"
	"math"
	"math/rand/v2"

	"github.com/bagscope/bagscope/tools/gen/tissue/stain"
)

// A drawing is a slide of drawn tissue before it is enlarged: pieces of stain.Side pixels, side by
// side.
type drawing struct {
	width, height int // pixels
	seed          uint64
}

// What a piece shows.
const (
	glass = iota
	healthy
	tumour
)

// kind returns what the piece at a column and a row shows: an ellipse of tissue, in which some
// discs are tumour.
func (d drawing) kind(column, row int) int {
	x := (float64(column) + .5) * stain.Side / float64(d.width)
	y := (float64(row) + .5) * stain.Side / float64(d.height)
	if math.Hypot((x-.5)/.42, (y-.5)/.42) > 1 {
		return glass
	}
	random := rand.New(rand.NewPCG(d.seed, 1))
	for range 5 {
		cx, cy, radius := .2+.6*random.Float64(), .2+.6*random.Float64(), .03+.04*random.Float64()
		if math.Hypot(x-cx, y-cy) < radius {
			return tumour
		}
	}
	return healthy
}

// write draws the slide piece by piece as a PPM picture. It returns the patches of stain.Patch
// pixels, on the slide's grid, that contain a nucleus of a gland.
func (d drawing) write(to io.Writer) (map[image.Point]bool, error) {
	out := bufio.NewWriterSize(to, 1<<20)
	fmt.Fprintf(out, "P6\n%d %d\n255\n", d.width, d.height)
	truth := map[image.Point]bool{}
	line := make([]byte, 3*d.width)
	for top := 0; top < d.height; top += stain.Side {
		var pieces []*stain.Slide
		for left := 0; left < d.width; left += stain.Side {
			pieces = append(pieces, d.piece(left/stain.Side, top/stain.Side))
		}
		for i, p := range pieces {
			for _, n := range nuclei(p) {
				x, y := i*stain.Side+int(n.X), top+int(n.Y)
				if x < d.width && y < d.height {
					truth[image.Pt(x/stain.Patch, y/stain.Patch)] = true
				}
			}
		}
		for y := 0; y < stain.Side && top+y < d.height; y++ {
			for x := range d.width {
				copy(line[3*x:], colour(pieces[x/stain.Side], x%stain.Side, y))
			}
			if _, err := out.Write(line); err != nil {
				return nil, err
			}
		}
	}
	return truth, out.Flush()
}

// piece draws a piece; it returns nil for glass.
func (d drawing) piece(column, row int) *stain.Slide {
	kind := d.kind(column, row)
	if kind == glass {
		return nil
	}
	random := rand.New(rand.NewPCG(d.seed, uint64(row)<<32|uint64(column)|1<<63))
	return stain.Draw(random, kind == tumour)
}

// nuclei returns the nuclei of glands.
func nuclei(p *stain.Slide) (out []stain.Nucleus) {
	if p == nil {
		return nil
	}
	for _, n := range p.Nuclei {
		if n.Kind == stain.Gland {
			out = append(out, n)
		}
	}
	return out
}

// colour returns the red, green and blue of a pixel.
func colour(p *stain.Slide, x, y int) []byte {
	if p == nil {
		return []byte{245, 244, 246}
	}
	at := p.Picture.PixOffset(x, y)
	return p.Picture.Pix[at : at+3]
}

// annotations returns squares of patches as GeoJSON, in pixels of the enlarged slide.
func annotations(truth map[image.Point]bool, factor int) []byte {
	side := stain.Patch * factor
	text := []byte(`{"type":"Feature","geometry":{"type":"MultiPolygon","coordinates":[`)
	first := true
	for p := range truth {
		if !first {
			text = append(text, ',')
		}
		first = false
		x, y := p.X*side, p.Y*side
		text = fmt.Appendf(text, "[[[%d,%d],[%d,%d],[%d,%d],[%d,%d],[%d,%d]]]", x, y, x+side, y,
			x+side, y+side, x, y+side, x, y)
	}
	return append(text, `]},"properties":{"objectType":"annotation","classification":`+
		`{"name":"gland"}}}`...)
}
