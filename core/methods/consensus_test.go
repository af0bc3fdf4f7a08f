package methods

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/internal/games"
	"github.com/bagscope/bagscope/internal/must"
)

// consensusOf returns the explanations of a game.
func consensusOf(t *testing.T, ev core.Evaluator, seed uint64) []core.Explanation {
	t.Helper()
	return must.Get(core.Explain(t.Context(), ev, core.Request{Methods: []core.Method{Consensus{}},
		GameOptions: core.GameOptions{Seed: seed}}))(t).Explanations
}

// raw returns a game of one class on raw scores.
func raw(k int, value func(members []int) float64) *games.Fake {
	return &games.Fake{
		Shape: core.Task{Instances: k, Classes: 1, Scale: core.ScaleRaw, Negative: -1},
		Value: func(members []int) []float64 { return []float64{value(members)} },
	}
}

// largest returns the game of the largest value.
func largest(values ...float64) *games.Fake {
	return raw(len(values), func(members []int) float64 {
		v := math.Inf(-1)
		for _, i := range members {
			v = max(v, values[i])
		}
		return v
	})
}

// TestConsensusGolden compares with fractions that were computed by hand from the definition. The
// first game is the worked example of METHODS.
func TestConsensusGolden(t *testing.T) {
	mean := func(values ...float64) *games.Fake {
		return raw(len(values), func(members []int) float64 {
			sum := 0.0
			for _, i := range members {
				sum += values[i]
			}
			return sum / float64(len(members))
		})
	}
	both := raw(6, func(members []int) float64 {
		ranked := []float64{.5, .4, .3, .2, .1, 0} // alone, so that the two are the most suspicious
		if slices.Contains(members, 0) && slices.Contains(members, 1) {
			return 10
		}
		if len(members) == 1 {
			return 1e-9 * ranked[members[0]]
		}
		return 0
	})
	for _, c := range []struct {
		name string
		game *games.Fake
		want []float64
	}{
		{"largest of four", largest(3, 2, 0, -1), []float64{31. / 14, 17. / 14, 5. / 42, 0}},
		{"mean of six", mean(5, 3, 1, 0, -1, -2), []float64{715. / 504, 51. / 56, 193. / 504,
			23. / 252, -5. / 21, -41. / 72}},
		{"both of two", both, []float64{85. / 42, 85. / 42, 0, 0, 0, 0}},
	} {
		for form, ev := range map[string]core.Evaluator{"one by one": c.game,
			"together": &games.Sharing{Fake: c.game}} {
			got := consensusOf(t, ev, 1)[0]
			for i, want := range c.want {
				coretest.Near(t, fmt.Sprintf("%s, %s, instance %d", c.name, form, i),
					got.Scores[i], want, 1e-8)
			}
		}
	}
}

// TestWorkedExampleIsStated: the documents state the scores of the first game.
func TestWorkedExampleIsStated(t *testing.T) {
	e := consensusOf(t, largest(3, 2, 0, -1), 0)[0]
	for _, name := range []string{"../METHODS.md", "../../www/docs/reading.md"} {
		text := string(must.Get(os.ReadFile(name))(t))
		for _, v := range e.Scores[:3] {
			must.Contain(t, text, fmt.Sprintf("%.4f", v))
		}
	}
}

