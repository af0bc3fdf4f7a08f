package methods

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/internal/games"
	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/sampling"
	"github.com/bagscope/bagscope/internal/must"
	"gonum.org/v1/gonum/stat"
)

// TestConsensusEqualsItsDefinition compares small bags with a direct implementation of the
// definition.
func TestConsensusEqualsItsDefinition(t *testing.T) {
	taken := 0
	for n, f := range []*games.Fake{games.Logits(2), games.Logits(3), games.Logits(8),
		games.Steep(6), games.Steep(10), games.Saturated(5),
		games.Saturated(10), distracted(9), distracted(10)} {
		k := f.Shape.Instances
		report := must.Get(core.Explain(t.Context(), f,
			core.Request{Methods: []core.Method{Consensus{}},
				GameOptions: core.GameOptions{Seed: 8}}))(t)
		for class := range f.Shape.Classes {
			e := report.Explanations[class]
			want, alike := directConsensus(f, class)
			for i, v := range e.Scores {
				coretest.Near(t,
					fmt.Sprintf("game %d, k %d, class %d, instance %d", n, k, class, i), v, want[i],
					1e-9)
			}
			if e.StdErr != nil || e.Unit != core.UnitLogOdds {
				t.Errorf("game %d: standard errors %v, unit %s", n, e.StdErr, e.Unit)
			}
			if noted := strings.Contains(strings.Join(e.Notes, " "),
				"with the same probability"); noted != alike {
				t.Errorf("game %d, class %d: unguided %v, and the notes are %q", n, class, alike,
					e.Notes)
			}
			if alike {
				taken++
			}
		}
	}
	if taken == 0 {
		t.Error("the unguided curve is never taken: that side is not tried")
	}
}

// directOdds returns the log-odds of a class for a coalition given by its bits.
func directOdds(f *games.Fake, set, class int) float64 {
	p := directProbability(f, set, class)
	return math.Log(p+1e-4) - math.Log(1-p+1e-4)
}

func directProbability(f *games.Fake, set, class int) float64 {
	var members []int
	for i := range f.Shape.Instances {
		if set>>i&1 != 0 {
			members = append(members, i)
		}
	}
	row := f.Value(members)
	total := 0.0
	for _, v := range row {
		total += math.Exp(v)
	}
	return math.Exp(row[class]) / total
}

// directValue returns the expected marginal contributions to a class for given probabilities, over
// contexts of one instance or more.
func directValue(f *games.Fake, p []float64, class int) []float64 {
	k := len(p)
	out := make([]float64, k)
	for i := range k {
		total := 0.0
		for set := 1; set < 1<<k; set++ {
			if set>>i&1 != 0 {
				continue
			}
			weight := 1.0
			for j := range k {
				if j != i {
					weight *= map[bool]float64{true: p[j], false: 1 - p[j]}[set>>j&1 != 0]
				}
			}
			total += weight
			out[i] += weight * (directOdds(f, set|1<<i, class) - directOdds(f, set, class))
		}
		out[i] /= total
	}
	return out
}

// directRanked returns the ramp's probability of each instance, where equal ranks share their mean.
func directRanked(importance []float64) []float64 {
	k := len(importance)
	width := 1e-6 * (slices.Max(importance) - slices.Min(importance))
	out := make([]float64, k)
	for i, v := range importance {
		above, equal := 0, 0
		for _, w := range importance {
			switch {
			case math.Abs(v-w) <= width:
				equal++
			case w > v:
				above++
			}
		}
		for r := above; r < above+equal; r++ {
			x, last := float64(r), float64(k-1)
			out[i] += (1 - .02 - (1-2*.02)*(1-x/last)*math.Exp(-.03*x)) / float64(equal)
		}
	}
	return out
}

