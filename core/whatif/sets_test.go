package whatif_test

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/whatif"
	"github.com/bagscope/bagscope/internal/must"
)

// half is the level of games whose value is 0 or 1.
var half = .5

// setsOf returns the answer to a question about a game, which must not fail.
func setsOf(t *testing.T, ev core.Evaluator, q whatif.SetsQuestion) *whatif.Sets {
	t.Helper()
	g := must.Get(core.NewGame(ev, core.GameOptions{Seed: 4}))(t)
	return must.Get(q.Answer(context.Background(), g))(t)
}

// tree returns a game whose value is 1 if the formula holds for the members.
func tree(players int, holds func(has func(i int) bool) bool) *coretest.Game {
	return &coretest.Game{Name: "tree", Players: players, Value: func(members []int) float64 {
		if holds(func(i int) bool { return slices.Contains(members, i) }) {
			return 1
		}
		return 0
	}}
}

// TestSetsOfKnownGames checks games whose smallest sets are known.
func TestSetsOfKnownGames(t *testing.T) {
	or := tree(9, func(has func(int) bool) bool { return has(1) && has(2) || has(5) && has(7) })
	and := tree(9, func(has func(int) bool) bool {
		return (has(0) || has(3)) && (has(4) || has(8))
	})
	for _, c := range []struct {
		name string
		game *coretest.Game
		kind whatif.SetKind
		want [][]int // sets that all answers must be among
		size int     // size of the first set
		many int     // number of disjoint sets
	}{
		{"unanimity, sufficient", coretest.Unanimity(8, 1, 4, 6), whatif.SetsSufficient,
			[][]int{{1, 4, 6}}, 3, 1},
		{"unanimity, necessary", coretest.Unanimity(8, 1, 4, 6), whatif.SetsNecessary,
			[][]int{{1}, {4}, {6}}, 1, 3},
		{"majority, sufficient", coretest.Majority(7, 3), whatif.SetsSufficient, nil, 3, 2},
		{"majority, necessary", coretest.Majority(7, 3), whatif.SetsNecessary, nil, 5, 1},
		{"glove", coretest.Glove(2, 3), whatif.SetsSufficient, [][]int{{0, 2}, {0, 3}, {0, 4}, {1,
			2},
			{1, 3}, {1, 4}}, 2, 2},
		{"gloves, necessary", coretest.Glove(2, 3), whatif.SetsNecessary, [][]int{{0, 1}, {2, 3,
			4}},
			2, 2},
		{"either pair, sufficient", or, whatif.SetsSufficient, [][]int{{1, 2}, {5, 7}}, 2, 2},
		{"either pair, necessary", or, whatif.SetsNecessary,
			[][]int{{1, 5}, {1, 7}, {2, 5}, {2, 7}}, 2, 2},
		{"both kinds, sufficient", and, whatif.SetsSufficient,
			[][]int{{0, 4}, {0, 8}, {3, 4}, {3, 8}}, 2, 2},
		{"both kinds, necessary", and, whatif.SetsNecessary, [][]int{{0, 3}, {4, 8}}, 2, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, ev := range []core.Evaluator{c.game, sharedGame(c.game)} {
				got := setsOf(t, ev, whatif.SetsQuestion{Kind: c.kind, Level: &half, Several: 4})
				must.Equal(t, len(got.Found), c.many, got.Found)
				for n, d := range got.Found {
					if n == 0 && len(d.Instances) != c.size {
						t.Errorf("%v has not %d instances", d.Instances, c.size)
					}
					if !d.Smallest {
						t.Errorf("%v of %d players is not proved", d.Instances, c.game.Players)
					}
					if c.want != nil && !slices.ContainsFunc(c.want,
						func(w []int) bool { return slices.Equal(w, d.Instances) }) {
						t.Errorf("%v is none of %v", d.Instances, c.want)
					}
					sufficient := c.kind == whatif.SetsSufficient
					must.Equal(t, (d.Values[0] >= half), sufficient, d.Instances, d.Values)
				}
			}
		})
	}
}

// attending returns a network with random weights: attention over k instances and a hidden layer.
// Its value of the empty coalition is not a number.
func attending(k int, rng *rand.Rand) *coretest.Game {
	const width = 6
	features, attention := make([][]float64, k), make([]float64, k)
	for i := range features {
		for range width {
			features[i] = append(features[i], rng.NormFloat64())
		}
		attention[i] = math.Exp(rng.NormFloat64())
	}
	hidden, out := make([]float64, width*width), make([]float64, width)
	for i := range hidden {
		hidden[i] = 2 * rng.NormFloat64()
	}
	for i := range out {
		out[i] = 2 * rng.NormFloat64()
	}
	return &coretest.Game{Name: "attention", Players: k, Value: func(members []int) float64 {
		sum, pooled := 0.0, make([]float64, width)
		for _, i := range members {
			sum += attention[i]
			for d, v := range features[i] {
				pooled[d] += attention[i] * v
			}
		}
		score := 0.0
		for a := range width {
			h := 0.0
			for b := range width {
				h += hidden[a*width+b] * pooled[b] / sum
			}
			score += out[a] * math.Tanh(h)
		}
		return score
	}}
}

