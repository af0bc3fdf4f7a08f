package core

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// sharing is a fake that evaluates neighbours one by one, and counts them.
type sharing struct {
	*fake
	neighbours atomic.Int64
}

func (s *sharing) HasNeighbours() bool { return true }

func (s *sharing) EvaluateNeighbours(ctx context.Context, dst []float64, z []uint64) error {
	c, all := s.task.Classes, NeighbourCoalitions(s.task.Instances, z)
	for i := range all.Len() {
		row, one := dst[i*c:(i+1)*c], all.Slice(i, i+1)
		if one.Size(0) < s.task.LeastBag() {
			for n := range row {
				row[n] = math.NaN()
			}
			continue
		}
		if err := s.Evaluate(ctx, row, one); err != nil {
			return err
		}
		s.neighbours.Add(1)
	}
	return nil
}

// steep is a game of two classes in which few instances matter and act together.
func steep(k int) *fake {
	return &fake{Task{k, 2, ScaleLogits, 0, 0}, func(members []int) []float64 {
		key, sum := 0, 0.0
		for _, i := range members {
			if i%5 == 1 {
				key++
			}
			sum += math.Sin(float64(3*i + 1))
		}
		return []float64{0, 4*math.Tanh(float64(key)-1) + sum/float64(len(members))}
	}}
}

// settled is a game that the first key instance settles, so that large contexts change nothing.
func settled(k int) *fake {
	return &fake{Task{k, 2, ScaleLogits, 0, 0}, func(members []int) []float64 {
		out := -3.0
		for _, i := range members {
			if i%2 == 0 {
				out = max(out, 2+.3*float64(i))
			}
		}
		return []float64{0, out}
	}}
}

