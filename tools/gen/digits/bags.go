package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/tools/gen/digits/strokes"
	"github.com/bagscope/bagscope/tools/train/dataset"
)

// newBags draws bags of the given classes with raw pixels. Each bag has its own random stream, so
// that a longer list of classes begins with the same bags.
func newBags(seed uint64, bagClasses []int) []*core.Bag {
	var bags []*core.Bag
	for b, class := range bagClasses {
		r := rand.New(rand.NewPCG(seed, uint64(b)))
		digits := dataset.FourDigits(r, class)
		bag := &core.Bag{
			Name:  fmt.Sprintf("bag %d: %s", b, contents(digits)),
			Shape: []int{1, strokes.Side, strokes.Side}, Raw: true, Class: []int{class},
			Labels: digits,
		}
		for _, d := range digits {
			for _, v := range strokes.Draw(r, d) {
				bag.Values = append(bag.Values, float32(v))
			}
		}
		bags = append(bags, bag)
	}
	return bags
}

// contents describes the key digits of a bag in words, for its name.
func contents(digits []int) string {
	var count [10]int
	for _, d := range digits {
		count[d]++
	}
	switch e, n := some(count[8], 8), some(count[9], 9); {
	case e == "" && n == "":
		return "no 8, no 9"
	case e == "":
		return n
	case n == "":
		return e
	default:
		return e + " and " + n
	}
}

// some returns "an 8", "two 8s" and so on, or "" for 0.
func some(n, digit int) string {
	switch {
	case n == 0:
		return ""
	case n == 1 && digit == 8:
		return "an 8"
	case n == 1:
		return fmt.Sprintf("a %d", digit)
	case n < len(numbers):
		return fmt.Sprintf("%s %ds", numbers[n], digit)
	default:
		return fmt.Sprintf("%d %ds", n, digit)
	}
}

// numbers are the words for the counts of names.
var numbers = []string{2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight",
	9: "nine"}
