// Package reader simulates people who look for key instances in small pictures of bags. It measures
// whether a drawing shows them: the reader takes the loudest cells and finds some of the instances
// that the truth names.
//
//	bag, report ── Reader.See ──► loudness of each cell ── Reader.Found ──► share of keys
//	               drawn by core/draw, blurred             the k loudest, with noise of the eye
package reader

import (
	"cmp"
	"image"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/internal/oklab"
)

// A Reader states how a picture is seen.
type Reader struct {
	Cell   int     // pixels along each side of an instance
	Blur   float64 // standard deviation of the blur in pixels, above 0
	Noise  float64 // standard deviation of the noise of each cell's loudness, in OKLab
	Trials int     // number of looks at each picture, at least 1
}

// Glancing is a reader of a page of small maps: cells of six pixels, blurred by a third of a cell.
// The noise is a just noticeable difference of colours.
var Glancing = Reader{Cell: 6, Blur: 2, Noise: .02, Trials: 20}

// Seen holds what a reader sees of a bag's map.
type Seen struct {
	// (instance) how far the cell is from the colour of nothing in OKLab, in the direction from the
	// colour that refutes to the one that supports. Below 0, it looks like one that refutes.
	Loudness []float64
	// Colour is the mean magnitude of the loudness.
	Colour float64
}

// See returns what a reader sees of the map of a class, as core/draw paints it. Instances without
// places are laid row by row in a square. Errors are those of draw.Map.
func (r Reader) See(bag *core.Bag, report *core.Report, class int) (*Seen, error) {
	o := draw.Options{Cell: r.Cell, Classes: []int{class}}
	scene, err := draw.Map(placed(bag), report, o)
	if err != nil {
		return nil, err
	}
	var area image.Rectangle
	for _, c := range scene.Cells {
		area = area.Union(c.Rect)
	}
	view := r.blurred(scene.Picture(), area)
	theme := draw.Theme(draw.Palettes[0], false)
	nothing := oklab.Of(oklab.Linear(theme["noise"]))
	support := oklab.Of(oklab.Linear(theme["support"]))
	refute := oklab.Of(oklab.Linear(theme["refute"]))
	s := &Seen{Loudness: make([]float64, bag.Len())}
	for _, c := range scene.Cells {
		at := oklab.Of(view.mean(c.Rect))
		for i := range at {
			s.Loudness[c.Instance] += (at[i] - nothing[i]) * (support[i] - refute[i]) /
				refute.Distance(support)
		}
		s.Colour += math.Abs(s.Loudness[c.Instance]) / float64(len(scene.Cells))
	}
	return s, nil
}

// placed returns a bag with places: its own, or those of a square. Its values are shared.
func placed(bag *core.Bag) *core.Bag {
	if bag.Boxes != nil {
		return bag
	}
	const side = 16
	out := *bag
	out.Boxes = make([]image.Rectangle, bag.Len())
	across := int(math.Ceil(math.Sqrt(float64(bag.Len()))))
	for i := range out.Boxes {
		at := image.Pt(i%across*side, i/across*side)
		out.Boxes[i] = image.Rectangle{at, at.Add(image.Pt(side, side))}
	}
	return &out
}

// Found returns the share of the key instances among the cells that a reader takes for them: the k
// loudest, where k is the number of keys, which the reader knows. It is the mean over the reader's
// trials, and NaN without keys.
func (r Reader) Found(loudness []float64, key []bool, rng *rand.Rand) float64 {
	keys := 0
	for _, is := range key {
		if is {
			keys++
		}
	}
	found := 0
	order, seen := make([]int, len(loudness)), make([]float64, len(loudness))
	for range r.Trials {
		for i, v := range loudness {
			order[i], seen[i] = i, v+r.Noise*rng.NormFloat64()
		}
		slices.SortFunc(order, func(i, j int) int { return cmp.Compare(seen[j], seen[i]) })
		for _, i := range order[:keys] {
			if key[i] {
				found++
			}
		}
	}
	return float64(found) / float64(r.Trials*keys)
}
