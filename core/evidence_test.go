package core

import "testing"

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
