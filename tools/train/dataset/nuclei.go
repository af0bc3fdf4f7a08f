package dataset

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/patches"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/tools/gen/nuclei/density"
)

// nucleiFile and nucleiSource name the slide for MissingError.
const (
	nucleiFile   = "CMU-1-Small-Region.svs"
	nucleiSource = "examples/slide, or OpenSlide's test data (CC0-1.0)"
)

// The labels of a patch of the slide.
const (
	fewNuclei = iota
	manyNuclei
)

const (
	nucleiPatch   = 27  // side of a patch in pixels
	nucleiMicrons = 1.  // microns that each covers
	nucleiOverlap = 18  // pixels of a patch that the next one repeats
	nucleiBright  = 230 // in a plain picture, a patch of this mean brightness is background
)

// nucleiCounts are the default numbers of bags.
var nucleiCounts = counts{600, 200, 200}

// The slide is divided by horizontal lines: each part of a split has the patches between two of
// them, in pixels of level 0. No pixel is in two parts.
var nucleiLines = [...]int{0, 1782, 2214, 2967}

// openNuclei draws bags of patches of one slide. A bag is positive if a patch has many nuclei, as
// density measures; patches with neither many nor few are in no bag. Parts are drawn from different
// regions of the slide, in all repeats.
func openNuclei(f *folder, o Options) (*Set, error) {
	f.at("slide", nucleiSource)
	_, data, err := f.read(nucleiFile)
	if err != nil {
		return nil, err
	}
	s, err := slide.Open(nucleiFile, bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	laid, err := patches.Open(context.Background(), nucleiFile, s, patches.Options{
		GridOptions: slide.GridOptions{PatchSize: nucleiPatch, Microns: nucleiMicrons,
			Overlap: nucleiOverlap}})
	if err != nil {
		return nil, err
	}
	base := s.Levels[0]
	pixels, err := s.Region(0, image.Rect(0, 0, base.Width, base.Height))
	if err != nil {
		return nil, err
	}
	nuclei := density.Measure(pixels)
	var regions []*region
	for i, top := range nucleiLines[:len(nucleiLines)-1] {
		r, err := newRegion(laid, nuclei, top, nucleiLines[i+1])
		if err != nil {
			return nil, err
		}
		regions = append(regions, r)
	}
	set := &Set{
		Title: "Nuclei of a slide", Classes: []string{"few nuclei", "many nuclei"},
		Scale: core.ScaleLogits, Shape: []int{3, nucleiPatch, nucleiPatch},
		Settings: settings("crc"), Microns: nucleiMicrons,
		Patch: bagio.PatchOptions{Size: nucleiPatch, Stride: nucleiPatch,
			Background: nucleiBright},
		Truth: []core.Truth{{Support: []int{fewNuclei}}, {Support: []int{manyNuclei}}},
	}
	n := o.counts(nucleiCounts)
	set.split = func(seed uint64) (*Split, error) {
		out := &Split{Train: regions[0].draw(n.train, seed, forTrain),
			Validation: regions[1].draw(n.validation, seed, forValidation),
			Test:       regions[2].draw(n.test, seed, forTest)}
		out.measureLater(o, slices.Concat(out.Train, out.Validation, out.Test), 1./255)
		return out, nil
	}
	return set, nil
}

// A region holds the patches of a part of the slide.
type region struct {
	patches [2][]int // by label, numbers of pixels
	pixels  [][]uint8
}

// newRegion returns the patches between two lines.
func newRegion(laid *patches.Patches, nuclei *density.Map, top, bottom int) (*region, error) {
	r := &region{}
	for i, box := range laid.Grid.Boxes {
		if box.Min.Y < top || box.Max.Y > bottom {
			continue
		}
		bag, err := laid.Bag(context.Background(), i, i+1)
		if err != nil {
			return nil, err
		}
		bytes := make([]uint8, len(bag.Values))
		for j, v := range bag.Values {
			bytes[j] = uint8(v)
		}
		share, label := nuclei.Share(box), fewNuclei
		if share >= density.Rich {
			label = manyNuclei
		} else if share >= density.Poor {
			continue // neither
		}
		r.patches[label] = append(r.patches[label], len(r.pixels))
		r.pixels = append(r.pixels, bytes)
	}
	for label, list := range r.patches {
		if len(list) == 0 {
			return nil, &core.BagError{Bag: laid.Name, Reason: fmt.Sprintf("no patch between the "+
				"lines %d and %d has the label %d", top, bottom, label)}
		}
	}
	return r, nil
}

// draw returns n bags of about 16 patches, every second one positive. A positive bag draws the part
// of its patches that have many nuclei from .1 to .5.
func (r *region) draw(n int, seed, purpose uint64) []Example {
	out := make([]Example, n)
	for b := range out {
		random := stream(seed, purpose<<32|uint64(b))
		labels, numbers := r.sample(random, b%2 == 1)
		name := fmt.Sprintf("bag %d", b)
		target := oneHot(2, b%2)
		out[b] = Example{Name: name, Size: len(labels), Target: target,
			bag: func() (*core.Bag, error) {
				bag := &core.Bag{Name: name, Shape: []int{3, nucleiPatch, nucleiPatch}, Raw: true,
					Labels: slices.Clone(labels), Class: []int{b % 2}}
				for _, i := range numbers {
					for _, v := range r.pixels[i] {
						bag.Values = append(bag.Values, float32(v))
					}
				}
				return bag, nil
			}}
	}
	return out
}

// sample draws the labels and the patches of a bag.
func (r *region) sample(random *rand.Rand, positive bool) (labels, numbers []int) {
	labels = make([]int, max(6, int(math.Round(16+4*random.NormFloat64()))))
	if positive {
		rate := .1 + .4*random.Float64()
		for i := range labels {
			if random.Float64() < rate {
				labels[i] = manyNuclei
			}
		}
		labels[random.IntN(len(labels))] = manyNuclei // at least one
	}
	for _, label := range labels {
		list := r.patches[label]
		numbers = append(numbers, list[random.IntN(len(list))])
	}
	return labels, numbers
}
