package methods

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/internal/games"
	"github.com/bagscope/bagscope/internal/must"
)

// selecting is a game of two classes in which only every third instance is selected. Coalitions
// without a selected instance have no answer.
func selecting(k int) *games.Fake {
	return &games.Fake{
		Shape: core.Task{Instances: k, Classes: 2, Scale: core.ScaleLogits, Negative: 0},
		Value: func(members []int) []float64 {
			sum, n := 0.0, 0.0
			for _, i := range members {
				if i%3 == 1 {
					sum, n = sum+math.Sin(float64(i)), n+1
				}
			}
			return []float64{0, sum/n + float64(len(members))/float64(k)}
		},
	}
}

// lopsided is a game of equal instances alone. Coalitions with instance 2 and without instance 5
// have no answer, so that equal instances have different numbers of answers.
func lopsided(k int) *games.Fake {
	f := selecting(k)
	f.Value = func(members []int) []float64 {
		if len(members) > 1 && slices.Contains(members, 2) && !slices.Contains(members, 5) {
			return []float64{0, math.NaN()}
		}
		sum := 1.0
		for n, i := range members {
			sum += math.Sin(float64(i)) * min(1, float64(n))
		}
		return []float64{0, sum}
	}
	return f
}

// TestConsensusLeavesOutUnanswered compares both ways of evaluating with the definition, without
// the reference bags that have no answer.
func TestConsensusLeavesOutUnanswered(t *testing.T) {
	for _, f := range []*games.Fake{selecting(9), selecting(14), selecting(40), lopsided(9),
		lopsided(14)} {
		k := f.Shape.Instances
		order := must.Get(games.New(t, f).Suspicion(t.Context()))(t)
		twins := make([]int, k)
		for r, i := range order.Order {
			twins[i] = order.Twins[r]
		}
		for name, ev := range map[string]core.Evaluator{"one by one": f,
			"together": &games.Sharing{Fake: f}} {
			t.Run(fmt.Sprintf("%d %s", k, name), func(t *testing.T) {
				for class, e := range consensusOf(t, ev, 1) {
					want, left := directConsensus(f, order.Order, twins, class)
					for i := range k {
						coretest.Near(t, fmt.Sprint("instance ", i), e.Scores[i], want[i], 1e-9)
					}
					says := fmt.Sprintf("%d of %d reference bags have no answer", left.Missing,
						left.Of)
					if left.Missing == 0 || !strings.Contains(strings.Join(e.Notes, " "), says) {
						t.Errorf("notes %q lack %q", e.Notes, says)
					}
				}
			})
		}
	}
}

// TestSuspicionOfUnanswered checks that instances without an answer alone are the least suspicious.
func TestSuspicionOfUnanswered(t *testing.T) {
	order := must.Get(games.New(t, selecting(12)).Suspicion(t.Context()))(t).Order
	// sin 4 < sin 10 < sin 7 < sin 1: instance 4 is as suspicious as those without an answer.
	must.EqualSlices(t, order[9:], []int{10, 7, 1}, "the most suspicious are")
}

// inMultiples returns a game whose model takes multiples of step instances, and panics on others.
func inMultiples(f *games.Fake, step int) *games.Fake {
	out := games.AtLeast(f, step)
	out.Shape.Step, out.Shape.Why = step, "the file holds 4"
	taken := out.Value
	out.Value = func(members []int) []float64 {
		if len(members)%step != 0 {
			panic("a coalition has a size that the model does not take")
		}
		return taken(members)
	}
	return out
}

// TestSurrogatesUseAdmissibleCoalitions fits all coalitions that have an answer, or those of the
// sizes that the model takes, and compares with the weighted least squares of these.
func TestSurrogatesUseAdmissibleCoalitions(t *testing.T) {
	t.Run("unanswered", func(t *testing.T) { compareLeastSquares(t, selecting(8)) })
	t.Run("multiples of 2", func(t *testing.T) {
		compareLeastSquares(t, inMultiples(selecting(8), 2))
	})
	t.Run("multiples of 3", func(t *testing.T) {
		compareLeastSquares(t, inMultiples(games.Steep(9), 3))
	})
}

