package metric

import (
	"slices"

	"github.com/bagscope/bagscope/core"
)

// Relevance is the true relevance of an instance for a class.
type Relevance int8

// The relevances. Their values are the gains in NDCG, except Unlabelled, which has no gain.
const (
	Refuting   Relevance = -1
	Neutral    Relevance = 0
	Supporting Relevance = 1
	Unlabelled Relevance = 2
)

// Relevances returns the relevance of each instance for a class, from the instances' true labels
// and the table of truth. A label below zero is unlabelled. A label that is not in the class's row
// is neutral. Relevances returns nil if there are no labels or the table has no row for the class.
//
// With strict, a label that is neutral for the negative class but supports another class refutes
// the negative class, because such an instance makes a bag positive. Other classes do not change.
// On 4-MNIST, 8 and 9 have relevance -1 for class 0, and nothing else changes. A negative class
// below zero means that there is none.
func Relevances(labels []int, truth []core.Truth, class, negative int, strict bool) []Relevance {
	if labels == nil || class < 0 || class >= len(truth) {
		return nil
	}
	rel := make([]Relevance, len(labels))
	for i, label := range labels {
		switch {
		case label < 0:
			rel[i] = Unlabelled
		case slices.Contains(truth[class].Support, label):
			rel[i] = Supporting
		case slices.Contains(truth[class].Refute, label):
			rel[i] = Refuting
		case strict && class == negative && supportsOther(truth, class, label):
			rel[i] = Refuting
		}
	}
	return rel
}

// supportsOther reports whether a label supports a class other than the given one.
func supportsOther(truth []core.Truth, class, label int) bool {
	for c, t := range truth {
		if c != class && slices.Contains(t.Support, label) {
			return true
		}
	}
	return false
}

// count returns the numbers of supporting and of labelled instances.
func count(rel []Relevance) (supporting, labelled int) {
	for _, r := range rel {
		if r == Supporting {
			supporting++
		}
		if r != Unlabelled {
			labelled++
		}
	}
	return supporting, labelled
}

// Trivial reports whether every ranking is perfect: there is a supporting instance, and all
// labelled instances support the class.
func Trivial(rel []Relevance) bool {
	supporting, labelled := count(rel)
	return supporting > 0 && supporting == labelled
}