// TestSetsAgainstBruteForce searches 500 small bags without proofs and compares the sizes with
// those of all coalitions: at least 95 % are smallest, and none is larger by more than one. With
// proofs all are smallest.
func TestSetsAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	const bags = 500
	smallest := 0
	for n := range bags {
		k := 8 + n%5
		game := Logits{attending(k, rng)}
		q := whatif.SetsQuestion{Class: n % 2, Kind: whatif.SetsSufficient}
		if n%4 < 2 {
			q.Kind = whatif.SetsNecessary
		}
		want := bruteForce(t, game, k, q)
		g := must.Get(core.NewGame(game, core.GameOptions{Seed: uint64(n)}))(t)
		found := must.Get(whatif.UnprovedSet(context.Background(), g, q))(t)
		proved := must.Get(q.Answer(context.Background(), g))(t)
		if want < 0 {
			must.Equal(t, found == nil, true, n, found)
			must.Equal(t, len(proved.Found), 0, n, found)
			smallest++
			continue
		}
		must.Equal(t, len(proved.Found) != 0, true, n, proved.Found, want)
		must.Equal(t, len(proved.Found[0].Instances), want, n, proved.Found)
		must.Equal(t, proved.Found[0].Smallest, true, n, proved.Found, want)
		switch {
		case found != nil && len(found) == want:
			smallest++
		case found == nil || len(found) > want+1:
			t.Errorf("bag %d: found %v, want %d instances", n, found, want)
		}
	}
	t.Logf("%d of %d are smallest", smallest, bags)
	must.Equal(t, smallest >= bags*95/100, true, smallest, bags)
}

// bruteForce returns the size of the smallest set, -1 if there is none.
func bruteForce(t *testing.T, ev core.Evaluator, k int, q whatif.SetsQuestion) int {
	t.Helper()
	z := core.NewCoalitions(k, 1<<k)
	for s := 1; s < 1<<k; s++ {
		z.AppendEmpty()[0] = uint64(s)
	}
	values := make([]float64, 2*z.Len())
	must.Do(t, ev.Evaluate(context.Background(), values, z))
	size := -1
	for s := 1; s < 1<<k; s++ {
		leads := values[2*(s-1)+q.Class] >= values[2*(s-1)+1-q.Class]
		n := bits.OnesCount(uint(s))
		if q.Kind == whatif.SetsNecessary {
			leads, n = !leads, k-n
		}
		if leads && (size < 0 || n < size) {
			size = n
		}
	}
	return size
}

// TestSetsContract checks that answers do not depend on workers or on the order of the instances,
// that budgets and ends of contexts are obeyed, and that empty answers are explained.
func TestSetsContract(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	game := attending(16, rng)
	order := rng.Perm(16)
	var answers []*whatif.Sets
	for _, workers := range []int{1, 3} {
		g, _ := core.NewGame(coretest.Neighbours{Evaluator: Logits{game}},
			core.GameOptions{Workers: workers})
		s := must.Get(whatif.SetsQuestion{Several: 3}.Answer(context.Background(), g))(t)
		answers = append(answers, s)
	}
	must.Equal(t, reflect.DeepEqual(answers[0], answers[1]), true,
		"the answer depends on the number of workers")
	permuted := setsOf(t, Logits{&coretest.Permuted{Evaluator: game, Order: order}},
		whatif.SetsQuestion{})
	plain := setsOf(t, Logits{game}, whatif.SetsQuestion{})
	if a, b := permuted.Found[0], plain.Found[0]; len(a.Instances) != len(b.Instances) {
		t.Errorf("%d instances of the permuted bag, %d of the bag", len(a.Instances),
			len(b.Instances))
	}
	for _, ev := range []core.Evaluator{Logits{game},
		coretest.Neighbours{Evaluator: Logits{game}}} {
		g, _ := core.NewGame(ev, core.GameOptions{Budget: 10})
		_, err := whatif.SetsQuestion{}.Answer(context.Background(), g)
		must.As(t, err, new(*core.BudgetError))
		g, _ = core.NewGame(ev, core.GameOptions{})
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		must.Is(t, must.Err((whatif.SetsQuestion{}).Answer(ctx, g)), context.Canceled,
			"an ended context gives")
	}
	loser := 0
	if plain.Whole[0] > plain.Whole[1] {
		loser = 1
	}
	none := setsOf(t, Logits{game}, whatif.SetsQuestion{Kind: whatif.SetsNecessary, Class: loser})
	if len(none.Found) != 1 || len(none.Found[0].Instances) != 0 || len(none.Notes) == 0 {
		t.Errorf("a class that is not the answer gives %+v", none)
	}
}

// TestNoSetIsFound: a value that no coalition reaches has no set, and a note says so.
func TestNoSetIsFound(t *testing.T) {
	level := 2.0
	got := setsOf(t, coretest.Majority(5, 3), whatif.SetsQuestion{Kind: whatif.SetsSufficient,
		Level: &level})
	must.Equal(t, len(got.Found), 0, got)
	must.Equal(t, len(got.Notes), 1, got)
	must.Equal(t, strings.HasPrefix(got.Notes[0], "no set of instances was found"), true, got)
}

// TestSetsQuestions checks the errors of wrong questions.
func TestSetsQuestions(t *testing.T) {
	one, nan := 1.0, math.NaN()
	for _, c := range []struct {
		name, setting string
		ev            core.Evaluator
		q             whatif.SetsQuestion
	}{
		{"class", "class", coretest.Majority(5, 3), whatif.SetsQuestion{Class: -1}},
		{"kind", "kind", coretest.Majority(5, 3), whatif.SetsQuestion{Kind: "large"}},
		{"several", "several", coretest.Majority(5, 3), whatif.SetsQuestion{Several: 100}},
		{"not a number", "level", coretest.Majority(5, 3), whatif.SetsQuestion{Level: &nan}},
		{"certain", "level", Logits{coretest.Majority(5, 3)}, whatif.SetsQuestion{Level: &one}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, _ := core.NewGame(c.ev, core.GameOptions{})
			_, err := c.q.Answer(context.Background(), g)
			var setting *core.SettingError
			must.As(t, err, &setting)
			must.Equal(t, setting.Setting, c.setting)
		})
	}
}
