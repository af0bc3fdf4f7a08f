package dataset

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
)

// A Split is a set in three parts that share no bag. If bags are drawn, the parts share no
// instance.
type Split struct {
	Repeat                  int // 0 to 9
	Train, Validation, Test []Example
	// Seen identifies the training and validation data, because other repeats may test on it. It is
	// a hash of bag names if the split partitions bags, and of pictures if it partitions pictures.
	// It is "" if every part of every repeat draws its own instances.
	Seen string

	preprocess func() (Preprocess, error)
}

// Preprocess returns the conversion of the split's bags to the input of a network. The first call
// measures statistics, which takes seconds for pictures.
//
// Errors: *core.SettingError for a Split that Set.Split did not return, and those of Example.Bag.
func (s *Split) Preprocess() (Preprocess, error) {
	if s.preprocess == nil {
		return Preprocess{}, &core.SettingError{Setting: "split",
			Reason: "the split has no statistics; it must come from splitting a set"}
	}
	return s.preprocess()
}

// PartNames are the names of a split's parts.
var PartNames = []string{"train", "validation", "test"}

// Part returns the bags of a part by its name.
//
// Errors: *core.SettingError for a name that PartNames does not list.
func (s *Split) Part(name string) ([]Example, error) {
	i := slices.Index(PartNames, name)
	if i < 0 {
		return nil, &core.SettingError{Setting: "part",
			Reason: fmt.Sprintf("%q is unknown; use one of %s", name,
				strings.Join(PartNames, ", "))}
	}
	return [][]Example{s.Train, s.Validation, s.Test}[i], nil
}

// Sizeable returns the first bags with at least SmallestBag instances, and the number of smaller
// bags among all. If limit is not 0, it returns at most limit bags.
func Sizeable(all []Example, limit int) (large []Example, small int) {
	large = []Example{}
	for _, e := range all {
		if e.Size < SmallestBag {
			small++
		} else if limit == 0 || len(large) < limit {
			large = append(large, e)
		}
	}
	return large, small
}

// An Example is a bag and its target. It makes its bag on demand, because the float32 values of all
// bags of a data set can exceed memory.
type Example struct {
	Name string
	Size int // number of instances
	// Target (class) is 1 for each class of the bag and else 0, or the numbers of a regression.
	Target []float32

	bag func() (*core.Bag, error)
}

// Bag returns a new copy of the bag with the values of the files, before Preprocess. Callers may
// change it.
//
// Errors: *core.BagError for an Example without a bag, and those of drawing or converting it.
func (e Example) Bag() (*core.Bag, error) {
	if e.bag == nil {
		return nil, &core.BagError{Bag: e.Name, Reason: "the example contains no bag"}
	}
	return e.bag()
}

// Class returns the class with the greatest target, or -1 without targets. If bags have one class,
// it is the bag's class.
func (e Example) Class() int {
	if len(e.Target) == 0 {
		return -1
	}
	return slices.Index(e.Target, slices.Max(e.Target))
}

// oneHot returns a target (classes) with ones at the given classes.
func oneHot(classes int, at ...int) []float32 {
	t := make([]float32, classes)
	for _, c := range at {
		t[c] = 1
	}
	return t
}

// stream returns an independent random stream for each pair of seed and purpose.
func stream(seed, purpose uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, purpose)) }

// The purposes of random streams. Streams of bags hold the bag's number in the low 32 bits and the
// purpose above them.
const (
	forSplit uint64 = iota
	forTrain
	forValidation
	forTest
)
