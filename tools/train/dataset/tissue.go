package dataset

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/tools/gen/tissue/stain"
)

// tissueCounts are the default numbers of slides.
var tissueCounts = counts{160, 60, 100}

// openTissue draws slides of tissue and cuts them into patches like CRC. It needs no file. A slide
// is positive if it contains a nucleus of a gland.
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
		train, trainErr := slides(seed, forTrain, n.train)
		validation, validationErr := slides(seed, forValidation, n.validation)
		test, testErr := slides(seed, forTest, n.test)
		s := &Split{Train: train, Validation: validation, Test: test}
		s.measureLater(o, slices.Concat(train, validation, test), 1./255)
		return s, cmp.Or(trainErr, validationErr, testErr)
	}
	return set, nil
}

// slides draws n slides, half of them positive, and keeps their bytes. Each has its own random
// stream, so that a larger set begins with the same slides and no two parts or repeats share one.
func slides(seed, purpose uint64, n int) ([]Example, error) {
	var examples []Example
	for i := range n {
		positive := i % 2
		name := fmt.Sprintf("slide %d", i)
		slide := stain.Draw(stream(seed, purpose<<32|uint64(i)), positive == 1)
		first, err := slide.Bag(name)
		if err != nil {
			return nil, err
		}
		examples = append(examples, Example{Name: name, Size: first.Len(),
			Target: oneHot(2, positive),
			bag:    func() (*core.Bag, error) { return slide.Bag(name) }})
	}
	return examples, nil
}
