// Package stats tells what chance explains: means, errors, tests, and elementary functions with the
// same digits on every processor.
package stats

import (
	"math"
	"slices"
)

const (
	// falseShare is the level of the test of one value, and the false discovery rate of a large
	// list.
	falseShare = .05
	// manyValues is the length above which the false discovery rate is controlled. Tests of single
	// values at 5 % call 5,000 of 100,000 null values evidence.
	manyValues = 300
	// leastEvidence is the smallest difference that counts, relative to the scale of the values.
	// Rounding of the model's float32 arithmetic causes smaller differences.
	leastEvidence = 1e-6
)

// An Estimate is a list of values with their errors.
type Estimate struct {
	Values  []float64
	StdErr  []float64 // nil for exact values
	Freedom float64   // degrees of freedom of StdErr, 0 for the normal distribution
	Neutral float64   // the value that means nothing
	// Between is the standard deviation of the models' values around each of Values, which is that
	// of the mean of Models; nil for one model. The error of the mean counts beside StdErr.
	Between []float64
	Models  int
	// Trifle is the share of the largest difference of all estimates below which a value is no
	// evidence.
	Trifle float64
}

// Evident reports for each value of each estimate whether it is evidence. unit is the least scale
// of the values.
//
// A value is evident if it differs from Neutral by leastEvidence of the scale or more and is no
// trifle, and if a two-sided test rejects that its expectation is Neutral: at 5 % for each value,
// or in lists of more than manyValues at a false discovery rate of 5 % (Benjamini & Hochberg 1995).
// The test takes Student's t, between models with the degrees of freedom of Welch (1947). Exact
// values of one model need no test. The scale is the largest finite difference
// of all estimates, at least unit.
func Evident(unit float64, estimates ...Estimate) [][]bool {
	largest := 0.0
	for _, e := range estimates {
		for _, v := range e.Values {
			// false for NaN
			if d := math.Abs(v - e.Neutral); !math.IsInf(d, 0) && d > largest {
				largest = d
			}
		}
	}
	out := make([][]bool, len(estimates))
	for n, e := range estimates {
		out[n] = e.evident(max(max(unit, largest)*leastEvidence, largest*e.Trifle))
	}
	return out
}

// evident tests the differences of at least the given size.
func (e Estimate) evident(least float64) []bool {
	p := make([]float64, len(e.Values))
	for i, v := range e.Values {
		d := math.Abs(v - e.Neutral)
		switch {
		case !(d >= least): // NaN included
			p[i] = 1
		default:
			stdErr, freedom, exact := e.error(i)
			if !exact {
				p[i] = Tails(d/stdErr, freedom)
			}
		}
	}
	limit := falseShare
	if len(p) > manyValues {
		limit = benjaminiHochberg(p)
	}
	out := make([]bool, len(p))
	for i, v := range p {
		out[i] = v <= limit && v < 1
	}
	return out
}

// error returns the standard error of a value and its degrees of freedom, or that it is exact. The
// variance of a mean over models is the sum of two: of sampling, and between models.
func (e Estimate) error(i int) (stdErr, freedom float64, exact bool) {
	if e.StdErr != nil {
		stdErr, freedom = e.StdErr[i], e.Freedom
	}
	if e.Between == nil {
		return stdErr, freedom, e.StdErr == nil
	}
	sampled, n := stdErr*stdErr, float64(e.Models)
	between := e.Between[i] * e.Between[i] / n
	spread := between * between / (n - 1)
	if freedom > 0 {
		spread += sampled * sampled / freedom
	}
	return math.Sqrt(sampled + between), (sampled + between) * (sampled + between) / spread, false
}

// benjaminiHochberg returns the largest p-value to reject so that the expected share of true
// hypotheses among those rejected is falseShare at most; it is negative if none can be rejected.
func benjaminiHochberg(p []float64) float64 {
	sorted := slices.Clone(p)
	slices.Sort(sorted)
	for i := len(sorted) - 1; i >= 0; i-- {
		if sorted[i] <= falseShare*float64(i+1)/float64(len(sorted)) {
			return sorted[i]
		}
	}
	return -1
}
