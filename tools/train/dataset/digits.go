package dataset

import (
	"math/rand/v2"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/tools/gen/digits/strokes"
)

// drawnCounts are the bags of a set whose digits are drawn, when the options do not say.
var drawnCounts = counts{1000, 400, 400}

// How many pictures of each digit the three parts of a drawn set have.
const (
	trainDrawings = 300
	otherDrawings = 100
)

// openDigits is the recipe of 4-MNIST-Bags over digits that are drawn: it needs no file.
func openDigits(_ *folder, o Options) (*Set, error) {
	set := fourDigits("Drawn digits")
	set.split = drawn(o, fourDigitsBag, ownClass)
	return set, nil
}

// openCounting is a regression over drawn digits: how many 8s are in the bag? The recipe is that of
// 4-MNIST-Bags, but the rate of 8s is drawn for each bag, from 0 to .3, so that counts from 0 to
// about 10 are all common.
func openCounting(_ *folder, o Options) (*Set, error) {
	const most = .3
	set := fourDigits("Counting drawn 8s")
	set.Classes, set.Negative, set.Scale = []string{"number of 8s"}, -1, core.ScaleRaw
	set.Truth = []core.Truth{{Support: []int{8}}}
	others := []int{0, 1, 2, 3, 4, 5, 6, 7, 9}
	set.split = drawn(o, func(r *rand.Rand, _ int) ([]int, []float32) {
		digits := make([]int, bagSize(r))
		rate, count := most*r.Float64(), float32(0)
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

// drawn splits a set whose digits are drawn anew for every part and seed: no picture of a part is
// in another, nor in any of another repeat.
func drawn(o Options, draw recipe, classes func([]float32) []int) func(uint64) (*Split, error) {
	return func(seed uint64) (*Split, error) {
		train, err := drawPool(seed, forTrain, trainDrawings)
		if err != nil {
			return nil, err
		}
		validation, err := drawPool(seed, forValidation, otherDrawings)
		if err != nil {
			return nil, err
		}
		test, err := drawPool(seed, forTest, otherDrawings)
		if err != nil {
			return nil, err
		}
		return o.counts(drawnCounts).split(seed, train, validation, test, draw, classes), nil
	}
}

// drawPool is n pictures of each digit, picture i being of digit i % 10. Each is drawn when a bag
// needs it first.
func drawPool(seed, purpose uint64, n int) (*pool, error) {
	pictures := make([]func() []uint8, 10*n)
	for i := range pictures {
		pictures[i] = sync.OnceValue(func() []uint8 {
			// The upper bit keeps these streams apart from those of bags.
			return strokes.Draw(stream(seed, 1<<63|purpose<<32|uint64(i)), i%10)
		})
	}
	return newPool(ascending(len(pictures)), func(i int) int { return i % 10 },
		func(name string, numbers []int) (*core.Bag, error) {
			bag := &core.Bag{Name: name, Shape: []int{1, strokes.Side, strokes.Side}, Raw: true}
			for _, i := range numbers {
				for _, v := range pictures[i]() {
					bag.Values = append(bag.Values, float32(v))
				}
			}
			return bag, nil
		})
}
