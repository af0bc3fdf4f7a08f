package dataset

import (
	"math"
	"math/rand/v2"

	"github.com/bagscope/bagscope/core"
)

// The four classes of 4-MNIST-Bags.
const (
	neitherDigit = iota
	eightOnly
	nineOnly
	bothDigits
	FourClasses // the number of classes
)

// keyRate is the probability that an instance of a bag of class 1, 2 or 3 is a key digit, an 8 or a
// 9 of its class. It is therefore close to the witness rate of these bags.
const keyRate = .1

// FourDigits draws the digits of one bag by the recipe of 4-MNIST-Bags. The bag has about 30
// instances. Each is a key digit with probability .1, and else one of 0 to 7. All are drawn again
// until the bag has the given class, from 0 to FourClasses-1. Instances are independent, so their
// order carries no information.
func FourDigits(r *rand.Rand, class int) []int {
	keys := [FourClasses][]int{eightOnly: {8}, nineOnly: {9}, bothDigits: {8, 9}}[class]
	digits := make([]int, bagSize(r))
	for {
		for i := range digits {
			if len(keys) > 0 && r.Float64() < keyRate {
				digits[i] = keys[r.IntN(len(keys))]
			} else {
				digits[i] = r.IntN(8)
			}
		}
		if FourDigitsClass(digits) == class {
			return digits
		}
	}
}

// bagSize draws the number of digits of a bag: normal with mean 30 and deviation 2, at least 2.
func bagSize(r *rand.Rand) int { return max(int(math.Round(30+2*r.NormFloat64())), 2) }

// FourDigitsClass returns the class of a bag of digits, from 0 to FourClasses-1.
func FourDigitsClass(digits []int) int {
	class := neitherDigit
	for _, d := range digits {
		switch d {
		case 8:
			class |= eightOnly
		case 9:
			class |= nineOnly
		}
	}
	return class
}

// fourDigits returns a Set without splits that describes bags of the recipe of FourDigits.
func fourDigits(title string) *Set {
	return &Set{
		Title:    title,
		Classes:  []string{"neither 8 nor 9", "an 8", "a 9", "an 8 and a 9"},
		Scale:    core.ScaleLogits,
		Settings: settings("mnist"),
		Shape:    []int{1, 28, 28},
		Truth: []core.Truth{
			{Support: []int{0, 1, 2, 3, 4, 5, 6, 7}}, {Support: []int{8}, Refute: []int{9}},
			{Support: []int{9}, Refute: []int{8}}, {Support: []int{8, 9}},
		},
	}
}

// fourDigitsBag is the recipe of bag b of a part. Classes alternate, so that they are balanced.
func fourDigitsBag(r *rand.Rand, b int) (digits []int, target []float32) {
	class := b % FourClasses
	return FourDigits(r, class), oneHot(FourClasses, class)
}
