package ask_test

import (
	"math"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// TestReference has a known answer: the logits of the patients' model rise by .8 and fall by .4 in
// each decade beyond 60. The mean age of the file is (63 + 50 + 71) / 3.
func TestReference(t *testing.T) {
	in := must.Get(openBags(t, testfile.Question{Patients: true})(0))(t)
	explain := func(output, reference string) ask.Attributions {
		s := ask.Settings{Methods: []string{"single"}, Output: &output}
		if reference != "" {
			s.Reference = &reference
		}
		return must.Get(must.Get(s.Plan())(t).Explain(t.Context(), in, nil))(t).Attributions()
	}
	plain := explain("logit", "")
	used := plain.Covariates[0]
	if len(plain.Covariates) != 1 || used.Name != "age" || used.Values[0] != 63 ||
		len(used.Reference)+len(used.Adds)+len(used.Units)+len(used.Instead) != 0 {
		t.Fatalf("without a reference: %+v", plain.Covariates)
	}
	for reference, age := range map[string]float64{"mean": 184. / 3, "age=50": 50} {
		t.Run(reference, func(t *testing.T) {
			x := explain("logit", reference)
			used := x.Covariates[0]
			decades := (63 - age) / 10
			near(t, "the reference", used.Reference, ask.Numbers([]float64{age}), 1e-12)
			near(t, "what the age adds", used.Adds, ask.Numbers([]float64{0, .8 * decades,
				-.4 * decades}), 1e-5)
			for c, p := range x.Prediction {
				must.Equal(t, math.Abs(float64(p-used.Adds[c]-used.Instead[c])) < 1e-6, true, c, p,
					used.Adds[c], used.Instead[c], used.Units[c])
				must.Equal(t, used.Units[c], "logit", c, p, used.Adds[c], used.Instead[c])
			}
			must.Equal(t, x.Evaluations, plain.Evaluations+1, plain.Evaluations)
			near(t, "scores", x.Explanations[1].Scores, plain.Explanations[1].Scores, 0)
		})
	}
	used = explain("prob", "age=50").Covariates[0]
	must.Equal(t, used.Units[1], "log-odds", used)
	must.Equal(t, used.Adds[1] > 0 && used.Instead[1] < 1, true, used)
}