// compareLeastSquares compares surrogates of all admissible coalitions of a game of two classes on
// logits with the weighted least squares over the same coalitions.
func compareLeastSquares(t *testing.T, f *games.Fake) {
	k, step := f.Shape.Instances, max(f.Shape.Step, 1)
	for name, c := range map[string]struct {
		method core.Method
		weight func(size int) float64
	}{
		"shap": {RandomSHAP{Sampling: Sampling{Samples: 1 << k}}, func(s int) float64 {
			return math.Exp(shapleyLogWeight(k, s))
		}},
		"guided shap": {GuidedSHAP{Sampling: Sampling{Samples: 1 << k}}, func(s int) float64 {
			return math.Exp(shapleyLogWeight(k, s))
		}},
		"lime": {RandomLIME{Sampling: Sampling{Samples: 1 << k}}, func(s int) float64 {
			return math.Exp(limeLogWeight(DistanceL2, k, k, s))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			n := k + 1 // unknowns: the scores, and the intercept
			system, missing, all := make([][]float64, n), 0, 0
			for i := range system {
				system[i] = make([]float64, n+1)
			}
			for bits := 1; bits < 1<<k-1; bits++ {
				var members []int
				row := make([]float64, n+1)
				row[k] = 1
				for i := range k {
					if bits>>i&1 == 1 {
						members, row[i] = append(members, i), 1
					}
				}
				if len(members)%step != 0 {
					continue
				}
				all++
				row[n] = 1 / (1 + math.Exp(-f.Value(members)[1]))
				if math.IsNaN(row[n]) {
					missing++
					continue
				}
				for i := range n {
					for j, v := range row {
						system[i][j] += c.weight(len(members)) * row[i] * v
					}
				}
			}
			want := solved(system)
			e := must.Get(core.Explain(t.Context(), f, core.Request{
				Methods: []core.Method{c.method}}))(t).Explanations[1]
			for i := range k {
				coretest.Near(t, fmt.Sprint("instance ", i), e.Scores[i], want[i], 1e-9)
			}
			says := fmt.Sprintf("%d of %d coalitions have no answer", missing, all)
			if missing > 0 && !strings.Contains(strings.Join(e.Notes, " "), says) {
				t.Errorf("notes %q lack %q", e.Notes, says)
			}
		})
	}
}

// TestMultiplesOfSizes runs all methods under a model that takes multiples of 4 instances. Those
// that remove single instances are not available.
func TestMultiplesOfSizes(t *testing.T) {
	f := inMultiples(games.Steep(24), 4)
	for _, row := range All() {
		removes := slices.Contains([]string{"one_removed", "combined", "consensus", "shapley"},
			row.Name)
		for _, paired := range []bool{false, true} {
			_, err := core.Explain(t.Context(), f, core.Request{
				Methods: []core.Method{row.New(Options{Paired: paired})}})
			var missing *core.UnavailableError
			switch {
			case row.Name == "inherent":
			case removes && (!errors.As(err, &missing) ||
				!strings.Contains(err.Error(), "bags of multiples of 4 instances") ||
				!strings.Contains(err.Error(), "use random_shap")):
				t.Errorf("%s: %v", row.Name, err)
			case !removes && err != nil:
				t.Errorf("%s: %v", row.Name, err)
			}
		}
	}
	odd := core.NewCoalitions(24, 1)
	odd.AppendMembers(1, 2, 3, 4, 5)
	var setting *core.SettingError
	_, err := core.Explain(t.Context(), f, core.Request{Methods: []core.Method{
		RandomSHAP{Sampling: Sampling{Coalitions: odd}}}})
	must.As(t, err, &setting, "multiples of 4")
}

// TestExactSize checks that the cause is named where a model takes bags of one size alone.
func TestExactSize(t *testing.T) {
	f := games.AtLeast(games.Steep(6), 6)
	f.Shape.Why = "the file holds positions"
	for _, row := range All()[1:] {
		_, err := core.Explain(t.Context(), f,
			core.Request{Methods: []core.Method{row.New(Options{})}})
		must.Fail(t, err, "exactly 6 instances", "use inherent", "the file holds positions")
	}
}

