package dataset

import (
	"math/rand/v2"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/tools/gen/digits/strokes"
)

// drawnCounts are the default numbers of bags of a set with drawn digits.
var drawnCounts = counts{1000, 400, 400}

// The numbers of pictures of each digit in the parts of a drawn set.
const (
	trainDrawings = 300
	otherDrawings = 100
)

// openDigits applies the recipe of 4-MNIST-Bags to drawn digits. It needs no file.
func openDigits(_ *folder, o Options) (*Set, error) {
	set := fourDigits("Drawn digits")
	set.split = drawn(o, fourDigitsBag, ownClass)
	return set, nil
}

// openCounting is a regression over drawn digits: the target is the number of 8s in the bag. Its
// recipe is that of 4-MNIST-Bags with another rate of 8s: each bag draws its own rate from 0 to .3,
// so that all counts from 0 to about 10 are common.
func openCounting(_ *folder, o Options) (*Set, error) {
	const maxRate = .3
	set := fourDigits("Counting drawn 8s")
	set.Classes, set.Negative, set.Scale = []string{"number of 8s"}, -1, core.ScaleRaw
	set.Truth = []core.Truth{{Support: []int{8}}}
	others := []int{0, 1, 2, 3, 4, 5, 6, 7, 9}
	set.split = drawn(o, func(r *rand.Rand, _ int) ([]int, []float32) {
		digits := make([]int, bagSize(r))
		rate, count := maxRate*r.Float64(), float32(0)
		for i := range digits {
			if r.Float64() < rate {
				digits[i] = 8
				count++
			} else {
				digits[i] = others[r.IntN(len(others))]
			}
		}
		return digits, []float32{count}
	}, func([]float32) []int { return nil })
	return set, nil
}

// drawn returns a function that splits a set with drawn digits. Each part of each seed has its own
// drawings, so no picture occurs in two parts or in two repeats.
func drawn(o Options, draw recipe, classes func([]float32) []int) func(uint64) (*Split, error) {
	return func(seed uint64) (*Split, error) {
		return o.counts(drawnCounts).split(seed,
			drawPool(seed, forTrain, trainDrawings),
			drawPool(seed, forValidation, otherDrawings),
			drawPool(seed, forTest, otherDrawings), draw, classes), nil
	}
}

// drawPool returns a pool of n pictures of each digit; picture i shows the digit i % 10. It draws a
// picture when the first bag needs it.
func drawPool(seed, purpose uint64, n int) *pool {
	pictures := make([]func() []uint8, 10*n)
	p := &pool{bag: func(name string, numbers []int) (*core.Bag, error) {
		bag := &core.Bag{Name: name, Shape: []int{1, strokes.Side, strokes.Side}, Raw: true}
		for _, i := range numbers {
			for _, v := range pictures[i]() {
				bag.Values = append(bag.Values, float32(v))
			}
		}
		return bag, nil
	}}
	for i := range pictures {
		p.byDigit[i%10] = append(p.byDigit[i%10], i)
		pictures[i] = sync.OnceValue(func() []uint8 {
			// The highest bit separates these random streams from those of bags.
			return strokes.Draw(stream(seed, 1<<63|purpose<<32|uint64(i)), i%10)
		})
	}
	return p
}
