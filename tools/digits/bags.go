package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bagscope/bagscope/core"
)

// The four classes of 4-MNIST-Bags.
const (
	neither = iota
	eight
	nine
	both
	classes
)

// rate is the probability that an instance of a bag of class 1, 2 or 3 is drawn from the key digits.
const rate = .1

// digitsOf draws the digits of one bag by the recipe of 4-MNIST-Bags: a size near 30, each place a key
// digit with probability .1 and else one of 0 to 7, drawn again until the bag is of its class. The
// places are independent, so their order tells nothing.
func digitsOf(r *rand.Rand, class int) []int {
	keys := [classes][]int{eight: {8}, nine: {9}, both: {8, 9}}[class]
	size := max(int(math.Round(30+2*r.NormFloat64())), 2)
	digits := make([]int, size)
	for {
		for i := range digits {
			if len(keys) > 0 && r.Float64() < rate {
				digits[i] = keys[r.IntN(len(keys))]
			} else {
				digits[i] = r.IntN(8)
			}
		}
		if classOf(digits) == class {
			return digits
		}
	}
}

// classOf returns the class of a bag of digits.
func classOf(digits []int) int {
	class := neither
	for _, d := range digits {
		switch d {
		case 8:
			class |= eight
		case 9:
			class |= nine
		}
	}
	return class
}

// newBags draws bags of the given classes, as raw pixels. Each bag has a random stream of its own, so
// that a longer list of classes begins with the same bags.
func newBags(seed uint64, bagClasses []int) []*core.Bag {
	var bags []*core.Bag
	for b, class := range bagClasses {
		r := rand.New(rand.NewPCG(seed, uint64(b)))
		digits := digitsOf(r, class)
		bag := &core.Bag{
			Name:  fmt.Sprintf("bag %d: %s", b, contents(digits)),
			Shape: []int{1, side, side}, Raw: true, Class: []int{class}, Labels: digits,
		}
		for _, d := range digits {
			for _, v := range draw(r, d) {
				bag.Values = append(bag.Values, float32(v))
			}
		}
		bags = append(bags, bag)
	}
	return bags
}

// contents says in words which key digits are among the digits.
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

// some is "an 8", "two 8s" and so on, and nothing for none.
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

var numbers = []string{2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine"}
