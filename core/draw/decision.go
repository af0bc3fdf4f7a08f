package draw

import (
	"math"

	"github.com/bagscope/bagscope/core"
)

// LeastDrawn is the share of the strongest colour below which a score has none: it neither makes up
// nor turns a decision.
const LeastDrawn = .05

// manyShares is how many even shares of the decision, one for each instance, a score has to be to
// stand for it in a bag of hundreds, of which no score reaches LeastDrawn of the decision.
const manyShares = 10

// The smallest decision in log-odds, that of a probability of 73 %, and in probabilities. A
// prediction of one half would otherwise make every score strong.
const (
	leastInOdds        = 1
	leastInProbability = .25
)

// leastOdds bounds log-odds of probabilities near 0 and 1, as scores do (METHODS section 4).
const leastOdds = 1e-4

// decision returns the size of the decision about an explanation's class in the unit of its scores:
// how far its prediction is from one half, in log-odds or in probability. It is 0 if there is no
// prediction, or no decision in this unit, as in a regression.
func decision(e *core.Explanation, prediction []float64) float64 {
	if e.Class >= len(prediction) {
		return 0
	}
	switch p := prediction[e.Class]; {
	case !(p >= 0 && p <= 1):
		return 0
	case e.Unit == core.UnitLogOdds:
		return max(leastInOdds, math.Abs(math.Log((p+leastOdds)/(1-p+leastOdds))))
	case e.Unit == core.UnitProbability:
		return max(leastInProbability, math.Abs(p-.5))
	}
	return 0
}

// scales returns the Scale of each explanation: at least the decision about its class, or about the
// most likely class that a method explains in this unit, and at least the largest difference of its
// layer. Scores below the decision are thus weaker than the strongest colour, and none above it is
// cut off. If all are below LeastDrawn of the decision, but the largest is manyShares even shares
// of it, the largest score has the strongest colour.
func scales(explanations []core.Explanation, prediction []float64, ls []layer) []Scale {
	type scope struct {
		method string
		unit   core.Unit
	}
	largest, likely, decided := map[scope]float64{}, map[scope]float64{}, map[scope]float64{}
	out := make([]Scale, len(explanations))
	for i := range explanations {
		e, of := &explanations[i], scope{explanations[i].Method, explanations[i].Unit}
		d, m := decision(e, prediction), ls[i].magnitude()
		if m < LeastDrawn*d && m >= manyShares*d/float64(len(e.Scores)) {
			d = m
		}
		out[i].Own = max(d, m)
		largest[of] = max(largest[of], m)
		if d > 0 && (decided[of] == 0 || prediction[e.Class] > likely[of]) {
			likely[of], decided[of] = prediction[e.Class], d
		}
	}
	for i, e := range explanations {
		of := scope{e.Method, e.Unit}
		out[i].Shared = max(largest[of], decided[of])
	}
	return out
}
