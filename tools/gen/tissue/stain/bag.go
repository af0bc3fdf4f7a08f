package stain

import (
	"image"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
)

// Background is the least mean brightness of a patch without tissue.
const Background = 230

// The labels of a patch, by the nuclei in it.
const (
	None   = -1 // no nucleus, no label
	Other  = 0  // only Round and Spindle
	Glands = 1  // only Gland
	Both   = 2  // Gland and others
)

// Bag cuts a slide into adjacent patches and omits the background. The bag has raw pixels
// (instance, 3, Patch, Patch) with boxes and labels. Its class is 1 if the slide is positive, and
// else 0.
//
// Errors: those of bagio.CutPicture, such as a slide without tissue.
func (s *Slide) Bag(name string) (*core.Bag, error) {
	bag, err := bagio.CutPicture(name, s.Picture,
		bagio.PatchOptions{Size: Patch, Background: Background})
	if err != nil {
		return nil, err
	}
	bag.Labels = make([]int, len(bag.Boxes))
	for i, box := range bag.Boxes {
		bag.Labels[i] = s.label(box)
	}
	bag.Class = []int{0}
	if s.Positive() {
		bag.Class[0] = 1
	}
	return bag, nil
}

// Positive reports whether the slide contains a Gland nucleus.
func (s *Slide) Positive() bool {
	return slices.ContainsFunc(s.Nuclei, func(n Nucleus) bool { return n.Kind == Gland })
}

// label returns the label of a box by the nuclei in it. Bounds are closed, as in package dataset: a
// nucleus on the edge between two patches lies in both.
func (s *Slide) label(box image.Rectangle) int {
	label := None
	for _, n := range s.Nuclei {
		if n.X < float64(box.Min.X) || n.X > float64(box.Max.X) || n.Y < float64(box.Min.Y) ||
			n.Y > float64(box.Max.Y) {
			continue
		}
		kind := Other
		if n.Kind == Gland {
			kind = Glands
		}
		if label != None && label != kind {
			return Both
		}
		label = kind
	}
	return label
}
