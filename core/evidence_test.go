package core

import (
	"math"
	"testing"
)

func TestLeastScale(t *testing.T) {
	for _, c := range []struct {
		output     Output
		prediction []float64
		want       float64
	}{
		{OutputProbability, []float64{.2, .8}, 1}, {OutputLogit, []float64{-.5, .3}, 1},
		{OutputLogit, []float64{-40, 3}, 40}, {OutputRaw, []float64{0}, 1e-4}, {OutputRaw,
			[]float64{-1200, 7}, 1200},
	} {
		if got := (&Game{output: c.output}).LeastScale(c.prediction); got != c.want {
			t.Errorf("%s of %v: %v, want %v", c.output, c.prediction, got, c.want)
		}
	}
}

func TestUnclear(t *testing.T) {
	e := Explanation{Evident: []bool{true, false, false}}
	if e.Unclear() != 2 || (&Explanation{}).Unclear() != 0 {
		t.Errorf("%d unclear, and without a test %d", e.Unclear(), (&Explanation{}).Unclear())
	}
}

func TestErrorsUnknown(t *testing.T) {
	inf, missing := math.Inf(1), math.NaN() // JSON has null for both
	for _, c := range []struct {
		errors []float64
		want   bool
	}{{nil, false}, {[]float64{}, false}, {[]float64{inf, inf}, true}, {[]float64{missing}, true},
		{[]float64{inf, .1}, false}, {[]float64{0}, false}} {
		if got := (&Explanation{StdErr: c.errors}).ErrorsUnknown(); got != c.want {
			t.Errorf("%v are unknown: %v", c.errors, got)
		}
	}
}
