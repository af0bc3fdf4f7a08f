package whatif

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core/internal/linear"
)

// A Decisive is a set of instances that decides an answer.
type Decisive struct {
	Instances []int     // ascending numbers of instances
	Values    []float64 // (class) of the bag after the change
	// Smallest reports whether all smaller sets were evaluated and none decides. Otherwise no
	// smaller one was found.
	Smallest bool
	// Enumerated is the number of instances up to which all sets were evaluated.
	Enumerated int
}

// smallest returns the smallest set that the search finds, or nil.
func (s *search) smallest(ctx context.Context, most int) (*Decisive, error) {
	set, err := s.find(ctx, most)
	if err != nil {
		return nil, err
	}
	largest := most
	if set == nil {
		s.proof /= provedShare
	} else {
		largest = len(set) - 1
	}
	s.g.Expect(s.proofCost(largest) + s.later)
	d := &Decisive{Smallest: true}
	for size := max(1, s.least); size <= most && (set == nil || size < len(set)); size++ {
		found, done, err := s.enumerate(ctx, size)
		if err != nil {
			return nil, err
		}
		if found != nil {
			set = found
			break
		}
		if !done {
			d.Smallest = false
			break
		}
		d.Enumerated = size
	}
	if set == nil {
		return nil, nil
	}
	slices.Sort(set)
	d.Instances = set
	d.Values, _, err = s.value(ctx, set)
	return d, err
}

// find returns a small set without a proof, or nil.
func (s *search) find(ctx context.Context, most int) (best []int, err error) {
	if ok, err := s.reaches(ctx, nil); ok || err != nil {
		return []int{}, err
	}
	for rank := range greedyStarts {
		set, ok, err := s.greedy(ctx, most, rank)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if best, err = s.improve(ctx, set, best); err != nil {
			return nil, err
		}
	}
	if best != nil {
		most = len(best) - 1
	}
	set, err := s.floating(ctx, most)
	if set == nil || err != nil {
		return best, err
	}
	return s.improve(ctx, set, best)
}

// improve drops and exchanges changes of a set while it gets smaller, and returns the smaller one
// of it and best.
func (s *search) improve(ctx context.Context, set, best []int) ([]int, error) {
	for set != nil {
		var err error
		if set, err = s.shrink(ctx, set); err != nil {
			return nil, err
		}
		if best == nil || len(set) < len(best) {
			best = set
		}
		if set, err = s.fewer(ctx, set); err != nil {
			return nil, err
		}
	}
	return best, nil
}

// enumerate evaluates all sets of a size. It returns one that reaches the goal, that with the
// largest score, or nil. done is false if there are too many sets.
//
// A pass over the neighbours of a set of size - 1 evaluates all sets that contain it, so that every
// set has to contain one of the passes.
func (s *search) enumerate(ctx context.Context, size int) (set []int, done bool, err error) {
	n := len(s.order)
	evaluations := s.enumerationCost(size)
	if evaluations > float64(s.proof) {
		return nil, false, nil
	}
	s.proof -= int(evaluations)
	cover := coverOf(n, size)
	tops, scores := make([]int, len(cover)), make([]float64, len(cover))
	err = around(ctx, s.g, len(cover), 1, func(ctx context.Context, at *surroundings, n int) error {
		part := s.named(cover[n])
		values, err := at.scores(ctx, s.changed(part), s.to)
		if err != nil {
			return err
		}
		tops[n], scores[n] = s.best(values, part, 0), math.Inf(-1)
		if tops[n] >= 0 {
			scores[n] = values[tops[n]]
		}
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	order := linear.Indices(len(cover))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	for _, n := range order {
		if !s.to.reached(scores[n]) {
			break
		}
		set := append(s.named(cover[n]), tops[n])
		if ok, err := s.reaches(ctx, set); ok || err != nil {
			return set, true, err
		}
	}
	return nil, true, nil
}

// enumerationCost returns the evaluations of all sets of a size.
func (s *search) enumerationCost(size int) float64 {
	return coverSize(len(s.order), size) * float64(s.g.Instances()+1)
}

// proofCost returns an upper bound of the evaluations of a proof: all sets of up to largest
// changes, as far as they are affordable.
func (s *search) proofCost(largest int) int {
	sum := 0.0
	for size := max(1, s.least); size <= largest; size++ {
		next := sum + s.enumerationCost(size)
		if next > float64(s.proof) {
			break
		}
		sum = next
	}
	return int(sum)
}

// cost returns an upper bound of the evaluations of a search for a set of at most most changes.
// Each pass over neighbours may be followed by the evaluation of one set.
func (s *search) cost(most int) int {
	return s.left + s.left/(s.g.Instances()+1) + s.proofCost(most)
}

// named returns the instances at places of the order of ties.
func (s *search) named(places []int) []int {
	out := make([]int, len(places), len(places)+1)
	for n, at := range places {
		out[n] = s.order[at]
	}
	return out
}

// coverSize returns the number of sets that coverOf returns.
func coverSize(n, size int) float64 {
	if size == 3 {
		return combinations(n/2, 2) + combinations(n-n/2, 2)
	}
	return combinations(n-1, size-1)
}

// combinations returns the number of subsets of m of n elements.
func combinations(n, m int) float64 {
	c := 1.0
	for i := range m {
		c = c * float64(n-i) / float64(i+1)
	}
	return c
}

// coverOf returns sets of size - 1 of n numbers, so that every set of the size contains one of
// them. Of three numbers, two are in the same half, so that pairs within the halves suffice. In
// general all sets without the last number do.
func coverOf(n, size int) (cover [][]int) {
	if size == 3 {
		for _, half := range [][2]int{{0, n / 2}, {n / 2, n}} {
			for a := half[0]; a < half[1]; a++ {
				for b := a + 1; b < half[1]; b++ {
					cover = append(cover, []int{a, b})
				}
			}
		}
		return cover
	}
	set := linear.Indices(size - 1)
	if len(set) > n-1 {
		return nil
	}
	for {
		cover = append(cover, slices.Clone(set))
		at := len(set) - 1
		for at >= 0 && set[at] == n-1-len(set)+at {
			at--
		}
		if at < 0 {
			return cover
		}
		set[at]++
		for later := at + 1; later < len(set); later++ {
			set[later] = set[later-1] + 1
		}
	}
}
