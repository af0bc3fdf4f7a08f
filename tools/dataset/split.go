package dataset

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/core"
)

// A Split is a set in three parts that share no bag, and where bags are drawn no instance.
type Split struct {
	Repeat                  int
	Train, Validation, Test []Example

	preprocess func() (Preprocess, error)
}

// Preprocess returns what turns the split's bags into what a network is trained on. Measuring it takes seconds where bags are pictures.
func (s *Split) Preprocess() (Preprocess, error) { return s.preprocess() }

// An Example is a bag and what a network is to say of it. Bags are made when they are asked for: as numbers,
// those of a data set take a good deal of memory.
type Example struct {
	Name   string
	Size   int       // instances
	Target []float32 // (class): 1 for each class the bag is of and else 0, or the numbers of a regression

	bag func() (*core.Bag, error)
}

// Bag returns the bag, freshly allocated, as the files have it: Preprocess has not seen it.
func (e Example) Bag() (*core.Bag, error) { return e.bag() }

// Class returns the class with the greatest target: the bag's own where a bag is of one class.
func (e Example) Class() int {
	return slices.Index(e.Target, slices.Max(e.Target))
}

// oneHot returns a target of the given length with ones at the given classes.
func oneHot(classes int, at ...int) []float32 {
	t := make([]float32, classes)
	for _, c := range at {
		t[c] = 1
	}
	return t
}

// parts are the shares of training, validation and test bags.
type parts struct{ train, validation float64 }

var (
	sixty   = parts{.6, .2}  // CRC
	seventy = parts{.7, .15} // Musk, Tiger, Elephant, Fox
	eighty  = parts{.8, .1}  // SIVAL
)

// stream returns a random stream of its own for each purpose.
func stream(seed, purpose uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, purpose)) }

// The purposes of random streams.
const (
	forSplit uint64 = iota
	forTrain
	forValidation
	forTest
)

// divide splits examples into parts whose classes have the shares that they have in all. Each part is in random
// order. Sizes are rounded down for training, and the rest is halved, validation getting the smaller half.
func (p parts) divide(examples []Example, seed uint64) *Split {
	r := stream(seed, forSplit)
	byClass := map[int][]int{}
	classes := 0
	for i, e := range examples {
		c := e.Class()
		byClass[c] = append(byClass[c], i)
		classes = max(classes, c+1)
	}
	var left [][]int
	for c := range classes {
		list := byClass[c]
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		left = append(left, list)
	}
	n := len(examples)
	train := int(math.Floor(p.train*float64(n) + 1e-9))
	validation := int(math.Floor(float64(n-train)*p.validation/(1-p.train) + 1e-9))
	take := func(size int) []Example {
		var part []Example
		for c, count := range shares(left, size) {
			for _, i := range left[c][:count] {
				part = append(part, examples[i])
			}
			left[c] = left[c][count:]
		}
		r.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
		return part
	}
	s := &Split{Train: take(train), Validation: take(validation)}
	s.Test = take(n - train - validation)
	return s
}

// shares says how many to take of each list so that they are size in all, in proportion to what the lists hold: rounded
// down, and the lists with the largest remainders give one more.
func shares(lists [][]int, size int) []int {
	total := 0
	for _, l := range lists {
		total += len(l)
	}
	counts, order := make([]int, len(lists)), make([]int, len(lists))
	remainder := make([]int, len(lists)) // of size*len/total, times total
	missing := size
	for c, l := range lists {
		order[c] = c
		if total > 0 {
			counts[c], remainder[c] = size*len(l)/total, size*len(l)%total
		}
		missing -= counts[c]
	}
	slices.SortStableFunc(order, func(a, b int) int { return remainder[b] - remainder[a] })
	for _, c := range order[:missing] {
		counts[c]++
	}
	return counts
}