// solved returns the solution of a system of linear equations, by Gauss-Jordan elimination. Each
// row ends with its right side.
func solved(system [][]float64) []float64 {
	out := make([]float64, len(system))
	for i, row := range system {
		for at := len(row) - 1; at >= i; at-- {
			row[at] /= row[i]
		}
		for j, other := range system {
			if j == i {
				continue
			}
			for at := len(row) - 1; at >= i; at-- {
				other[at] -= other[i] * row[at]
			}
		}
	}
	for i, row := range system {
		out[i] = row[len(row)-1]
	}
	return out
}

// TestSampledSurrogatesLeaveOutUnanswered draws some coalitions of an additive game, whose terms
// any coalitions determine, with errors of the rounding alone.
func TestSampledSurrogatesLeaveOutUnanswered(t *testing.T) {
	const k = 24
	f := raw(k, func(members []int) float64 {
		sum := 0.0
		for _, i := range members {
			sum += float64(i)
		}
		if len(members) > 1 && members[0] > 0 && members[1]%2 == 1 {
			return math.Inf(1)
		}
		return sum
	})
	drawn := Sampling{Samples: 200}
	paired := Sampling{Samples: 200, Paired: true}
	for _, m := range []core.Method{RandomSHAP{Sampling: drawn}, RandomLIME{Sampling: drawn},
		MILLI{Sampling: drawn}, RandomSHAP{Sampling: paired}} {
		t.Run(m.Name(), func(t *testing.T) {
			e := must.Get(core.Explain(t.Context(), f,
				core.Request{Methods: []core.Method{m}}))(t).Explanations[0]
			for i := range k {
				coretest.Near(t, fmt.Sprint("score ", i), e.Scores[i], float64(i), 1e-6)
				coretest.Near(t, fmt.Sprint("error ", i), e.StdErr[i], 0, 1e-6)
			}
			if !strings.Contains(strings.Join(e.Notes, " "), "of 200 coalitions have no answer") {
				t.Errorf("notes %q", e.Notes)
			}
		})
	}
}

// TestUnscored compares methods that need one coalition of each instance with the definition.
// Instances without an answer have no score.
func TestUnscored(t *testing.T) {
	f := raw(9, func(members []int) float64 {
		if len(members) == 1 && members[0]%4 == 1 || len(members) == 8 && members[0] == 1 {
			return math.NaN() // 1 and 5 alone, and the bag without 0
		}
		sum := 1.0
		for _, i := range members {
			sum += float64(i * i)
		}
		return sum
	})
	single := func(i int) float64 { return float64(1 + i*i) }
	mean := (204 + 9 - single(1) - single(5)) / 7
	for _, c := range []struct {
		method   core.Method
		unscored []int
		neutral  float64
		want     func(i int) float64
		note     string
	}{
		{Single{}, []int{1, 5}, mean, single, "2 of 9 instances have no score"},
		{OneRemoved{}, []int{0}, 0, func(i int) float64 { return float64(i * i) },
			"1 of 9 instances have no score"},
		{Combined{}, []int{0, 1, 5}, mean / 2, func(i int) float64 {
			return .5 + float64(i*i)
		}, "3 of 9 instances have no score"},
	} {
		t.Run(c.method.Name(), func(t *testing.T) {
			e := must.Get(core.Explain(t.Context(), f,
				core.Request{Methods: []core.Method{c.method}}))(t).Explanations[0]
			coretest.Near(t, "neutral", e.Neutral, c.neutral, 1e-12)
			for i, v := range e.Scores {
				if slices.Contains(c.unscored, i) {
					must.Equal(t, v, e.Neutral, i, e.StdErr[i], e.Evident[i])
					must.Equal(t, math.IsInf(e.StdErr[i], 1), true, i, v, e.StdErr[i], e.Evident[i])
					must.Equal(t, e.Evident[i], false, i, v, e.StdErr[i], e.Evident[i])
					continue
				}
				coretest.Near(t, fmt.Sprint("instance ", i), v, c.want(i), 1e-12)
				must.Equal(t, e.StdErr[i], 0, i, e.Evident[i])
				must.Equal(t, e.Evident[i], math.Abs(v-e.Neutral) > 1e-6, i, e.StdErr[i])
			}
			must.Contain(t, strings.Join(e.Notes, " "), c.note)
		})
	}
}

