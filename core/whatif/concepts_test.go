package whatif_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/internal/rows"
	"github.com/bagscope/bagscope/core/whatif"
	"github.com/bagscope/bagscope/internal/must"
)

// singletons returns a concept for each of n instances.
func singletons(n int) (list []whatif.Concept) {
	for i := range n {
		list = append(list, whatif.Concept{Name: fmt.Sprint("c", i), Instances: []int{i}})
	}
	return list
}

// asked answers a ConceptsQuestion.
func asked(t *testing.T, ev core.Evaluator, q whatif.ConceptsQuestion) *whatif.Concepts {
	t.Helper()
	g := must.Get(core.NewGame(ev, core.GameOptions{}))(t)
	return must.Get(q.Answer(t.Context(), g))(t)
}

// TestConceptsOfInstances has known answers: concepts of one instance each have the Shapley values
// of the instances, which sum to f of all minus f of none.
func TestConceptsOfInstances(t *testing.T) {
	none := 0
	for _, of := range coretest.Games() {
		t.Run(of.Name, func(t *testing.T) {
			out := asked(t, of, whatif.ConceptsQuestion{Concepts: singletons(of.Players),
				Random: &none})
			sum := 0.0
			for j, e := range out.List {
				coretest.Near(t, "Shapley value", e.Shapley, of.Shapley[j], 1e-12)
				must.Equal(t, math.IsNaN(e.P) && e.StdErr == 0, true)
				sum += e.Shapley
			}
			coretest.Near(t, "sum", sum, out.Present-out.Absent, 1e-12)
			must.Equal(t, out.Rule == nil, true)
		})
	}
}

// TestConceptsAreUnions compares with a game of fewer players, whose values are those of unions.
func TestConceptsAreUnions(t *testing.T) {
	value := func(members []int) (v float64) {
		for _, i := range members {
			v += float64(i*i%7) + .1
		}
		return math.Sqrt(v)
	}
	none := 0
	list := []whatif.Concept{{"a", []int{0, 1, 5}}, {"b", []int{2, 5}}, {"c", []int{3}}}
	out := asked(t, &coretest.Game{Players: 8, Value: value},
		whatif.ConceptsQuestion{Concepts: list, Random: &none})
	v := func(set int) float64 {
		var members []int
		for i := range 8 {
			absent := slices.ContainsFunc([]int{0, 1, 2}, func(j int) bool {
				return set>>j&1 == 0 && slices.Contains(list[j].Instances, i)
			})
			if !absent {
				members = append(members, i)
			}
		}
		return value(members)
	}
	// The slow twin: the mean over all orders.
	var want [3]float64
	for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1},
		{2, 1, 0}} {
		set := 0
		for _, j := range order {
			want[j] += (v(set|1<<j) - v(set)) / 6
			set |= 1 << j
		}
	}
	for j, e := range out.List {
		coretest.Near(t, "Shapley value", e.Shapley, want[j], 1e-12)
		coretest.Near(t, "effect", e.Effect, v(7)-v(7&^(1<<j)), 1e-12)
		coretest.Near(t, "without", e.Without[0], v(7&^(1<<j)), 1e-12)
		coretest.Near(t, "alone", e.Alone[0], value(e.Instances), 1e-12)
	}
	joint := (v(3) - v(1) - v(2) + v(0) + v(7) - v(5) - v(6) + v(4)) / 2
	coretest.Near(t, "interaction", out.Joint[0][1], joint, 1e-12)
	coretest.Near(t, "interaction", out.Joint[1][0], joint, 1e-12)
}

// TestConceptsSampled has 14 concepts, whose Shapley values are known: errors are as large as the
// differences, and the sum is exact.
func TestConceptsSampled(t *testing.T) {
	of, none := coretest.Majority(14, 4), 0
	of.Value = func(m []int) float64 { return math.Sqrt(float64(len(m))) + float64(len(m)%3) }
	out := asked(t, of, whatif.ConceptsQuestion{Concepts: singletons(14), Random: &none})
	sum, far := 0.0, 0
	for _, e := range out.List {
		sum += e.Shapley
		if math.Abs(e.Shapley-out.Present/14) > 2.5*e.StdErr {
			far++
		}
		must.Equal(t, e.StdErr > 0 && e.StdErr < .2, true)
	}
	coretest.Near(t, "sum", sum, out.Present-out.Absent, 1e-9)
	must.Equal(t, far <= 2 && out.Joint == nil && out.Orders == 128, true)
}

// A ruled model has a value for sets of concepts, each of which is there if enough of its instances
// are members.
type ruled struct {
	k     int
	sets  []*core.Coalitions
	least []int
	value func(present int) float64
}

func (m *ruled) Task() core.Task {
	return core.Task{Instances: m.k, Classes: 1, Scale: core.ScaleRaw, Negative: -1}
}

