package metric

import (
	"slices"

	"github.com/bagscope/bagscope/core"
)

// Relevance is what a class's truth says about one instance.
type Relevance int8

// The relevances. Their values are the gains of NDCG, except for Unlabelled, which has none.
const (
	Refuting   Relevance = -1
	Neutral    Relevance = 0
	Supporting Relevance = 1
	Unlabelled Relevance = 2
)

// Relevances returns the relevance of each instance for a class, from the instances' true labels and
// the table of truth. A label below zero is unlabelled, and one that the class's row does not name is
// neutral. Relevances returns nil when there are no labels or the table has no row for the class.
//
// With strict, a label that is neutral to the negative class but supports another class refutes the
// negative one: an instance that makes a bag positive speaks against "nothing found". Other classes
// are as without. On 4-MNIST this scores 8 and 9 as -1 under class 0 and changes nothing else. A
// negative class below zero means that there is none.
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

func supportsOther(truth []core.Truth, class, label int) bool {
	for c, t := range truth {
		if c != class && slices.Contains(t.Support, label) {
			return true
		}
	}
	return false
}

// count returns how many instances support, refute and are labelled at all.
func count(rel []Relevance) (supporting, refuting, labelled int) {
	for _, r := range rel {
		switch r {
		case Supporting:
			supporting++
		case Refuting:
			refuting++
		}
		if r != Unlabelled {
			labelled++
		}
	}
	return supporting, refuting, labelled
}

// Trivial reports whether any ranking is perfect: there are supporting instances and every labelled
// instance is one.
func Trivial(rel []Relevance) bool {
	supporting, _, labelled := count(rel)
	return supporting > 0 && supporting == labelled
}
