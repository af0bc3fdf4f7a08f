package core

import (
	"math"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
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
		must.Equal(t, (&Game{output: c.output}).LeastScale(c.prediction), c.want, c.output,
			c.prediction)
	}
}

func TestUnclear(t *testing.T) {
	e := Explanation{Evident: []bool{true, false, false}}
	must.Equal(t, e.Unclear(), 2)
	must.Equal(t, (&Explanation{}).Unclear(), 0)
}

func TestErrorsUnknown(t *testing.T) {
	inf, missing := math.Inf(1), math.NaN() // JSON has null for both
	for _, c := range []struct {
		errors []float64
		want   bool
	}{{nil, false}, {[]float64{}, false}, {[]float64{inf, inf}, true}, {[]float64{missing}, true},
		{[]float64{inf, .1}, false}, {[]float64{0}, false}} {
		must.Equal(t, (&Explanation{StdErr: c.errors}).ErrorsUnknown(), c.want, c.errors)
	}
}
