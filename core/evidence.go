package core

import (
	"math"
	"slices"

	"github.com/bagscope/bagscope/core/internal/stats"
)

// leastMagnitude is the least scale of raw scores, whose unit is unknown. Below it, rounding errors
// of a float32 model are as large as its scores.
const leastMagnitude = 1e-4

// Unclear returns the number of instances that are not Evident, or 0 if Evident is nil.
func (e *Explanation) Unclear() (count int) {
	for _, evident := range e.Evident {
		if !evident {
			count++
		}
	}
	return count
}

// ErrorsUnknown reports whether the scores are sampled and the error of none is known. Such an
// explanation claims nothing: no score is Evident.
func (e *Explanation) ErrorsUnknown() bool {
	known := func(v float64) bool { return v < math.Inf(1) } // false for NaN
	return len(e.StdErr) > 0 && !slices.ContainsFunc(e.StdErr, known)
}

// markEvident sets Evident of the explanations of one attribution. unit is the least scale of their
// scores.
func markEvident(explanations []Explanation, unit float64, a *Attribution) {
	of := make([]stats.Estimate, len(explanations))
	for i, e := range explanations {
		of[i] = stats.Estimate{
			Values:  e.Scores,
			StdErr:  e.StdErr,
			Freedom: e.Freedom,
			Neutral: e.Neutral,
			Trifle:  a.Trifle,
		}
		if f := e.Folds; f != nil {
			of[i].Between, of[i].Models = f.around, len(f.Scores)
		}
	}
	for i, evident := range stats.Evident(unit, of...) {
		if ofClass(a.Flat, i*max(1, len(a.Scores)/len(explanations)), false) {
			clear(evident)
		}
		explanations[i].Evident = evident
	}
}

// LeastScale returns the scale of a difference in the game's output: 1 for probabilities and
// log-odds, the largest prediction for logits (at least 1) and for raw scores (at least
// leastMagnitude).
func (g *Game) LeastScale(prediction []float64) float64 {
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

// LeastScale returns the unit of scores in the output.
func (o Output) unit() Unit {
	switch o {
	case OutputProbability:
		return UnitProbability
	case OutputLogit:
		return UnitLogit
	}
	return UnitScore
}
