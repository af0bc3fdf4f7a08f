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

// mnistStatistics are the mean and deviation of the 60,000 training pictures of MNIST, which drawn
// digits in its frame are taken to share.
var mnistStatistics = Preprocess{Scale: 1. / 255, Mean: []float64{.1307}, Std: []float64{.3081}}

// raw makes splits whose bags are not preprocessed of those whose are.
func raw(split func(seed uint64) (*Split, error)) func(seed uint64) (*Split, error) {
	return func(seed uint64) (*Split, error) {
		s, err := split(seed)
		if err == nil {
			s.preprocess = func() (Preprocess,
				error) {
				return Preprocess{Scale: 1, Mean: []float64{0}, Std: []float64{1}}, nil
			}
		}
		return s, err
	}
}

// A pool is pictures of digits that bags are drawn from.
type pool struct {
	// numbers of the pictures of each digit
	byDigit [10][]int
	bag     func(name string, pictures []int) (*core.Bag, error) // raw pixels
}

// newPool sorts pictures, given by their numbers, by their digits.
func newPool(
	pictures []int, digit func(picture int) int, bag func(string, []int) (*core.Bag, error),
) (*pool, error) {
	p := &pool{bag: bag}
	for _, i := range pictures {
		d := digit(i)
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

// seenPictures is Split.Seen of pictures: it hashes which of them the pools to train and validate
// with hold, by digit.
func seenPictures(pools ...*pool) string {
	h := sha256.New()
	for _, p := range pools {
		for d, pictures := range p.byDigit {
			fmt.Fprintln(h, d, slices.Sorted(slices.Values(pictures)))
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// A recipe draws the digits of bag b and says what a network is to say of them.
type recipe func(r *rand.Rand, b int) (digits []int, target []float32)

// draw returns n bags by a recipe. Each bag has a random stream of its own, so that more bags begin
// with the same.
func (p *pool) draw(
	n int, seed, purpose uint64, draw recipe, classes func(target []float32) []int,
) []Example {
	out := make([]Example, n)
	for b := range out {
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
				bag.Labels = append([]int(nil), digits...)
				bag.Class = classes(target)
				return bag, nil
			}}
	}
	return out
}

// counts are how many bags each part of a drawn set has.
type counts struct{ train, validation, test int }

func (o Options) counts(usual counts) counts {
	return counts{cmp.Or(o.Train, usual.train), cmp.Or(o.Validation, usual.validation),
		cmp.Or(o.Test, usual.test)}
}

// split draws all parts, each out of its own pool.
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