// TestShapleyLeavesOutUnanswered takes additive games, whose terms any pairs determine, and whose
// errors are those of rounding.
func TestShapleyLeavesOutUnanswered(t *testing.T) {
	for _, k := range []int{8, 24} {
		f := raw(k, func(members []int) float64 {
			sum := 0.0
			for _, i := range members {
				sum += float64(i)
			}
			if len(members) > 1 && len(members) < k && members[0] == 2 {
				return math.Inf(1)
			}
			return sum
		})
		for name, ev := range map[string]core.Evaluator{"one by one": f,
			"together": &games.Sharing{Fake: f}} {
			t.Run(fmt.Sprint(k, " ", name), func(t *testing.T) {
				e := must.Get(core.Explain(t.Context(), ev,
					core.Request{Methods: []core.Method{Shapley{}}}))(t).Explanations[0]
				for i, v := range e.Scores {
					coretest.Near(t, fmt.Sprint("instance ", i), v, float64(i), 1e-6)
				}
				notes := strings.Join(e.Notes, " ")
				if !strings.Contains(notes, "pairs of a coalition and its complement have no") ||
					strings.Contains(notes, "all coalitions were evaluated") {
					t.Errorf("notes %q", e.Notes)
				}
			})
		}
	}
}

// TestShapleyOfRareGaps takes models without an answer for one coalition in 200: scores stay finite
// whether the missing one is a context or a neighbour of one.
func TestShapleyOfRareGaps(t *testing.T) {
	const k = 24
	for salt := range 8 {
		f := raw(k, func(members []int) float64 {
			sum, code := 0.0, uint32(salt)
			for _, i := range members {
				sum += float64(i)
				code = (code + uint32(i) + 1) * 2654435761
			}
			if len(members) > 2 && len(members) < k-2 && code>>8%200 == 0 {
				return math.NaN()
			}
			return sum
		})
		e := must.Get(core.Explain(t.Context(), &games.Sharing{Fake: f},
			core.Request{Methods: []core.Method{Shapley{}}}))(t).Explanations[0]
		for i, v := range e.Scores {
			coretest.Near(t, fmt.Sprint("instance ", i), v, float64(i), 1e-6)
		}
	}
}

// TestFewAnswers checks the error of methods for a model that has too few answers.
func TestFewAnswers(t *testing.T) {
	f := raw(12, func(members []int) float64 {
		if len(members) > 1 && len(members) < 12 && !slices.Contains(members, 5) {
			return math.NaN()
		}
		if len(members) == 1 && members[0] == 5 {
			return .5 // 5 is the least suspicious then, and in nearly all reference bags
		}
		return float64(len(members))
	})
	never := *f
	never.Value = func(members []int) []float64 {
		if len(members) > 1 && len(members) < 12 {
			return []float64{math.NaN()}
		}
		return []float64{1}
	}
	alone := *f
	alone.Value = func(members []int) []float64 {
		if len(members) == 1 {
			return []float64{math.NaN()}
		}
		return []float64{1}
	}
	for _, c := range []struct {
		name  string
		ev    core.Evaluator
		m     core.Method
		words []string
	}{
		{"one by one", &never, Consensus{}, []string{" reference bags have no answer"}},
		{"together", &games.Sharing{Fake: &never}, Consensus{},
			[]string{" reference bags have no answer"}},
		{"one instance in none", f, Consensus{}, []string{"too few to score every instance",
			"of 156 reference bags"}},
		{"pairs", &never, Shapley{}, []string{"pairs of a coalition and its complement have no"}},
		{"coalitions", &never, RandomSHAP{}, []string{"199 of 200 coalitions have no answer"}},
		{"none scored alone", &alone, Combined{}, []string{"instance 0"}},
		{"none scored without one", &never, Combined{}, []string{"the bag without instance 0"}},
		{"none scored", &never, OneRemoved{}, []string{"the bag without instance 0",
			"one_removed needs this coalition; use consensus or random_shap"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var bad *core.NonFiniteError
			_, err := core.Explain(t.Context(), c.ev, core.Request{Methods: []core.Method{c.m}})
			must.As(t, err, &bad)
			must.Equal(t, bad.Coalition != "", true, err)
			for _, word := range c.words {
				must.Fail(t, err, word)
			}
		})
	}
}
