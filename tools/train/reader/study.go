package reader

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/metric"
)

// Drawings are the names of the drawings that a Study compares: that of core/draw, whose strongest
// colour is the size of the decision, and that whose strongest colour is the bag's largest score,
// with a floor of a quarter.
var Drawings = [...]string{"decision", "own largest score"}

// floor is the share of colour of the smallest score in the second drawing.
const floor = .25

// A Study collects what a reader sees of the maps of many bags.
type Study struct {
	Reader
	Page int // number of bags on a page, at least 1

	classes []int // classes by their first bag
	views   map[int][]sight
}

// A sight is the map of a class of a bag in all drawings.
type sight struct {
	key         []bool // (labelled instance)
	drawn       [len(Drawings)]Seen
	full, empty bool
}

// A Stat is a mean with its standard error, which is NaN for fewer than two values.
type Stat struct {
	Mean, SEM float64
	N         int
}

// A Result holds the measurements of one drawing.
type Result struct {
	Drawing string
	Bags    Stat // share of the keys that the reader finds in the map of a bag
	Pages   Stat // share that the reader finds on a page of maps of one class
	// Quiet is the part of all pairs of an empty and a full bag of a class in which the empty one
	// has less colour; ties count half. An empty bag has no instance that supports or refutes the
	// class, a full one has some that support it. It is NaN without such pairs.
	Quiet float64
	Pairs int // number of the pairs
}

// Add adds the map of a class of a bag. rel is the relevance of each instance for the class
// (metric.Relevances); unlabelled instances are not looked at. Errors are those of Reader.See.
func (s *Study) Add(bag *core.Bag, report *core.Report, class int, rel []metric.Relevance) error {
	var v sight
	for n, of := range []*core.Report{report, Floored(report, floor)} {
		seen, err := s.See(bag, of, class)
		if err != nil {
			return err
		}
		v.drawn[n].Colour = seen.Colour
		for i, r := range rel {
			if r != metric.Unlabelled {
				v.drawn[n].Loudness = append(v.drawn[n].Loudness, seen.Loudness[i])
			}
		}
	}
	v.empty = true
	for _, r := range rel {
		if r != metric.Unlabelled {
			v.key = append(v.key, r == metric.Supporting)
			v.full = v.full || r == metric.Supporting
			v.empty = v.empty && r == metric.Neutral
		}
	}
	if s.views[class] == nil {
		if s.views == nil {
			s.views = map[int][]sight{}
		}
		s.classes = append(s.classes, class)
	}
	s.views[class] = append(s.views[class], v)
	return nil
}

// Results returns the measurements of the drawings in the order of Drawings, and the paired
// differences of the first minus the second. The seed determines the noise of the eye.
func (s *Study) Results(seed uint64) (results [len(Drawings)]Result, bags, pages Stat) {
	var ofBags, ofPages [len(Drawings)][]float64
	for n := range Drawings {
		// The same noise for all drawings.
		rng := rand.New(rand.NewPCG(seed, 0))
		for _, class := range s.classes {
			views := s.views[class]
			for _, v := range views {
				ofBags[n] = s.found(ofBags[n], []sight{v}, n, rng)
			}
			for at := 0; at < len(views); at += s.Page {
				page := views[at:min(at+s.Page, len(views))]
				ofPages[n] = s.found(ofPages[n], page, n, rng)
			}
		}
		results[n] = Result{Drawing: Drawings[n], Bags: statOf(ofBags[n]),
			Pages: statOf(ofPages[n])}
		results[n].Quiet, results[n].Pairs = s.quiet(n)
	}
	return results, difference(ofBags), difference(ofPages)
}

// found appends the share of the keys that are found among the cells of some maps in drawing n.
// Maps without a key, or of keys alone, have no such share.
func (s *Study) found(to []float64, maps []sight, n int, rng *rand.Rand) []float64 {
	var loudness []float64
	var key []bool
	keys := 0
	for _, v := range maps {
		loudness, key = append(loudness, v.drawn[n].Loudness...), append(key, v.key...)
	}
	for _, is := range key {
		if is {
			keys++
		}
	}
	if keys == 0 || keys == len(key) {
		return to
	}
	return append(to, s.Found(loudness, key, rng))
}

// quiet returns Result.Quiet and Result.Pairs of drawing n.
func (s *Study) quiet(n int) (share float64, pairs int) {
	for _, views := range s.views {
		for _, a := range views {
			for _, b := range views {
				if !a.empty || !b.full {
					continue
				}
				pairs++
				switch d := b.drawn[n].Colour - a.drawn[n].Colour; {
				case d > 0:
					share++
				case d == 0:
					share += .5
				}
			}
		}
	}
	return share / float64(pairs), pairs
}

// difference returns the paired difference of two series of values.
func difference(of [len(Drawings)][]float64) Stat {
	out := make([]float64, len(of[0]))
	for i := range out {
		out[i] = of[0][i] - of[1][i]
	}
	return statOf(out)
}

// statOf returns the mean and its standard error.
func statOf(values []float64) Stat {
	mean, deviation := stat.MeanStdDev(values, nil)
	return Stat{mean, deviation / math.Sqrt(float64(len(values))), len(values)}
}