// TestConsensusSlowly compares small bags with a direct implementation of the definition.
func TestConsensusSlowly(t *testing.T) {
	taken := 0
	for n, f := range []*fake{logits(2), logits(3), logits(8), steep(6), steep(10), settled(5),
		settled(10), distracted(9), distracted(10)} {
		k := f.task.Instances
		report, err := Explain(t.Context(), f,
			Request{Methods: []Method{Consensus{}}, GameOptions: GameOptions{Seed: 8}})
		if err != nil {
			t.Fatal(err)
		}
		for class := range f.task.Classes {
			e := report.Explanations[class]
			want, alike := slowConsensus(f, class)
			for i, v := range e.Scores {
				near(t, fmt.Sprintf("game %d, k %d, class %d, instance %d", n, k, class, i), v,
					want[i], 1e-9)
			}
			if e.StdErr != nil || e.Unit != UnitLogOdds {
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

// slowOdds returns the log-odds of a class for a coalition given by its bits.
func slowOdds(f *fake, set, class int) float64 {
	p := slowProbability(f, set, class)
	return math.Log(p+1e-4) - math.Log(1-p+1e-4)
}

func slowProbability(f *fake, set, class int) float64 {
	var members []int
	for i := range f.task.Instances {
		if set>>i&1 != 0 {
			members = append(members, i)
		}
	}
	row := f.value(members)
	total := 0.0
	for _, v := range row {
		total += math.Exp(v)
	}
	return math.Exp(row[class]) / total
}

// slowValue returns the expected marginal contributions to a class for given probabilities, over
// contexts of one instance or more.
func slowValue(f *fake, p []float64, class int) []float64 {
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
			out[i] += weight * (slowOdds(f, set|1<<i, class) - slowOdds(f, set, class))
		}
		out[i] /= total
	}
	return out
}

// slowRanked returns the ramp's probability of each instance, where equal ranks share their mean.
func slowRanked(importance []float64) []float64 {
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

// slowConsensus also reports whether the unguided curve is taken.
func slowConsensus(f *fake, class int) ([]float64, bool) {
	k := f.task.Instances
	single := make([]float64, k)
	for i := range single {
		single[i] = 1 - slowProbability(f, 1<<i, 0)
	}
	second := slowValue(f, slowRanked(single), 0)
	for i, v := range second {
		second[i] = -v
	}
	ramp, again := slowValue(f, slowRanked(single), class), slowValue(f, slowRanked(second), class)
	few, half := make([]float64, k), make([]float64, k)
	for i := range k {
		ramp[i] = (2*ramp[i] + again[i]) / 3
		few[i], half[i] = min(.5, 1/float64(k)), .5
	}
	few, alike := slowValue(f, few, class), slowValue(f, half, class)
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
	if slowTrial(f, out, class)-slowTrial(f, alike, class) > .2 {
		return alike, true
	}
	return out, false
}

// slowTrial returns the mean output while instances are removed, the highest scores first. No two
// scores are equal but for instances that are twins.
func slowTrial(f *fake, scores []float64, class int) (mean float64) {
	k := len(scores)
	order := make([]int, k)
	for i := range order {
		order[i] = i
	}
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
		mean += slowProbability(f, set, class) / float64(k-1)
	}
	return mean
}

// distracted is a model that goes by every third instance in small coalitions, and by the next ones
// in large ones.
func distracted(k int) *fake {
	return &fake{Task{k, 2, ScaleLogits, 0, 0}, func(members []int) []float64 {
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
	}}
}

// TestEstimators compares shared contexts, surrogates and covariances with the enumeration of all
// contexts: each is off by about its standard error.
func TestEstimators(t *testing.T) {
	for name, f := range map[string]*fake{"mean": logits(11), "steep": steep(12),
		"of three or more": atLeast(steep(11), 3)} {
		t.Run(name, func(t *testing.T) {
			g := gameOf(t, &sharing{fake: f})
			classes := []int{0, 1}
			exact, err := g.enumerate(t.Context(), classes)
			if err != nil {
				t.Fatal(err)
			}
			k := g.Instances()
			importance := make([]float64, k)
			order := make([]int, k)
			for i := range importance {
				importance[i], order[i] = float64((i*7)%k), i
			}
			d := rampCurve.ranked(importance, OrderTies(importance, order))
			want, _ := exact.estimate(t.Context(), "", d, 0)
			for by, e := range map[string]estimator{
				"contexts": &shared{g, g.neighbourEvaluator(), classes}, "surrogates": &separate{g,
					classes},
			} {
				if by == "surrogates" && f.task.Least > 1 {
					// coalitions below the least bag are filled up, which is another distribution
					continue
				}
				got, err := e.estimate(t.Context(), "exam", d, 64)
				if err != nil {
					t.Fatal(err)
				}
				off, count := 0.0, 0.0
				for class := range classes {
					for i, v := range got.phi[class] {
						if s := got.squares[class][i]; s > 1e-20 {
							off += (v - want.phi[class][i]) * (v - want.phi[class][i]) / s
							count++
						} else {
							near(t, name+" without an error", v, want.phi[class][i], 1e-9)
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

// atLeast is a fake that takes no bag below a size.
func atLeast(f *fake, least int) *fake {
	small := *f
	small.task.Least = least
	small.value = func(members []int) []float64 {
		if len(members) < least {
			panic("a coalition is too small")
		}
		return f.value(members)
	}
	return &small
}

// TestCovariances compares the estimator of very large bags with the enumeration.
func TestCovariances(t *testing.T) {
	f := steep(10)
	g := gameOf(t, f)
	exact, err := g.enumerate(t.Context(), []int{1})
	if err != nil {
		t.Fatal(err)
	}
	order := []int{3, 1, 4, 0, 5, 9, 2, 6, 8, 7}
	d := uniform(.4, order)
	want, _ := exact.estimate(t.Context(), "", d, 0)
	s := &separate{g, []int{1}}
	drawn, err := Sampling{Samples: 6000, Repeats: true}.draw(t.Context(), 10,
		bernoulli(d.byRank, g.Rand("exam")))
	if err != nil {
		t.Fatal(err)
	}
	drawn.z = drawn.z.renamed(order)
	got, err := s.covariances(t.Context(), drawn, d.probabilities())
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got.phi[0] {
		e := math.Sqrt(got.squares[0][i])
		if off := math.Abs(v - want.phi[0][i]); off > 4*e || e > .1 {
			t.Errorf("instance %d scores %v ± %v, want %v", i, v, e, want.phi[0][i])
		}
	}
}

// TestConsensusLeastBag explains models that take no small bag, by all three estimators.
func TestConsensusLeastBag(t *testing.T) {
	for _, f := range []*fake{atLeast(steep(4), 3), atLeast(steep(9), 3), atLeast(steep(25), 5)} {
		for _, ev := range []Evaluator{f, &sharing{fake: f}} {
			report, err := Explain(t.Context(), ev, Request{Methods: []Method{Consensus{}}})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range report.Explanations {
				for i, v := range e.Scores {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Errorf("instance %d scores %v", i, v)
					}
				}
			}
		}
	}
	f := atLeast(steep(5), 5)
	var missing *UnavailableError
	if _, err := Explain(t.Context(), f, Request{Methods: []Method{Consensus{}}}); !errors.As(err,
		&missing) {
		t.Errorf("a bag of the least size ends with %v", err)
	}
	if testing.Short() {
		return // the rest takes half a minute under the race detector
	}
	// Beyond mostAccompanied no instance is scored in company, and removing ranks them.
	f = atLeast(&fake{Task{mostAccompanied + 1, 1, ScaleRaw, -1, 0}, func(members []int) []float64 {
		return []float64{map[bool]float64{true: 1}[slices.Contains(members[:4], 3)]}
	}}, 4)
	importance, err := gameOf(t, f).importance(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if at := slices.Index(importance, slices.Max(importance)); at != 3 {
		t.Errorf("instance %d ranks first, want 3", at)
	}
}

// TestConsensusCounts compares the evaluations that a report states with those that the model does.
func TestConsensusCounts(t *testing.T) {
	s := &sharing{fake: steep(30)}
	last, total := 0, 0
	report, err := Explain(t.Context(), s, Request{Methods: []Method{Consensus{}},
		GameOptions: GameOptions{
			Workers: 1, Progress: func(done, all int) {
				if done < last || all < done {
					t.Errorf("progress goes from %d to %d of %d", last, done, all)
				}
				last, total = done, all
			}}})
	if err != nil {
		t.Fatal(err)
	}
	if last != total || last != report.Evaluations {
		t.Errorf("progress ends at %d of %d, and the report states %d", last, total,
			report.Evaluations)
	}
	// A context without two instances counts with all its neighbours, of which the model takes
	// fewer.
	if least, most := int(s.neighbours.Load()), (Consensus{}).bound(30, 2,
		true); report.Evaluations < least || report.Evaluations > most+1 {
		t.Errorf("%d evaluations, want %d to %d", report.Evaluations, least, most)
	}
	var budget *BudgetError
	_, err = Explain(t.Context(), s, Request{Methods: []Method{Consensus{}},
		GameOptions: GameOptions{Budget: 3000}})
	if !errors.As(err, &budget) || budget.Used+budget.Needed <= 3000 {
		t.Errorf("a budget of 3000 ends with %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stopped := 0
	_, err = Explain(ctx, s, Request{Methods: []Method{Consensus{}},
		GameOptions: GameOptions{Progress: func(done, _ int) {
			if done > 1000 {
				cancel()
				stopped = done
			}
		}}})
	if !errors.Is(err, context.Canceled) || stopped > 3000 {
		t.Errorf("cancelled after 1000 evaluations, it ends after %d with %v", stopped, err)
	}
}

// TestConsensusNonFinite names the neighbour whose value is not a number.
func TestConsensusNonFinite(t *testing.T) {
	f := &fake{Task{12, 1, ScaleRaw, -1, 0}, func(members []int) []float64 {
		if len(members) == 6 {
			return []float64{math.NaN()}
		}
		return []float64{float64(len(members))}
	}}
	var bad *NonFiniteError
	_, err := Explain(t.Context(), &sharing{fake: f}, Request{Methods: []Method{Consensus{}}})
	if !errors.As(err, &bad) || strings.Count(bad.Coalition, "1") != 6 || len(bad.Coalition) != 12 {
		t.Errorf("%v", err)
	}
}

// TestConsensusPrecise checks the errors that Precise promises, and that it costs more than the
// default.
func TestConsensusPrecise(t *testing.T) {
	s := &sharing{fake: &fake{Task{14, 1, ScaleRaw, -1, 0}, func(members []int) []float64 {
		sum := 0.0 // of pairs, so that a marginal contribution depends on the context
		for _, i := range members {
			for _, j := range members {
				sum += math.Sin(float64(7*i*j + i + j))
			}
		}
		return []float64{sum}
	}}}
	report, err := Explain(t.Context(), s, Request{Methods: []Method{Consensus{Precise: true}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range report.Explanations {
		largest := 0.0
		for _, v := range e.Scores {
			largest = max(largest, math.Abs(v))
		}
		if worst := slices.Max(e.StdErr); worst > .02*largest {
			t.Errorf("class %d: a standard error of %v beside a score of %v", e.Class, worst,
				largest)
		}
	}
	if most := (Consensus{}).bound(14, 1, true); report.Evaluations <= most {
		t.Errorf("%d evaluations, no more than the default's %d", report.Evaluations, most)
	}
}

// TestConsensusNotes checks that each class says why no more contexts were drawn.
func TestConsensusNotes(t *testing.T) {
	tied := &fake{Task{20, 1, ScaleRaw, -1, 0}, func(members []int) []float64 {
		return []float64{math.Sqrt(float64(len(members)))}
	}}
	clear := &fake{Task{20, 1, ScaleRaw, -1, 0}, func(members []int) []float64 {
		v := 0.0
		for _, i := range members {
			v += math.Exp2(-float64(i))
		}
		return []float64{v}
	}}
	for _, c := range []struct {
		ev   Evaluator
		note string
	}{
		{logits(9), "all coalitions were evaluated"},
		{&sharing{fake: tied},
			"the five largest scores are not separated from the others after 128 contexts"},
		{&sharing{fake: clear},
			"the five largest scores are separated from the others after 64 contexts"},
		{logits(20), "an additive surrogate of 800 coalitions a curve"},
		{logits(12), "scores are differences of log-odds"},
		{logits(2100), "the scores leave small coalitions out"},
	} {
		report, err := Explain(t.Context(), c.ev, Request{Methods: []Method{Consensus{}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(report.Explanations[0].Notes, "; "); !strings.Contains(got, c.note) {
			t.Errorf("notes %q, want %q", got, c.note)
		}
	}
}

// TestQuantile compares with gonum's Student distribution.
func TestQuantile(t *testing.T) {
	for _, freedom := range []float64{5, 15, 63, 500} {
		for _, p := range []float64{.05, 1e-3, 1e-6} {
			want := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(1 - p)
			near(t, fmt.Sprintf("freedom %v, p %v", freedom, p), quantile(p, freedom), want,
				1e-5*want)
		}
	}
}

// TestFreedom joins an estimate whose errors are not known with one whose errors are.
func TestFreedom(t *testing.T) {
	unknown := &estimate{squares: [][]float64{{math.Inf(1), math.Inf(1)}}}
	known := &estimate{squares: [][]float64{{1, 3}}, freedom: 63}
	for _, c := range []struct {
		parts []part
		want  float64
	}{{[]part{{unknown, 1}}, 0}, {[]part{{known, 1}}, 63}, {[]part{{known, .5}, {unknown, .5}}, 63},
		{[]part{{known, 1}, {known, 1}}, 126}} {
		if got := (join{0, c.parts}).freedom(); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%d parts have %v degrees of freedom, want %v", len(c.parts), got, c.want)
		}
	}
}

// TestPairedDifference checks that shared contexts make the error of a difference small: two
// instances whose effects vary together differ by a constant.
func TestPairedDifference(t *testing.T) {
	f := &fake{Task{16, 1, ScaleRaw, -1, 0}, func(members []int) []float64 {
		set, sum := 0, 0.0
		for _, i := range members {
			set |= 1 << i
			sum += float64(i % 2)
		}
		first := float64(bits.OnesCount(uint(set & 3)))
		return []float64{first*sum + .1*float64(set&1)}
	}}
	g := gameOf(t, &sharing{fake: f})
	order := make([]int, 16)
	for i := range order {
		order[i] = i
	}
	e, err := (&shared{g, g.neighbourEvaluator(), []int{0}}).estimate(t.Context(), "exam",
		uniform(.5, order), 64)
	if err != nil {
		t.Fatal(err)
	}
	j := join{0, []part{{e, 1}}}
	own, paired := math.Sqrt(e.squares[0][0]+e.squares[0][1]), math.Sqrt(j.difference(0, 1, 1, -1))
	if !(paired < own/2) {
		t.Errorf("the paired difference has an error of %v, two scores on their own %v", paired,
			own)
	}
}

func gameOf(t *testing.T, ev Evaluator) *Game {
	t.Helper()
	g, err := NewGame(ev, GameOptions{Seed: 6})
	if err != nil {
		t.Fatal(err)
	}
	return g
}