// directConsensus computes the definition set by set, for instances in the given order. twins
// (instance) are equal for instances that share their combs' part. Differences that are NaN are
// left out and counted.
func directConsensus(
	f *games.Fake, order, twins []int, class int,
) (out []float64, left core.Unanswered) {
	k, least := len(order), f.Shape.LeastBag()
	scale := math.Min(1, 300/float64(k)*300/float64(k))
	value := func(set map[int]bool) float64 {
		var members []int
		for i := range k {
			if set[i] {
				members = append(members, i)
			}
		}
		row := f.Value(members)
		if f.Shape.Scale == core.ScaleRaw {
			return row[class]
		}
		total := 0.0
		for _, v := range row {
			total += math.Exp(v)
		}
		p := math.Exp(row[class]) / total
		return math.Log((p + 1e-4) / (1 - p + 1e-4))
	}
	out = make([]float64, k)
	weights, comb, combWeights := make([]float64, k), make([]float64, k), make([]float64, k)
	add := func(sums, weights []float64, i int, weight float64, bag map[int]bool) {
		without := value(bag)
		bag[i] = true
		left.Of++
		if gain := value(bag) - without; math.IsNaN(gain) {
			left.Missing++
		} else {
			sums[i] += weight * gain
			weights[i] += weight
		}
	}
	for rank, i := range order {
		others := slices.Delete(slices.Clone(order), rank, rank+1)
		at := func(places ...int) map[int]bool {
			bag := map[int]bool{}
			for _, p := range places {
				bag[others[p]] = true
			}
			return bag
		}
		for c := 3; c <= 9; c++ {
			n := int(math.Ceil(float64(c*(k-1))/10 - 1e-9))
			bag := map[int]bool{}
			for _, j := range others[:min(k-1, max(least, n))] {
				bag[j] = true
			}
			add(out, weights, i, 10, bag)
		}
		q := max(2, least)
		for j := range 4 {
			var places []int
			for a := range q {
				share := (float64(a) + (2*float64(j)+1)/8) / float64(q)
				places = append(places, int(float64(k-1)*share))
			}
			add(out, weights, i, scale, at(places...))
		}
		top := max(2, int(math.Ceil(float64(k)/5)))
		for half := range 2 {
			bag := map[int]bool{}
			for r, j := range order {
				if r < k-top || (r-(k-top))%2 == half {
					bag[j] = true
				}
			}
			delete(bag, i)
			if len(bag) >= least {
				add(comb, combWeights, i, 5, bag)
			}
		}
	}
	for i := range out {
		sum, weight, n := 0.0, 0.0, 0.0
		for j, twin := range twins {
			if twin == twins[i] {
				sum, weight, n = sum+comb[j], weight+combWeights[j], n+1
			}
		}
		out[i] = (out[i] + sum/n) / (weights[i] + weight/n)
	}
	return out, left
}

// TestConsensusEqualsItsDefinition compares both ways of evaluating with the definition, for bags
// of all small sizes and some larger ones, and models that take no small bag.
func TestConsensusEqualsItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, k := range []int{2, 3, 4, 5, 6, 7, 9, 10, 11, 14, 30, 310} {
		for _, least := range []int{1, 2, 3, 6, 9} {
			if k <= least {
				continue
			}
			worth := make([]float64, k)
			for i := range worth {
				worth[i] = rng.NormFloat64() + .5*float64(i%2)
			}
			f := &games.Fake{
				Shape: core.Task{Instances: k, Classes: 2, Scale: core.ScaleLogits, Negative: 0,
					Least: least},
				Value: func(members []int) []float64 {
					top, sum := math.Inf(-1), 0.0
					for _, i := range members {
						top = max(top, worth[i])
						sum += worth[i] * float64(1+i%3)
					}
					return []float64{0, 2*top + sum/float64(len(members)+1)}
				},
			}
			order := must.Get(games.New(t, f).Suspicion(t.Context()))(t)
			twins := make([]int, k)
			for r, i := range order.Order {
				twins[i] = order.Twins[r]
			}
			plain := consensusOf(t, f, 1)
			together := consensusOf(t, &games.Sharing{Fake: f}, 2)
			for class := range 2 {
				want, _ := directConsensus(f, order.Order, twins, class)
				for i := range k {
					name := fmt.Sprintf("k %d, least %d, class %d, instance %d", k, least, class, i)
					coretest.Near(t, name+", one by one", plain[class].Scores[i], want[i], 1e-9)
					coretest.Near(t, name+", together", together[class].Scores[i], want[i], 1e-9)
				}
			}
			if e := plain[1]; e.StdErr != nil || e.Unit != core.UnitLogOdds {
				t.Errorf("standard errors %v, unit %s", e.StdErr, e.Unit)
			}
		}
	}
}

// TestConsensusRange checks Low and High: the mean lies between them but for the pairs, and they
// are equal where the company does not matter.
func TestConsensusRange(t *testing.T) {
	e := consensusOf(t, largest(3, 2, 0, -1), 0)[0]
	must.EqualSlices(t, e.Low, []float64{1, 0, 0, 0})
	must.EqualSlices(t, e.High, []float64{4, 3, 1, 0})
}

