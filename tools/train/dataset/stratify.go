package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext/prng"
)

// parts is the share of training bags. Validation and test get one half each of the others.
type parts float64

const (
	sixty   parts = .6 // CRC, birdsong
	seventy parts = .7 // Musk, Tiger, Elephant, Fox
	eighty  parts = .8 // SIVAL
)

// divide splits examples as the paper's code does: by two calls of scikit-learn's stratified
// train_test_split with the same seed. Bags are equal to the paper's if the file has the order of
// the original. Equal bags matter for comparisons with the paper: with 30 test bags, accuracy
// depends more on the split than on the network.
func (p parts) divide(examples []Example, seed uint64) *Split {
	train, rest := stratified(examples, float64(p), seed)
	validation, test := stratified(rest, .5, seed)
	return &Split{Train: train, Validation: validation, Test: test, Seen: seen(train, validation)}
}

// seen returns Split.Seen for parts that share no bag: a hash of the sorted names.
func seen(parts ...[]Example) string {
	var names []string
	for _, e := range slices.Concat(parts...) {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	h := sha256.New()
	for _, name := range names {
		fmt.Fprintf(h, "%q\n", name)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// stratified returns a share of the examples, rounded down, and the rest, each in random order.
// Each class has about the same frequency in both.
func stratified(examples []Example, share float64, seed uint64) (first, second []Example) {
	var members [][]Example // the examples of each class, in their order
	for _, e := range examples {
		c := e.Class()
		for len(members) <= c {
			members = append(members, nil)
		}
		members[c] = append(members[c], e)
	}
	r := newTwister(seed)
	// scikit-learn draws the counts first, then one permutation for each class.
	for c, count := range r.counts(members, int(math.Floor(share*float64(len(examples))))) {
		all := members[c]
		for i, at := range r.permutation(len(all)) {
			if i < count {
				first = append(first, all[at])
			} else {
				second = append(second, all[at])
			}
		}
	}
	return r.shuffled(first), r.shuffled(second)
}

// A twister draws the same numbers as NumPy's RandomState with the same seed.
type twister struct{ source *prng.MT19937 }

// newTwister returns a twister; NumPy accepts seeds below 2^32.
func newTwister(seed uint64) twister {
	source := prng.NewMT19937()
	source.Seed(seed)
	return twister{source}
}

// upTo draws a number from 0 to most. As NumPy does, it masks the bits and draws again while the
// number is too large.
func (t twister) upTo(most int) int {
	mask := uint32(1)
	for int(mask) < most {
		mask = mask<<1 | 1
	}
	for {
		if v := int(t.source.Uint32() & mask); v <= most {
			return v
		}
	}
}

// permutation returns a random permutation of 0 to n-1 (RandomState.permutation).
func (t twister) permutation(n int) []int {
	p := ascending(n)
	for i := n - 1; i > 0; i-- {
		j := t.upTo(i)
		p[i], p[j] = p[j], p[i]
	}
	return p
}

// shuffled returns the examples in random order.
func (t twister) shuffled(examples []Example) []Example {
	out := make([]Example, len(examples))
	for i, at := range t.permutation(len(examples)) {
		out[i] = examples[at]
	}
	return out
}

// counts returns how many elements of each list to choose, size in total and in proportion to the
// lengths. It rounds down, then adds one to the lists with the largest remainders. It chooses at
// random among equal remainders, as scikit-learn's _approximate_mode does.
func (t twister) counts(lists [][]Example, size int) []int {
	total := 0
	for _, l := range lists {
		total += len(l)
	}
	counts, missing := make([]int, len(lists)), size
	// byRemainder holds the lists with each remainder of size*len(l)/total. Integer remainders,
	// multiplied by total, are exact, so equal ones compare equal.
	byRemainder := map[int][]int{}
	for c, l := range lists {
		counts[c] = size * len(l) / max(total, 1)
		missing -= counts[c]
		rest := size*len(l) - counts[c]*total
		byRemainder[rest] = append(byRemainder[rest], c)
	}
	for _, rest := range slices.Backward(slices.Sorted(maps.Keys(byRemainder))) {
		if missing == 0 {
			break
		}
		equal := byRemainder[rest]
		for _, at := range t.permutation(len(equal))[:min(missing, len(equal))] {
			counts[equal[at]]++
			missing--
		}
	}
	return counts
}