func (m *ruled) EmptyValue() []float64 { return []float64{m.value(0)} }

func (m *ruled) Evaluate(_ context.Context, dst []float64, z *core.Coalitions) error {
	for at := range dst {
		present := 0
		for j, set := range m.sets {
			if rows.Overlap(set.Row(0), z.Row(at)) >= m.least[j] {
				present |= 1 << j
			}
		}
		dst[at] = m.value(present)
	}
	return nil
}

// randomConcepts returns m disjoint concepts of 3 to 6 of k instances.
func randomConcepts(rng *rand.Rand, k, m int) (list []whatif.Concept) {
	order := rng.Perm(k)
	for j := range m {
		n := 3 + rng.IntN(4)
		list = append(list, whatif.Concept{Name: fmt.Sprint("c", j),
			Instances: slices.Sorted(slices.Values(order[:n]))})
		order = order[n:]
	}
	return list
}

// randomRule returns a rule over some of m concepts.
func randomRule(rng *rand.Rand, m int) *whatif.Rule {
	order, n := rng.Perm(m), 1+rng.IntN(min(m, 5))
	r := &whatif.Rule{Least: 1 + rng.IntN(n)}
	for _, j := range order[:n] {
		r.Of = append(r.Of, whatif.Literal{Concept: j, Not: rng.IntN(4) == 0})
	}
	if n < m && n > 1 && rng.IntN(3) == 0 {
		l := &whatif.Literal{Concept: order[n], Not: rng.IntN(2) == 0}
		if r.Also = l; rng.IntN(2) == 0 {
			r.Also, r.Else = nil, l
		}
	}
	return r
}

// same reports whether two rules hold for the same sets of m concepts.
func same(a, b *whatif.Rule, m int) bool {
	for set := range 1 << m {
		present := func(j int) bool { return set>>j&1 == 1 }
		if a.Holds(present) != b.Holds(present) {
			return false
		}
	}
	return true
}

// examined returns the answer about a synthetic model of m concepts whose f is 4 where the rule
// holds and 0 else, plus an effect of each instance, and noise of each set of concepts. With
// random, the concepts of the question are others than those of the model.
func examined(t *testing.T, seed uint64, random bool) (*whatif.Concepts, *whatif.Rule, int) {
	rng := rand.New(rand.NewPCG(seed, 7))
	k, m := 80+rng.IntN(120), 1+rng.IntN(8)
	list, rule := randomConcepts(rng, k, m), randomRule(rng, m)
	noise := make([]float64, 1<<m)
	for n := range noise {
		noise[n] = .3 * rng.NormFloat64()
	}
	model := &ruled{k: k, value: func(set int) float64 {
		v := noise[set]
		if rule.Holds(func(j int) bool { return set>>j&1 == 1 }) {
			v += 4
		}
		return v
	}}
	for _, of := range list {
		z := core.NewCoalitions(k, 1)
		z.AppendMembers(of.Instances...)
		model.sets = append(model.sets, z)
		model.least = append(model.least, 1+rng.IntN((len(of.Instances)+1)/2))
	}
	if random {
		list = randomConcepts(rng, k, m)
	}
	g := must.Get(core.NewGame(model, core.GameOptions{Seed: seed}))(t)
	return must.Get(whatif.ConceptsQuestion{Concepts: list}.Answer(t.Context(), g))(t), rule, m
}

var thorough = flag.Int("thorough", 1, "how many times as many synthetic models are examined")

// TestConceptsRule is an exam on synthetic models: rules are recovered in 95 %, and random concepts
// have a rule in at most 5 %. Of 1000 models, 969 are recovered, and 5 random ones have a rule.
func TestConceptsRule(t *testing.T) {
	models := 50 * *thorough
	recovered, wrong := 0, 0
	for n := range models {
		out, rule, m := examined(t, uint64(n), false)
		if out.Rule != nil && same(out.Rule, rule, m) {
			recovered++
		}
		if out, _, _ = examined(t, uint64(n), true); out.Rule != nil {
			wrong++
		}
	}
	t.Logf("of %d models, %d rules are recovered, and %d are of random concepts", models,
		recovered, wrong)
	// 95 % and 5 %, less and more two standard errors of a share of so many
	slack := 2 * math.Sqrt(.05*.95*float64(models))
	if n := float64(models); float64(recovered) < .95*n-slack || float64(wrong) > .05*n+slack {
		t.Errorf("of %d models, %d rules are recovered, and %d are of random concepts", models,
			recovered, wrong)
	}
}