// directConsensus returns the scores of a class, and whether they are those of the unguided curve.
func directConsensus(f *games.Fake, class int) ([]float64, bool) {
	k := f.Shape.Instances
	single := make([]float64, k)
	for i := range single {
		single[i] = 1 - directProbability(f, 1<<i, 0)
	}
	second := directValue(f, directRanked(single), 0)
	for i, v := range second {
		second[i] = -v
	}
	ramp, again := directValue(f, directRanked(single), class), directValue(f, directRanked(second),
		class)
	few, half := make([]float64, k), make([]float64, k)
	for i := range k {
		ramp[i] = (2*ramp[i] + again[i]) / 3
		few[i], half[i] = min(.5, 1/float64(k)), .5
	}
	few, unguided := directValue(f, few, class), directValue(f, half, class)
	dr, df := stat.PopStdDev(ramp, nil), stat.PopStdDev(few, nil)
	out := ramp
	if df > 0 {
		x := dr / df
		wr, wf := x*x/(x*x+.09), .05
		out = make([]float64, k)
		for i := range out {
			d := (wr*dr + wf*df) / (wr + wf)
			out[i] = d * wf * few[i] / df / (wr + wf)
			if dr > 0 {
				out[i] += d * wr * ramp[i] / dr / (wr + wf)
			}
		}
	}
	if directMeanOutput(f, out, class)-directMeanOutput(f, unguided, class) > .2 {
		return unguided, true
	}
	return out, false
}

// directMeanOutput returns the mean output while instances are removed, the highest scores first.
// No two scores are equal except those of equal instances.
func directMeanOutput(f *games.Fake, scores []float64, class int) (mean float64) {
	k := len(scores)
	order := linear.Indices(k)
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	for cut := 1; cut < k; cut++ {
		set := 0
		for _, i := range order[cut:] {
			set |= 1 << i
		}
		mean += directProbability(f, set, class) / float64(k-1)
	}
	return mean
}

// distracted is a model whose output depends on every third instance in small coalitions, and on
// the instances after these in large ones.
func distracted(k int) *games.Fake {
	return &games.Fake{
		Shape: core.Task{Instances: k, Classes: 2, Scale: core.ScaleLogits, Negative: 0, Least: 0},
		Value: func(members []int) []float64 {
			few, many := 0.0, 0.0
			for _, i := range members {
				switch i % 3 {
				case 0:
					few += 3 + .02*float64(i)
				case 1:
					many += 120/float64(k) + .03*float64(i)
				}
			}
			if len(members) <= k/3 {
				return []float64{0, min(few, 9) - 5}
			}
			return []float64{0, many/10 - 1}
		},
	}
}

// TestEstimators compares shared contexts, surrogates and covariances with the enumeration of all
// contexts: each is off by about its standard error.
func TestEstimators(t *testing.T) {
	for name, f := range map[string]*games.Fake{"mean": games.Logits(11), "steep": games.Steep(12),
		"of three or more": games.AtLeast(games.Steep(11), 3)} {
		t.Run(name, func(t *testing.T) {
			g := games.New(t, &games.Sharing{Fake: f})
			classes := []int{0, 1}
			exact := must.Get(enumerate(t.Context(), g, classes))(t)
			k := g.Instances()
			importance := make([]float64, k)
			order := make([]int, k)
			for i := range importance {
				importance[i], order[i] = float64((i*7)%k), i
			}
			d := sampling.Inclusion{
				ByRank: ConsensusRamp().Ranked(importance, core.OrderTies(importance, order)),
				Order:  core.OrderTies(importance, order),
			}
			want, _ := exact.estimate(t.Context(), "", d, 0)
			for by, e := range map[string]estimator{
				"contexts": &shared{g, g.Neighbours(), classes}, "surrogates": &separate{g,
					classes},
			} {
				if by == "surrogates" && f.Shape.Least > 1 {
					// coalitions below the least bag are filled up, which is another distribution
					continue
				}
				got := must.Get(e.estimate(t.Context(), "exam", d, 64))(t)
				off, count := 0.0, 0.0
				for class := range classes {
					for i, v := range got.phi[class] {
						if s := got.squares[class][i]; s > 1e-20 {
							off += (v - want.phi[class][i]) * (v - want.phi[class][i]) / s
							count++
						} else {
							coretest.Near(t, name+" without an error", v, want.phi[class][i], 1e-9)
						}
					}
				}
				if ratio := math.Sqrt(off / count); !(ratio < 1.8) {
					t.Errorf("%s, %s: scores are off by %.2f standard errors", name, by, ratio)
				}
			}
		})
	}
}
