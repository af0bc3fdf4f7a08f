package draw

import (
	"math"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// TestScaleOfDecision checks the difference that has the strongest colour against predictions and
// scores of which it is known.
func TestScaleOfDecision(t *testing.T) {
	of := func(unit core.Unit, class int, scores ...float64) core.Explanation {
		return core.Explanation{Method: "m", Unit: unit, Class: class, Scores: scores}
	}
	odds := func(p float64) float64 { return math.Log((p + 1e-4) / (1 - p + 1e-4)) }
	for name, c := range map[string]struct {
		explanations []core.Explanation
		prediction   []float64
		own, shared  []float64
	}{
		"certain": {[]core.Explanation{of("log-odds", 0, .1, -.2)}, []float64{.99},
			[]float64{odds(.99)}, []float64{odds(.99)}},
		"against": {[]core.Explanation{of("log-odds", 0, .1, -.2)}, []float64{.01},
			[]float64{odds(.99)}, []float64{odds(.99)}},
		"saturated": {[]core.Explanation{of("log-odds", 0, .1)}, []float64{1},
			[]float64{odds(1)}, []float64{odds(1)}},
		"undecided": {[]core.Explanation{of("log-odds", 0, .1)}, []float64{.5},
			[]float64{1}, []float64{1}},
		"scores above the decision": {[]core.Explanation{of("log-odds", 0, 5, -7)},
			[]float64{.9}, []float64{7}, []float64{7}},
		"probabilities": {[]core.Explanation{of("probability", 0, .1), of("probability", 1, .1)},
			[]float64{.9, .6}, []float64{.4, .25}, []float64{.4, .4}},
		"classes share the scale of the likely one": {[]core.Explanation{of("log-odds", 0, .1),
			of("log-odds", 1, 2)}, []float64{.001, .95}, []float64{odds(.999), odds(.95)},
			[]float64{odds(.95), odds(.95)}},
		"a large bag with few that matter": {[]core.Explanation{of("log-odds", 0,
			append(slices.Repeat([]float64{.001}, 999), .1)...)}, []float64{.99}, []float64{.1},
			[]float64{.1}},
		"a large bag of equals": {[]core.Explanation{of("log-odds", 0,
			slices.Repeat([]float64{.005}, 1000)...)}, []float64{.99}, []float64{odds(.99)},
			[]float64{odds(.99)}},
		"no prediction": {[]core.Explanation{of("log-odds", 0, .1)}, nil, []float64{.1},
			[]float64{.1}},
		"a number": {[]core.Explanation{of("months", 0, -3, 2)}, []float64{20}, []float64{3},
			[]float64{3}},
		"a prediction that is none": {[]core.Explanation{of("log-odds", 0, .1)},
			[]float64{math.NaN()}, []float64{.1}, []float64{.1}},
	} {
		t.Run(name, func(t *testing.T) {
			got := Scales(&core.Report{Explanations: c.explanations, Prediction: c.prediction})
			for i, s := range got {
				must.Equal(t, math.Abs(s.Own-c.own[i]) <= 1e-9, true, i, s, c.own[i], c.shared[i])
				must.Equal(t, math.Abs(s.Shared-c.shared[i]) <= 1e-9, true, i, s, c.own[i],
					c.shared[i])
			}
		})
	}
}

// TestEmptyBagIsQuiet checks that a bag in which nothing stands out has less colour than one whose
// instances decide, although both have a largest score, and that equal shares of two decisions have
// equal colours.
func TestEmptyBagIsQuiet(t *testing.T) {
	colour := func(prediction float64, scores ...float64) (sum int) {
		report := &core.Report{Prediction: []float64{prediction}, Explanations: []core.Explanation{{
			Method: "m", Unit: core.UnitLogOdds, Scores: scores}}}
		p := drawn(t)(Strip(shapes(len(scores), 1, 8, 8), report, Options{}))
		for i := range scores {
			c := fillOf(p, cellOf(t, p, i, 0))
			channels := []uint8{c.R, c.G, c.B}
			sum += int(slices.Max(channels)) - int(slices.Min(channels))
		}
		return sum
	}
	full := colour(.999, 6, 5.5, -.1, .2, -.2, .1)
	empty := colour(.998, .3, -.5, .2, -.4, .25, -.1)
	must.Equal(t, 2*empty < full, true, empty, full)
	share := func(prediction, of float64) int {
		d := decision(&core.Explanation{Unit: core.UnitLogOdds}, []float64{prediction})
		return colour(prediction, of*d)
	}
	if a, b := share(.999, .5), share(.9, .5); a != b {
		t.Errorf("half of two decisions has %d and %d of colour", a, b)
	}
	if got := colour(.999, .04*decision(&core.Explanation{Unit: core.UnitLogOdds},
		[]float64{.999})); got > colour(.999, 0) {
		t.Errorf("a twenty-fifth of the decision has %d of colour", got)
	}
}
