package reader

import (
	"math"

	"github.com/bagscope/bagscope/core"
)

// Floored returns a report whose pictures have the colours of another drawing: the strongest is
// that of the bag's own largest score that is evidence, over all classes that a method explains in
// a unit, and the share of colour is floor + (1 - floor) t for a score of the share t of it. So
// drawings can be compared by the same code. The floor is at least a quarter, or scores near 0
// would have no colour.
func Floored(report *core.Report, floor float64) *core.Report {
	type scope struct {
		method string
		unit   core.Unit
	}
	largest := map[scope]float64{}
	evident := func(e *core.Explanation, i int) bool { return e.Evident == nil || e.Evident[i] }
	for n := range report.Explanations {
		e := &report.Explanations[n]
		of := scope{e.Method, e.Unit}
		for i, v := range e.Scores {
			if d := math.Abs(v - e.Neutral); evident(e, i) && !math.IsInf(d, 0) {
				largest[of] = max(largest[of], d)
			}
		}
	}
	out := *report
	out.Explanations = nil
	for _, e := range report.Explanations {
		most := largest[scope{e.Method, e.Unit}]
		scores := make([]float64, len(e.Scores))
		for i, v := range e.Scores {
			if d := v - e.Neutral; d != 0 && evident(&e, i) {
				// core/draw takes the square root of a share.
				share := floor + (1-floor)*min(1, math.Abs(d)/most)
				scores[i] = math.Copysign(share*share, d)
			}
		}
		// A score without a unit has no decision, so that its largest is the strongest colour.
		e.Scores, e.StdErr, e.Neutral, e.Unit = scores, nil, 0, core.UnitScore
		out.Explanations = append(out.Explanations, e)
	}
	return &out
}
