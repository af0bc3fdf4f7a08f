package stain

import (
	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
)

// Background is the mean brightness from which on a patch holds no tissue.
const Background = 230

// Bag cuts a slide into patches of 27 by 27 pixels, side by side, as raw pixels (instance, 3, 27, 27) with their
// boxes, leaving out the background. A patch is labelled 1 when a gland's nucleus lies in it, 0 when only others do, and -1
// when none does; the bag's class is 1 when the slide holds a gland's nucleus.
func (s *Slide) Bag(name string) (*core.Bag, error) {
	bag, err := bagio.CutPicture(name, s.Picture, bagio.PatchOptions{Size: Patch, Background: Background})
	if err != nil {
		return nil, err
	}
	bag.Labels = make([]int, len(bag.Boxes))
	for i, box := range bag.Boxes {
		bag.Labels[i] = -1
		for _, n := range s.Nuclei {
			// Bounds are closed: a nucleus on the edge between two patches lies in both.
			if n.X < float64(box.Min.X) || n.X > float64(box.Max.X) || n.Y < float64(box.Min.Y) || n.Y > float64(box.Max.Y) {
				continue
			}
			bag.Labels[i] = max(bag.Labels[i], 0)
			if n.Kind == Gland {
				bag.Labels[i] = 1
			}
		}
	}
	bag.Class = []int{0}
	for _, n := range s.Nuclei {
		if n.Kind == Gland {
			bag.Class[0] = 1
		}
	}
	return bag, nil
}
