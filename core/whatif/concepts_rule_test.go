package whatif

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestRuleOfTwo has the numbers of METHODS section 7.
func TestRuleOfTwo(t *testing.T) {
	s := newRuleSearch([]float64{0, 1, 0, 4}, []int{0, 1})
	must.Equal(t, math.Round(1e4*s.additive())/1e4, .7907)
	rule := s.search()
	must.Equal(t, rule.Least, 2)
	must.Equal(t, math.Round(1e4*rule.Fit)/1e4, .9380)
}

// TestRuleSearch compares with a slow twin: all rules over three concepts, of which it computes the
// fit from what they say of each set.
func TestRuleSearch(t *testing.T) {
	literals := func(j int) []*Literal { return []*Literal{nil, {j, false}, {j, true}} }
	var all []Rule
	for _, a := range literals(0) {
		for _, b := range literals(1) {
			for _, c := range literals(2) {
				var of []Literal
				for _, l := range []*Literal{a, b, c} {
					if l != nil {
						of = append(of, *l)
					}
				}
				for least := 1; least <= len(of); least++ {
					all = append(all, Rule{Of: of, Least: least})
					for j := range 3 {
						for _, l := range literals(j)[1:] {
							if len(of) == 2 && (a == nil) == (j == 0) && (b == nil) == (j == 1) {
								all = append(all, Rule{Of: of, Least: least, Also: l},
									Rule{Of: of, Least: least, Else: l})
							}
						}
					}
				}
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		f := make([]float64, 8)
		for set := range f {
			f[set] = math.Round(3 * rng.Float64())
		}
		s := newRuleSearch(f, []int{0, 1, 2})
		if s.total == 0 {
			continue
		}
		best, shortest := 0.0, 9
		for _, r := range all {
			best = max(best, fitOf(r, f))
		}
		for _, r := range all {
			if n := len(r.Of); fitOf(r, f) >= best-nearlyBest {
				if r.Also != nil || r.Else != nil {
					n++
				}
				shortest = min(shortest, n)
			}
		}
		got := s.search()
		n := len(got.Of)
		if got.Also != nil || got.Else != nil {
			n++
		}
		if n != shortest || !(math.Abs(got.Fit-fitOf(*got, f)) <= 1e-9) ||
			got.Fit < best-nearlyBest {
			t.Errorf("f %v: %+v, want a rule of length %d and fit %v", f, got, shortest, best)
		}
	}
}

// fitOf returns the share of the variance of f that the means where a rule holds, and where not,
// explain; 0 if f is lower where it holds.
func fitOf(r Rule, f []float64) float64 {
	var sums, counts [2]float64
	mean := 0.0
	place := func(set int) int {
		if r.Holds(func(j int) bool { return set>>j&1 == 1 }) {
			return 1
		}
		return 0
	}
	for set, v := range f {
		sums[place(set)] += v
		counts[place(set)]++
		mean += v / float64(len(f))
	}
	if counts[0] == 0 || counts[1] == 0 || sums[1]/counts[1] < sums[0]/counts[0] {
		return 0
	}
	left, total := 0.0, 0.0
	for set, v := range f {
		d := v - sums[place(set)]/counts[place(set)]
		left += d * d
		total += (v - mean) * (v - mean)
	}
	return 1 - left/total
}
