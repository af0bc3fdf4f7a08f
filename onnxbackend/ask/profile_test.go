package ask_test

import (
	"math"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// TestProfile compares a profile with predictions of bags that state each value, by the whole
// graph. What the bag states itself is not evaluated again. In the log-odds of two classes, ten
// years more are the difference of their weights: 1.2.
func TestProfile(t *testing.T) {
	in := must.Get(openBags(t, testfile.Question{Patients: true})(0))(t)
	values := "50,60,63,70"
	a := must.Get((&ask.Ask{}).Profile(t.Context(), in, ask.ProfileOptions{Values: &values},
		nil))(t)
	if a.Covariate != "age" || a.Stated[0] != 63 || a.Evaluations != 1+3 {
		t.Errorf("%s is %v, with %d evaluations", a.Covariate, a.Stated, a.Evaluations)
	}
	for n, of := range a.Values {
		stated := in.Bag.WithCovariates(core.Covariate{Name: "age",
			Values: []float64{float64(of[0])}})
		of := &ask.Input{Engine: in.Engine, Bag: stated, Whole: stated}
		p := must.Get(ask.Predict(t.Context(), of, nil))(t)
		want := ask.ListOf(p.Classes, func(c ask.Class) ask.Number { return c.Score })
		near(t, "the prediction", a.Predictions[n], want, 1e-6)
	}
	near(t, "at the stated value", a.Predictions[2], a.Prediction, 0)
	odds := func(n int) float64 {
		return math.Log(float64(a.Predictions[n][1] / a.Predictions[n][2]))
	}
	for _, step := range [][2]int{{0, 1}, {1, 3}} {
		must.Equal(t, math.Abs((odds(step[1])-odds(step[0]))-1.2) <= 1e-5, true)
	}
	small := &ask.Ask{Budget: 4}
	_, err := small.Profile(t.Context(), in, ask.ProfileOptions{Values: &values}, nil)
	must.As(t, err, new(*core.BudgetError))
}

// near fails unless two lists differ by no more than a tolerance.
func near(t *testing.T, what string, got, want []ask.Number, tolerance float64) {
	t.Helper()
	for c := range want {
		if len(got) != len(want) || !(math.Abs(float64(got[c]-want[c])) <= tolerance) {
			t.Errorf("%s is %v, want %v", what, got, want)
			return
		}
	}
}
