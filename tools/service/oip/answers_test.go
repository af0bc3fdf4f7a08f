package oip

import (
	"math"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
)

// TestAnswers reads the scores of a server as the card says: hazards of three bins, and two heads.
// The expected numbers follow METHODS section 6 from what the fake returns.
func TestAnswers(t *testing.T) {
	bag := fakeBag(6)
	whole := truth(bag, []int{0, 1, 2, 3, 4, 5})
	hazard := func(logit float64) float64 { return 1 / (1 + math.Exp(-logit)) }
	survival := func(raw []float64) []float64 {
		s := []float64{1}
		for _, logit := range raw {
			s = append(s, s[len(s)-1]*(1-hazard(logit)))
		}
		return s
	}
	for _, c := range []struct {
		name, card string
		units      []core.Unit
		read       func(raw []float64) []float64
	}{
		{"hazards", `{"output_name":"scores","output":{"kind":"hazards","scale":"logits",
			"edges":[0,1,2,4],"unit":"months"}}`, []core.Unit{"months"},
			func(raw []float64) []float64 {
				s := survival(raw)
				return []float64{(s[0]+s[1])/2 + (s[1]+s[2])/2 + (s[2] + s[3])}
			}},
		{"heads", `{"output":{"kind":"heads","heads":[
			{"kind":"classes","name":"type","scale":"raw","classes":["a","b"],"output_name":"scores"},
			{"kind":"regression","name":"count","unit":"instances","classes":["size"],
			"output_name":"scores"}]}}`, []core.Unit{"score", "score", "instances"},
			func(raw []float64) []float64 { return raw }},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := open(t, &fake{shape: []int{-1, -1, 3}}, Options{Card: []byte(c.card)})
			p := must.Get(m.Predict(t.Context(), bag))(t)
			near(t, "predicted", p.Scores, c.read(whole))
			if len(p.Curves) > 0 {
				near(t, "survival", p.Curves[0].Survival, survival(whole))
			}
			ev := bind(t, m, bag)
			z := coalitions(6, 40)
			classes := ev.Task().Classes
			got := make([]float64, z.Len()*classes)
			must.Do(t, ev.Evaluate(t.Context(), got, z))
			for j := range z.Len() {
				near(t, z.String(j), got[j*classes:(j+1)*classes],
					c.read(truth(bag, z.Members(nil, j))))
			}
			r, err := core.Explain(t.Context(), ev,
				core.Request{Methods: []core.Method{methods.Single{}}})
			must.Do(t, err)
			must.EqualSlices(t, r.Units, c.units, r)
		})
	}
}

// TestPercentages takes scores that add up to 100 in a bag as percentages, as those of a file, and
// others as they are.
func TestPercentages(t *testing.T) {
	m := open(t, &fake{shape: []int{-1, 3}}, Options{Card: []byte("{}")})
	for sum, c := range map[float32]struct {
		unit  core.Unit
		says  string
		wrong string
	}{
		100: {"%", "taken as percentages", "raw scores"},
		90:  {core.UnitScore, "raw scores", "percentages"},
	} {
		bag := &core.Bag{Shape: []int{3}, Values: make([]float32, 30)}
		bag.Values[0], bag.Values[1] = 25, sum-35 // and there are ten instances
		p := must.Get(m.Predict(t.Context(), bag))(t)
		read := must.Get(core.Read(p.Heads, p.Scale, p.Scores, core.OutputProbability))(t)
		report := must.Get(core.Explain(t.Context(), bind(t, m, bag),
			core.Request{Methods: []core.Method{methods.Single{}}}))(t)
		must.Equal(t, read.Units[0], c.unit, sum, read.Units, report.Units)
		must.Equal(t, report.Units[0], c.unit, sum, read.Units, report.Units)
		for _, notes := range [][]string{p.Notes, report.Notes} {
			all := strings.Join(notes, " ")
			if !strings.Contains(all, c.says) || strings.Contains(all, c.wrong) {
				t.Errorf("%v: notes %q", sum, notes)
			}
		}
	}
}

// near compares numbers that were computed in another order.
func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	must.Equal(t, len(got), len(want), what, got, want)
	for i := range want {
		must.Equal(t, math.Abs(got[i]-want[i]) <= 1e-12*(1+math.Abs(want[i])), true, what, got,
			want)
	}
}

// A coalition asks for one output. Heads in two outputs would need two requests that belong
// together.
func TestHeadsOfSeveralOutputs(t *testing.T) {
	card := `{"output":{"kind":"heads","heads":[
		{"kind":"regression","name":"one","classes":["a","b","c"],"output_name":"scores"},
		{"kind":"regression","name":"two","classes":["d"],"output_name":"each"}]}}`
	_, err := Open(t.Context(), (&fake{shape: []int{-1, 3}}).start(t), Options{Card: []byte(card)})
	must.Fail(t, err, "export a model that joins them in one output")
}
