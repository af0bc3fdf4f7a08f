package core_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/internal/games"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
)

// topMean is a game of two classes, the first negative, whose model averages the m largest values
// of a bag, and fails the test if it evaluates a smaller bag.
func topMean(t *testing.T, m int, values ...float64) *games.Fake {
	return &games.Fake{
		Shape: core.Task{
			Instances: len(values),
			Classes:   2,
			Scale:     core.ScaleProbabilities,
			Negative:  0,
			Least:     m,
		},
		Value: func(members []int) []float64 {
			if len(members) < m {
				t.Errorf("the model evaluates %d instances, but it takes at least %d", len(members),
					m)
			}
			var v []float64
			for _, i := range members {
				v = append(v, values[i])
			}
			slices.Sort(v)
			sum := 0.0
			for _, x := range v[max(0, len(v)-m):] {
				sum += x / float64(m)
			}
			return []float64{1 - sum, sum}
		},
	}
}

// TestMethodsRespectLeastBag checks that no method draws a coalition below the least bag, and that
// all methods find the two instances that matter.
func TestMethodsRespectLeastBag(t *testing.T) {
	values := make([]float64, 30)
	values[4], values[17] = .9, .8
	for _, m := range []int{2, 5, 27, 29} {
		for _, o := range []methods.Options{{}, {Paired: true}, {Samples: 40, Repeats: true},
			{Preset: methods.PresetPaper}, {Preset: methods.PresetReference}} {
			for _, name := range []string{"single", "one_removed", "combined", "random_shap",
				"guided_shap", "random_lime", "guided_lime", "milli"} {
				if m == 29 && name == "single" {
					// all that are left out of a bag of 29 is one: the others keep one another
					// company
					continue
				}
				if m > 20 && name != "single" && o.Preset == methods.PresetReference {
					continue // its fixed ridge leaves scores of few sizes to chance
				}
				report, err := core.Explain(context.Background(), topMean(t, m, values...),
					core.Request{Methods: named(t, o, name)})
				if err != nil {
					t.Errorf("%s, bags of %d, %+v: %v", name, m, o, err)
					continue
				}
				if notes := strings.Join(report.Notes, " "); !strings.Contains(notes,
					"takes bags of at least") {
					t.Errorf("%s: notes %q", name, notes)
				}
				e := report.Explanations[1]
				if strings.HasSuffix(name, "lime") || name == "milli" || name == "single" ||
					name == "one_removed" {
					if best := largestTwo(e.Scores); o.Samples == 0 && best != [2]int{4, 17} {
						t.Errorf("%s, bags of %d, %+v: the largest scores are those of %v", name, m,
							o, best)
					}
				}
			}
		}
	}
}

func largestTwo(scores []float64) [2]int {
	order := core.OrderTies(
		scores,
		[]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
			18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29},
	)
	return [2]int{order[0], order[1]}
}

// TestSinglesWithCompanions checks that the score of an instance with companions is its
// contribution to the least important ones, for any seed.
func TestSinglesWithCompanions(t *testing.T) {
	values := []float64{.5, 0, .1, 0, .9, 0, 0, .2}
	for seed := range uint64(20) {
		report := must.Get(core.Explain(context.Background(), topMean(t, 3, values...),
			core.Request{Methods: []core.Method{methods.Single{}},
				GameOptions: core.GameOptions{Seed: seed}}))(t)
		e := report.Explanations[1]
		for i, v := range values {
			coretest.Near(t, "score in company", e.Scores[i], v/3, 1e-12)
		}
		must.Contain(t, strings.Join(e.Notes, " "), "together with the 2 least important")
	}
}

// TestBagOfTheLeastSize checks that methods are skipped with a reason if no instance can be
// removed.
func TestBagOfTheLeastSize(t *testing.T) {
	g := topMean(t, 4, .1, .2, .3, .4)
	for _, row := range methods.All() {
		if row.Name == "inherent" {
			continue
		}
		_, err := core.Explain(context.Background(), g,
			core.Request{Methods: []core.Method{row.New(methods.Options{})}})
		var missing *core.UnavailableError
		must.As(t, err, &missing)
		must.Equal(t, missing.Method, row.Name)
		must.Fail(t, err, "at least 4 instances")
	}
	_, err := core.NewGame(topMean(t, 4, .1, .2, .3), core.GameOptions{})
	var small *core.BagError
	must.As(t, err, &small, "3 instances, but the model takes bags of at least 4")
}

// TestGivenCoalitionsBelowTheLeastAreErrors checks that coalitions of the caller must not be
// smaller than the least bag.
func TestGivenCoalitionsBelowTheLeastAreErrors(t *testing.T) {
	z := core.NewCoalitions(6, 2)
	z.AppendMembers(0, 1, 2)
	z.AppendMembers(0, 1)
	_, err := core.Explain(
		context.Background(),
		topMean(t, 3, .1, .2, .3, .4, .5, .6),
		core.Request{
			Methods: []core.Method{methods.RandomLIME{Sampling: methods.Sampling{Coalitions: z}}},
		},
	)
	var setting *core.SettingError
	must.As(t, err, &setting, "number 2 has 2 instances, but the model takes bags of at least 3")
}

// TestNonFiniteNamesInstances checks that the error for a score that is not finite names its
// instance and what to do.
func TestNonFiniteNamesInstances(t *testing.T) {
	for z, want := range map[string]string{
		"00010": "NaN for instance 3 alone, but scores must be finite; remove " +
			"instance 3 from the bag",
		"11101": "the bag without instance 3",
		"11111": "the whole bag",
		"01010": "instances 1, 3 alone",
		"11010": "the bag without instances 2, 4",
		strings.Repeat("10",
			1000): "instances 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22 and 988 more alone",
	} {
		t.Run(z, func(t *testing.T) {
			must.Contain(t, (&core.NonFiniteError{Coalition: z, Value: math.NaN()}).Error(), want)
		})
	}
}

// TestMethodBelowTheLeastIsSkipped checks that a method that evaluates a smaller coalition is
// skipped with the reason, and that the others run.
func TestMethodBelowTheLeastIsSkipped(t *testing.T) {
	g := topMean(t, 3, .1, .2, .3, .4, .5)
	report, err := core.Explain(context.Background(), g,
		core.Request{Methods: []core.Method{pairwise{}, methods.OneRemoved{}}, SkipMissing: true})
	if err != nil || len(report.Skipped) != 1 || report.Skipped[0].Method != "pairwise" ||
		len(report.Explanations) != 2 {
		t.Errorf("%+v, %v", report, err)
	}
	_, err = core.Explain(context.Background(), g, core.Request{Methods: []core.Method{pairwise{}}})
	if err == nil || !strings.Contains(err.Error(), "method pairwise is not available: it needs "+
		"predictions for bags of 2 instances, but the model takes bags of at least 3") {
		t.Error(err)
	}
}

// pairwise evaluates a coalition of two.
type pairwise struct{}

func (pairwise) Name() string                { return "pairwise" }
func (pairwise) Settings(int) []core.Setting { return nil }
func (pairwise) Evaluations(int, int) int    { return 1 }
func (pairwise) Attribute(ctx context.Context, g *core.Game, _ []int) (*core.Attribution, error) {
	z := core.NewCoalitions(g.Instances(), 1)
	z.AppendMembers(0, 1)
	_, err := g.Values(ctx, z)
	return nil, err
}
