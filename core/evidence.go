package core

import (
	"math"
	"slices"
)

const (
	// falseShare is the level of the test of one score, and the false discovery rate of a large
	// bag.
	falseShare = .05
	// manyInstances is the bag size above which the false discovery rate is controlled. Tests of
	// single scores at 5 % call 5,000 of 100,000 null instances evidence.
	manyInstances = 300
	// leastEvidence is the smallest difference that counts, relative to the scale of a method's
	// scores. Rounding of the model's float32 arithmetic causes smaller differences.
	leastEvidence = 1e-6
	// leastMagnitude is the least scale of raw scores, whose unit is unknown. Below it, rounding
	// errors of a float32 model are as large as its scores.
	leastMagnitude = 1e-4
)

// Unclear returns the number of instances that are not Evident, or 0 if Evident is nil.
func (e *Explanation) Unclear() (count int) {
	for _, evident := range e.Evident {
		if !evident {
			count++
		}
	}
	return count
}

// decide sets Evident for the explanations of one method. unit is the least scale of their scores.
//
// A score is evident if it differs from Neutral by leastEvidence of the scale or more, and if a
// two-sided test rejects that its expectation is Neutral: at 5 % for each score, or in bags of more
// than manyInstances at a false discovery rate of 5 % (Benjamini & Hochberg 1995). The test takes
// Student's t with Freedom degrees of freedom. Scores without StdErr are exact and need no test.
func decide(explanations []Explanation, unit float64) {
	scale := unit
	for i := range explanations {
		for _, d := range explanations[i].differences() {
			if !math.IsInf(d, 0) && d > scale { // false for NaN
				scale = d
			}
		}
	}
	for i := range explanations {
		explanations[i].test(scale * leastEvidence)
	}
}

// differences returns the distance of each score from the neutral point.
func (e *Explanation) differences() []float64 {
	out := make([]float64, len(e.Scores))
	for i, v := range e.Scores {
		out[i] = math.Abs(v - e.Neutral)
	}
	return out
}

// test sets Evident for differences of at least the given size.
func (e *Explanation) test(least float64) {
	differences := e.differences()
	p := make([]float64, len(differences))
	for i, d := range differences {
		switch {
		case !(d >= least): // NaN included
			p[i] = 1
		case e.StdErr != nil:
			p[i] = tails(d/e.StdErr[i], e.Freedom)
		}
	}
	limit := falseShare
	if len(p) > manyInstances {
		limit = benjaminiHochberg(p)
	}
	e.Evident = make([]bool, len(p))
	for i, v := range p {
		e.Evident[i] = v <= limit && v < 1
	}
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

// unit returns the scale of a difference in the game's output: 1 for probabilities and log-odds,
// the largest prediction for logits (at least 1) and for raw scores (at least leastMagnitude).
func (g *Game) unit(prediction []float64) float64 {
	largest := 0.0
	if g.head != nil {
		prediction = prediction[g.head.first : g.head.first+g.head.Classes]
	}
	for _, v := range prediction {
		largest = max(largest, math.Abs(v))
	}
	switch g.output {
	case OutputProbability:
		return 1
	case OutputLogit:
		return max(1, largest)
	}
	return max(leastMagnitude, largest)
}

// unit returns the unit of scores in the output.
func (o Output) unit() Unit {
	switch o {
	case OutputProbability:
		return UnitProbability
	case OutputLogit:
		return UnitLogit
	}
	return UnitScore
}

// mean returns the mean of the finite scores, 0 if there is none.
func mean(scores []float64) float64 {
	sum, n := 0.0, 0
	for _, v := range scores {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			sum += v
			n++
		}
	}
	return sum / float64(max(1, n))
}

// means returns the mean score of each class.
func means(scores [][]float64) []float64 {
	out := make([]float64, len(scores))
	for n := range scores {
		out[n] = mean(scores[n])
	}
	return out
}
