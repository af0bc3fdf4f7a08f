package dataset

import (
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/tools/gen/tissue/stain"
)

// tissueCounts are the slides of the drawn tissue, when the options do not say.
var tissueCounts = counts{160, 60, 100}

// openTissue is drawn tissue cut into patches as CRC is: it needs no file. A slide is positive when
// it holds a gland's nucleus.
func openTissue(_ *folder, o Options) (*Set, error) {
	set := &Set{
		Title: "Drawn tissue", Classes: []string{"no gland", "a gland"}, Scale: core.ScaleLogits,
		Shape: []int{3, stain.Patch, stain.Patch}, Settings: settings("crc"),
		Patch: bagio.PatchOptions{Size: stain.Patch, Stride: stain.Patch,
			Background: stain.Background},
		Truth: []core.Truth{{Support: []int{stain.Other, stain.Both}},
			{Support: []int{stain.Glands, stain.Both}}},
	}
	n := o.counts(tissueCounts)
	set.split = func(seed uint64) (*Split, error) {
		s := &Split{}
		for _, part := range []struct {
			examples *[]Example
			n        int
			purpose  uint64
		}{{&s.Train, n.train, forTrain}, {&s.Validation, n.validation, forValidation}, {&s.Test,
			n.test, forTest}} {
			for i := range part.n {
				e, err := slideExample(seed, part.purpose, i)
				if err != nil {
					return nil, err
				}
				*part.examples = append(*part.examples, e)
			}
		}
		looked := s.Train
		if o.AllData {
			looked = slices.Concat(s.Train, s.Validation, s.Test)
		}
		s.preprocess = func() (Preprocess, error) { return measurePictures(looked) }
		return s, nil
	}
	return set, nil
}

// slideExample draws a slide and keeps its bytes. Each has a random stream of its own, so that more
// slides begin with the same, and no part of any repeat has a slide of another.
func slideExample(seed, purpose uint64, number int) (Example, error) {
	positive := number % 2
	name := fmt.Sprintf("slide %d", number)
	slide := stain.Draw(stream(seed, purpose<<32|uint64(number)), positive == 1)
	first, err := slide.Bag(name)
	if err != nil {
		return Example{}, err
	}
	return Example{Name: name, Size: first.Len(), Target: oneHot(2, positive),
		bag: func() (*core.Bag, error) {
			return slide.Bag(name)
		}}, nil
}