// TestConceptsContiguous has a model whose f rises in a part of a slide that is larger than the
// concepts: one of a random place is evident for 5 % of them. Random sets of single instances would
// differ from it nearly always.
func TestConceptsContiguous(t *testing.T) {
	const side = 20
	bag := &core.Bag{Shape: []int{1}, Values: make([]float32, side*side)}
	for i := range side * side {
		bag.Boxes = append(bag.Boxes, image.Rect(0, 0, 8, 8).Add(image.Pt(i%side*8, i/side*8)))
	}
	evident, spread := 0, 0
	const trials = 200
	for n := range uint64(trials) {
		rng := rand.New(rand.NewPCG(n, 1))
		at := image.Pt(rng.IntN(side), rng.IntN(side))
		worth := make([]float64, side*side)
		for i := range worth {
			d := math.Hypot(float64(i%side-at.X), float64(i/side-at.Y))
			worth[i] = math.Exp(-d * d / 50)
		}
		x, y := rng.IntN(side-4), rng.IntN(side-4)
		var square []int
		for i := range worth {
			if i%side-x >= 0 && i%side-x < 5 && i/side-y >= 0 && i/side-y < 5 {
				square = append(square, i)
			}
		}
		model := coretest.Additive(worth...)
		q := whatif.ConceptsQuestion{Concepts: []whatif.Concept{{"square", square}}, Bag: bag}
		g := must.Get(core.NewGame(model, core.GameOptions{Seed: n}))(t)
		out := must.Get(q.Answer(t.Context(), g))(t)
		must.Equal(t, out.Contiguous, true)
		if out.List[0].Evident {
			evident++
		}
		q.Bag = nil
		if asked(t, model, q).List[0].Evident {
			spread++
		}
	}
	t.Logf("%d of %d are evident, and %d among sets without places", evident, trials, spread)
	if evident > 20 || spread < 40 { // 5 % are 10, with a standard deviation of 3
		t.Errorf("%d of %d are evident, and %d among sets without places", evident, trials, spread)
	}
}

// TestConceptsRefuse has wrong questions.
func TestConceptsRefuse(t *testing.T) {
	of, minus := coretest.Additive(1, 2, 3), -1
	for _, c := range []struct {
		q       whatif.ConceptsQuestion
		setting string
		says    string
	}{
		{whatif.ConceptsQuestion{}, "concepts", "between 1 and 24 concepts, got 0"},
		{whatif.ConceptsQuestion{Class: 2, Concepts: singletons(1)}, "class", "no class 2"},
		{whatif.ConceptsQuestion{Concepts: singletons(25)}, "concepts", "got 25"},
		{whatif.ConceptsQuestion{Concepts: singletons(4)}, "concepts", "different ones of 0 to 2"},
		{whatif.ConceptsQuestion{Concepts: []whatif.Concept{{"a", []int{1, 1}}}}, "concepts",
			"different"},
		{whatif.ConceptsQuestion{Concepts: []whatif.Concept{{"a", nil}}}, "concepts",
			"no instance"},
		{whatif.ConceptsQuestion{Concepts: []whatif.Concept{{"", []int{1}}}}, "concepts",
			"names no concept"},
		{whatif.ConceptsQuestion{Concepts: append(singletons(1), singletons(1)...)}, "concepts",
			"its own name"},
		{whatif.ConceptsQuestion{Concepts: singletons(1), Random: &minus}, "random", "got -1"},
	} {
		t.Run(c.says, func(t *testing.T) {
			g := must.Get(core.NewGame(of, core.GameOptions{}))(t)
			_, err := c.q.Answer(t.Context(), g)
			checkSetting(t, err, c.setting, c.says)
		})
	}
	g := must.Get(core.NewGame(of, core.GameOptions{Budget: 50}))(t)
	_, err := whatif.ConceptsQuestion{Concepts: singletons(2)}.Answer(t.Context(), g)
	if !errors.As(err, new(*core.BudgetError)) || g.Evaluations() > 0 {
		t.Errorf("with a budget of 50: %v", err)
	}
}

// TestPoolConcepts has three bags; the interval of 1, 2 and 6 is 3 ± 4.302653 √(7/3).
func TestPoolConcepts(t *testing.T) {
	effect := func(name string, v float64, evident bool) whatif.ConceptEffect {
		return whatif.ConceptEffect{Concept: whatif.Concept{Name: name}, Shapley: v,
			Evident: evident}
	}
	out := whatif.PoolConcepts([]whatif.ConceptEffect{effect("a", 1, true), effect("b", 4, false)},
		[]whatif.ConceptEffect{effect("a", 2, false)}, []whatif.ConceptEffect{effect("a", 6, true)})
	must.Equal(t, len(out), 2)
	must.Equal(t, fmt.Sprint(out[0].Name, out[0].Bags, out[0].Evident), "a3 2")
	half := 4.302652729911275 * math.Sqrt(7./3)
	coretest.Near(t, "mean", out[0].Shapley, 3, 1e-12)
	coretest.Near(t, "low", out[0].Low, 3-half, 1e-6)
	coretest.Near(t, "high", out[0].High, 3+half, 1e-6)
	must.Equal(t, out[1].Bags == 1 && math.IsNaN(out[1].Low), true)
}
