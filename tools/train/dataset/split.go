package dataset

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
)

// A Split is a set in three parts that share no bag, and where bags are drawn no instance.
type Split struct {
	Repeat                  int
	Train, Validation, Test []Example
	// Seen hashes what there is to train and validate with, where other repeats test on some of it:
	// the names of the bags where the three parts share out those of a file, the pictures where
	// they share out those. It is "" where every part of every repeat draws instances of its own.
	Seen string

	preprocess func() (Preprocess, error)
}

// Preprocess returns what turns the split's bags into what a network is trained on. Measuring it
// takes seconds where bags are pictures. A Split that no Set made is a *core.SettingError.
func (s *Split) Preprocess() (Preprocess, error) {
	if s.preprocess == nil {
		return Preprocess{}, &core.SettingError{Setting: "split",
			Reason: "the split has no statistics; use a split from Set.Split"}
	}
	return s.preprocess()
}

// PartNames are those of a split's parts.
var PartNames = []string{"train", "validation", "test"}

// Part returns the bags of a part by its name.
//
// Errors: *core.SettingError for a name that is none of PartNames.
func (s *Split) Part(name string) ([]Example, error) {
	switch name {
	case "train":
		return s.Train, nil
	case "validation":
		return s.Validation, nil
	case "test":
		return s.Test, nil
	default:
		return nil, &core.SettingError{Setting: "part",
			Reason: fmt.Sprintf("%q is unknown; use one of %s", name,
				strings.Join(PartNames, ", "))}
	}
}

// Sizeable returns the first bags of SmallestBag instances or more, at most limit where that is
// above 0, and how many bags in all are smaller.
func Sizeable(all []Example, limit int) (kept []Example, small int) {
	kept = []Example{}
	for _, e := range all {
		if e.Size < SmallestBag {
			small++
		} else if limit == 0 || len(kept) < limit {
			kept = append(kept, e)
		}
	}
	return kept, small
}

// An Example is a bag and what a network is to say of it. Bags are made when they are asked for: as
// numbers, those of a data set take a good deal of memory.
type Example struct {
	Name string
	Size int // instances
	// (class): 1 for each class the bag is of and else 0, or the numbers of a regression
	Target []float32

	bag func() (*core.Bag, error)
}

// Bag returns the bag, freshly allocated, as the files have it: Preprocess has not seen it. An
// Example without one is a *core.BagError.
func (e Example) Bag() (*core.Bag, error) {
	if e.bag == nil {
		return nil, &core.BagError{Bag: e.Name, Reason: "the example contains no bag"}
	}
	return e.bag()
}

// Class returns the class with the greatest target, which is the bag's own where a bag is of one
// class; -1 without targets.
func (e Example) Class() int {
	if len(e.Target) == 0 {
		return -1
	}
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

// stream returns a random stream of its own for each purpose.
func stream(seed, purpose uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, purpose)) }

// The purposes of random streams.
const (
	forSplit uint64 = iota
	forTrain
	forValidation
	forTest
)
