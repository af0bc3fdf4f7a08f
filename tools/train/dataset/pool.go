package dataset

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/core"
)

// mnistStatistics are the mean and deviation of the 60,000 training pictures of MNIST. Drawn digits
// have the same size and frame, and use them too.
var mnistStatistics = Preprocess{Scale: 1. / 255, Mean: []float64{.1307}, Std: []float64{.3081}}

// raw wraps a split function so that Preprocess changes nothing.
func raw(split func(seed uint64) (*Split, error)) func(seed uint64) (*Split, error) {
	return func(seed uint64) (*Split, error) {
		s, err := split(seed)
		if err == nil {
			s.preprocess = func() (Preprocess, error) {
				return Preprocess{Scale: 1, Mean: []float64{0}, Std: []float64{1}}, nil
			}
		}
		return s, err
	}
}

// A pool holds the pictures of digits from which the bags of one part are drawn.
type pool struct {
	byDigit [10][]int // numbers of the pictures that show each digit
	// bag returns a bag of the given pictures, with raw pixels.
	bag func(name string, pictures []int) (*core.Bag, error)
}

// newPool groups pictures by their digits; labels[i] is the digit of picture i.
//
// Errors: *core.BagError if a label is not a digit or a digit has no picture.
func newPool(
	pictures, labels []int, bag func(string, []int) (*core.Bag, error),
) (*pool, error) {
	p := &pool{bag: bag}
	for _, i := range pictures {
		d := labels[i]
		if d < 0 || d > 9 {
			return nil, &core.BagError{Reason: fmt.Sprintf(
				"picture %d has the label %d, which is not a digit", i, d)}
		}
		p.byDigit[d] = append(p.byDigit[d], i)
	}
	for d, list := range p.byDigit {
		if len(list) == 0 {
			return nil, &core.BagError{Reason: fmt.Sprintf(
				"no picture shows the digit %d, which bags need", d)}
		}
	}
	return p, nil
}

// seenPictures returns Split.Seen for parts that share pictures: a hash of the numbers of the
// pictures in the pools for training and validation.
func seenPictures(pools ...*pool) string {
	h := sha256.New()
	for _, p := range pools {
		for d, pictures := range p.byDigit {
			fmt.Fprintln(h, d, slices.Sorted(slices.Values(pictures)))
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// A recipe draws the digits of bag b, and returns them with the bag's target.
type recipe func(r *rand.Rand, b int) (digits []int, target []float32)

// draw returns n bags of a recipe. Each bag has its own random stream, so that a larger set begins
// with the same bags. The function classes returns the classes of a target, for core.Bag.Class.
func (p *pool) draw(
	n int, seed, purpose uint64, draw recipe, classes func(target []float32) []int,
) []Example {
	out := make([]Example, n)
	for b := range out {
		// The stream of a bag depends on its number, not on the number of bags.
		r := stream(seed, purpose<<32|uint64(b))
		digits, target := draw(r, b)
		pictures := make([]int, len(digits))
		for i, d := range digits {
			pictures[i] = p.byDigit[d][r.IntN(len(p.byDigit[d]))]
		}
		name := fmt.Sprintf("bag %d", b)
		out[b] = Example{Name: name, Size: len(digits), Target: target,
			bag: func() (*core.Bag, error) {
				bag, err := p.bag(name, pictures)
				if err != nil {
					return nil, err
				}
				bag.Labels = slices.Clone(digits)
				bag.Class = classes(target)
				return bag, nil
			}}
	}
	return out
}

// counts are the numbers of bags in the parts of a drawn set.
type counts struct{ train, validation, test int }

// counts returns the numbers of bags that the options state, or the usual ones.
func (o Options) counts(usual counts) counts {
	return counts{cmp.Or(o.Train, usual.train), cmp.Or(o.Validation, usual.validation),
		cmp.Or(o.Test, usual.test)}
}

// split draws each part from its own pool.
func (c counts) split(
	seed uint64, train, validation, test *pool, draw recipe, classes func([]float32) []int,
) *Split {
	return &Split{
		Train:      train.draw(c.train, seed, forTrain, draw, classes),
		Validation: validation.draw(c.validation, seed, forValidation, draw, classes),
		Test:       test.draw(c.test, seed, forTest, draw, classes),
		preprocess: func() (Preprocess, error) { return mnistStatistics, nil },
	}
}
