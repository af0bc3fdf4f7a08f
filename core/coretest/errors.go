package coretest

import (
	"math"
	"testing"

	"github.com/bagscope/bagscope/core"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// An ErrorExam compares the standard errors of scores with how the scores scatter over seeds.
type ErrorExam struct {
	// Ratio is the mean standard error over the standard deviation of the scores over the seeds, on
	// average over the instances; 1 for true errors. It is NaN if nothing scatters.
	Ratio float64
	// Root is the root mean square of the standard errors over that deviation, on average over the
	// instances; 1 for unbiased variances. Ratio is below it if errors differ between seeds.
	Root float64
	// Held is the share of 95 % intervals that hold the mean score over the seeds.
	Held float64
	// Exact is the share of 95 % intervals that hold the exact score; NaN if it is not known.
	Exact float64
	// Unknown is the share of scores with an infinite error, which count in neither. An instance
	// counts if at least half of its scores have an error.
	Unknown float64
	Missing bool // scores differ between seeds, but have no standard errors
}

// ExamineErrors explains class 0 of a game by seeds from 1 on. exact has the score of each instance
// after all coalitions, or is nil.
func ExamineErrors(
	t testing.TB, ev core.Evaluator, m core.Method, seeds int, exact []float64,
) ErrorExam {
	t.Helper()
	k := ev.Task().Instances
	runs := make([]core.Explanation, seeds)
	for s := range runs {
		report, err := core.Explain(t.Context(), ev, core.Request{Methods: []core.Method{m},
			Classes: []int{0}, GameOptions: core.GameOptions{Seed: uint64(s + 1)}})
		if err != nil {
			t.Fatalf("%s: %v", m.Name(), err)
		}
		runs[s] = report.Explanations[0]
	}
	quantiles := make([]float64, seeds)
	for s, e := range runs {
		quantiles[s] = distuv.UnitNormal.Quantile(.975)
		if e.Freedom > 0 {
			quantiles[s] = distuv.StudentsT{Sigma: 1, Nu: e.Freedom}.Quantile(.975)
		}
	}
	scale, unknown, held, right, intervals := 0.0, 0.0, 0.0, 0.0, 0.0
	for _, v := range runs[0].Scores {
		scale = max(scale, math.Abs(v))
	}
	var ratios, roots []float64
	missing := false
	for i := range k {
		var scores, errors, reach []float64
		for s, e := range runs {
			switch {
			case e.StdErr == nil:
				missing = missing || math.Abs(e.Scores[i]-runs[0].Scores[i]) > Close*scale
			case math.IsInf(e.StdErr[i], 1):
				unknown++
			default:
				scores, errors = append(scores, e.Scores[i]), append(errors, e.StdErr[i])
				reach = append(reach, quantiles[s]*e.StdErr[i])
			}
		}
		if 2*len(scores) < seeds {
			continue // what is left is no sample of the scores
		}
		mean, deviation := stat.MeanStdDev(scores, nil)
		if deviation <= Close*scale {
			continue
		}
		ratios = append(ratios, stat.Mean(errors, nil)/deviation)
		roots = append(roots, floats.Norm(errors, 2)/
			math.Sqrt(float64(len(errors)))/deviation)
		for n, v := range scores {
			if intervals++; math.Abs(v-mean) <= reach[n] {
				held++
			}
			if exact != nil && math.Abs(v-exact[i]) <= reach[n] {
				right++
			}
		}
	}
	if exact == nil {
		right = math.NaN()
	}
	return ErrorExam{stat.Mean(ratios, nil), stat.Mean(roots, nil), held / intervals,
		right / intervals, unknown / float64(k*seeds), missing}
}
