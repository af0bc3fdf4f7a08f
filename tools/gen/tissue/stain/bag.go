package stain

import (
	"image"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
)

// Background is the mean brightness from which on a patch holds no tissue.
const Background = 230

// The labels of a patch, by the nuclei in it.
const (
	None   = -1 // no nucleus: unlabelled
	Other  = 0  // round ones and spindles only
	Glands = 1  // of glands only
	Both   = 2
)

// Bag cuts a slide into patches of 27 by 27 pixels, side by side, as raw pixels (instance, 3, 27,
// 27) with their boxes, leaving out the background. Patches are labelled by the nuclei in them; the
// bag's class is 1 when the slide holds a gland's nucleus and else 0.
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

// Positive says whether a gland's nucleus is in the slide.
func (s *Slide) Positive() bool {
	return slices.ContainsFunc(s.Nuclei, func(n Nucleus) bool { return n.Kind == Gland })
}

// label tells which nuclei lie in a box. Bounds are closed: a nucleus on the edge between two
// patches lies in both.
func (s *Slide) label(box image.Rectangle) int {
	var glands, others bool
	for _, n := range s.Nuclei {
		if n.X < float64(box.Min.X) || n.X > float64(box.Max.X) || n.Y < float64(box.Min.Y) ||
			n.Y > float64(box.Max.Y) {
			continue
		}
		glands = glands || n.Kind == Gland
		others = others || n.Kind != Gland
	}
	switch {
	case glands && others:
		return Both
	case glands:
		return Glands
	case others:
		return Other
	}
	return None
}