// TestConsensusSaturation checks that zeros are explained.
func TestConsensusSaturation(t *testing.T) {
	anyOf := func(k, keys int) *games.Fake {
		return &games.Fake{
			Shape: core.Task{Instances: k, Classes: 2, Scale: core.ScaleLogits, Negative: 0},
			Value: func(members []int) []float64 {
				for _, i := range members {
					if i < keys {
						return []float64{0, 8.5}
					}
				}
				return []float64{0, -6.8}
			},
		}
	}
	for _, c := range []struct {
		keys  int
		share float64 // score of a key over what it changes among others, rounded
		note  string
	}{
		{1, 1, ""}, {3, .889, ""}, {18, .238, ""},
		{24, 0, "any one of 24 of the 30 instances alone gives this class 99 % or more"},
		{30, 0, "any one of 30 of the 30 instances alone gives this class 99 % or more"},
		{0, 0, "no instance changes this class"},
	} {
		both := consensusOf(t, anyOf(30, c.keys), 3)
		e := both[1]
		full := 1 / (1 + math.Exp(-8.5))
		empty := 1 / (1 + math.Exp(6.8))
		all := math.Log((full+1e-4)/(1-full+1e-4)) - math.Log((empty+1e-4)/(1-empty+1e-4))
		coretest.Near(t, fmt.Sprintf("%d keys", c.keys), e.Scores[0]/all, c.share, 5e-4)
		notes := strings.Join(e.Notes, "; ")
		said := strings.Contains(notes, "alone") || strings.Contains(notes, "no instance")
		must.Equal(t, said, c.note != "", c.keys)
		must.Contain(t, notes, c.note)
		for _, e := range both {
			must.Equal(t, (e.Unclear() == len(e.Scores)), said, c.keys, e.Class, e.Notes)
		}
		if c.keys == 0 {
			continue // the negative class has all answers, and each instance alone has it
		}
		other := strings.Join(both[0].Notes, "; ")
		must.Contain(t, other, strings.Replace(c.note, "99 % or more", "1 % or less", 1))
	}
}

// TestConsensusSaturationOfLargeBags: no instance suffices alone if the model takes none alone.
func TestConsensusSaturationOfLargeBags(t *testing.T) {
	f := games.AtLeast(games.Logits(30), 2)
	f.Value = func([]int) []float64 { return []float64{0, 9, 0} }
	for _, e := range consensusOf(t, f, 3) {
		must.Equal(t, strings.Contains(strings.Join(e.Notes, " "), "alone"), false)
	}
}

// TestConsensusRespectsLeastBag checks that a bag of the least size has no scores.
func TestConsensusRespectsLeastBag(t *testing.T) {
	var missing *core.UnavailableError
	must.As(t, must.Err(core.Explain(t.Context(), games.AtLeast(games.Steep(5), 5),
		core.Request{Methods: []core.Method{Consensus{}}})), &missing)
}

// TestConsensusCountsEvaluations compares the number of evaluations in a report with those that the
// model did, and with the bound.
func TestConsensusCountsEvaluations(t *testing.T) {
	for _, k := range []int{2, 3, 12, 30, 200} {
		for _, least := range []int{1, 4} {
			f := games.AtLeast(games.Steep(k), least)
			if k <= least {
				continue
			}
			for _, ev := range []core.Evaluator{f, &games.Sharing{Fake: f}} {
				last := 0
				report := must.Get(core.Explain(t.Context(), ev, core.Request{
					Methods: []core.Method{Consensus{}},
					GameOptions: core.GameOptions{Progress: func(done, total int) {
						if done < last || total < done {
							t.Errorf("progress goes from %d to %d of %d", last, done, total)
						}
						last = done
					}}}))(t)
				// The whole bag counts with the report, and companions with Single.
				g := games.New(t, ev)
				most := Consensus{}.EvaluationsIn(g, 2) + 1
				if least > 1 {
					most += 4 * (k + least)
				}
				if report.Evaluations > most || last != report.Evaluations {
					t.Errorf("k %d, least %d: %d evaluations, progress to %d, bound %d", k, least,
						report.Evaluations, last, most)
				}
			}
		}
	}
	s := &games.Sharing{Fake: games.Steep(30)}
	var budget *core.BudgetError
	_, err := core.Explain(t.Context(), s, core.Request{Methods: []core.Method{Consensus{}},
		GameOptions: core.GameOptions{Budget: 500}})
	must.As(t, err, &budget)
	must.Equal(t, budget.Used+budget.Needed > 500, true, err)
	ctx, cancel := context.WithCancel(t.Context())
	stopped := 0
	_, err = core.Explain(ctx, s, core.Request{Methods: []core.Method{Consensus{}},
		GameOptions: core.GameOptions{Progress: func(done, _ int) {
			cancel()
			stopped = done
		}}})
	must.Is(t, err, context.Canceled, stopped)
	must.Equal(t, stopped <= 1100, true, stopped, err)
}
