package whatif_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/core/whatif"
	"github.com/bagscope/bagscope/internal/must"
)

// pairsOf returns the answer to a question about a game, which must not fail.
func pairsOf(t *testing.T, ev core.Evaluator, q whatif.PairsQuestion) *whatif.Pairs {
	t.Helper()
	g := must.Get(core.NewGame(ev, core.GameOptions{Seed: 4}))(t)
	return must.Get(q.Answer(context.Background(), g))(t)
}

// sharedGame returns the game as one that evaluates neighbours and has an empty coalition.
func sharedGame(g *coretest.Game) core.Evaluator {
	return struct {
		coretest.Neighbours
		core.EmptyEvaluator
	}{coretest.Neighbours{Evaluator: g}, g}
}

// Logits is a game whose values are logits, without a value of the empty coalition.
type Logits struct{ core.Evaluator }

// Task implements core.Evaluator.
func (l Logits) Task() core.Task {
	task := l.Evaluator.Task()
	task.Scale = core.ScaleLogits
	return task
}

// between returns the interaction of two instances.
func between(t *testing.T, p *whatif.Pairs, a, b int) whatif.Pair {
	t.Helper()
	at := slices.IndexFunc(p.List, func(pair whatif.Pair) bool {
		return pair.A == min(a, b) && pair.B == max(a, b)
	})
	must.Equal(t, at >= 0, true, a, b)
	return p.List[at]
}

// A tabled game is a row of testdata/interactions/games.json.
type tabled struct {
	Name              string
	Players           int
	Values            []float64
	Shapley, Faithful struct{ Alone, Pairs []float64 }
}

// evaluator returns the game.
func (g tabled) evaluator() *coretest.Game {
	return &coretest.Game{Name: g.Name, Players: g.Players, Value: func(members []int) float64 {
		number := 0
		for _, i := range members {
			number |= 1 << i
		}
		return g.Values[number]
	}}
}

// TestPairsAgainstShapiq compares ten games with shapiq 1.4.1. The tolerance is that of float64.
func TestPairsAgainstShapiq(t *testing.T) {
	data := must.Get(os.ReadFile("testdata/interactions/games.json"))(t)
	var games []tabled
	must.Do(t, json.Unmarshal(data, &games))
	must.Equal(t, len(games), 10)
	for _, game := range games {
		t.Run(game.Name, func(t *testing.T) {
			for _, ev := range []core.Evaluator{game.evaluator(), sharedGame(game.evaluator())} {
				shapley := pairsOf(t, ev, whatif.PairsQuestion{Index: whatif.PairsShapley})
				compareIndex(t, shapley, game.Shapley.Alone, game.Shapley.Pairs)
				faithful := pairsOf(t, ev, whatif.PairsQuestion{Index: whatif.PairsFaithful})
				compareIndex(t, faithful, game.Faithful.Alone, game.Faithful.Pairs)
			}
		})
	}
}

// compareIndex compares exact interactions with those of another program.
func compareIndex(t *testing.T, p *whatif.Pairs, alone, pairs []float64) {
	t.Helper()
	const tolerance = 1e-8
	must.Equal(t, p.Contexts, 0)
	for a, i := range p.Among {
		coretest.Near(t, string(p.Index), p.Alone[a], alone[i], tolerance)
	}
	at := 0
	for i := range alone {
		for j := i + 1; j < len(alone); j++ {
			coretest.Near(t, string(p.Index), between(t, p, i, j).Value, pairs[at], tolerance)
			at++
		}
	}
}

// TestPairsOfKnownGames checks closed forms: the Moebius transform of a unanimity game has one
// term, so that its Shapley interaction index is 1 / (n - 1) for each pair of n keys. In a majority
// game one context size is decisive on each side.
func TestPairsOfKnownGames(t *testing.T) {
	p := pairsOf(t, coretest.Unanimity(8, 1, 4, 6),
		whatif.PairsQuestion{Index: whatif.PairsShapley})
	for _, pair := range p.List {
		want := 0.0
		if keys := []int{1, 4, 6}; slices.Contains(keys, pair.A) && slices.Contains(keys, pair.B) {
			want = 1. / 2
		}
		coretest.Near(t, "unanimity", pair.Value, want, coretest.Exact)
	}
	must.Equal(t, reflect.DeepEqual(p.Twins, [][]int{{1, 4, 6}}), true, p.Twins)
	// A pair completes q = 3 of 7 if the context has q - 2 members, and is redundant if it has q -
	// 1: (1 - 1) / (k - 1). With q = k only the first occurs.
	p = pairsOf(t, coretest.Majority(7, 3), whatif.PairsQuestion{Index: whatif.PairsShapley})
	coretest.Near(t, "majority", p.List[0].Value, 0, coretest.Exact)
	p = pairsOf(t, coretest.Majority(7, 7), whatif.PairsQuestion{Index: whatif.PairsShapley})
	coretest.Near(t, "all of seven", p.List[0].Value, 1./6, coretest.Exact)
	p = pairsOf(t, coretest.Glove(1, 2), whatif.PairsQuestion{})
	if v := between(t, p, 0, 1).Value; v <= 0 {
		t.Errorf("a left and a right glove have %v, want more than 0", v)
	}
	if v := between(t, p, 1, 2).Value; v >= 0 {
		t.Errorf("two right gloves have %v, want less than 0", v)
	}
}

// TestSampledPairs checks that sampled interactions agree with exact ones within their errors, for
// models with and without neighbours, and for all indices.
func TestSampledPairs(t *testing.T) {
	worths := []float64{.5, .3, .2, .1, .05, .4, .25, .6, .15, .35, .02, .12}
	game := coretest.NoisyOr(worths...)
	for _, index := range whatif.PairIndices() {
		t.Run(string(index), func(t *testing.T) {
			exact := pairsOf(t, sharedGame(game), whatif.PairsQuestion{Index: index})
			q := whatif.PairsQuestion{Index: index, Contexts: 512}
			sampled := pairsOf(t, game, q)
			must.Equal(t, exact.Contexts, 0)
			must.Equal(t, sampled.Contexts, 512)
			outside := 0
			for _, pair := range sampled.List {
				want := between(t, exact, pair.A, pair.B).Value
				if math.Abs(pair.Value-want) > 2*pair.StdErr {
					outside++
				}
				must.Equal(t, math.Abs(pair.Value-want) <= 5*pair.StdErr, true, pair.A, pair.B,
					pair.Value, pair.StdErr, want)
			}
			if outside > len(sampled.List)/6 { // about 5 % are expected; they are correlated
				t.Errorf("%d of %d pairs differ by two errors", outside, len(sampled.List))
			}
		})
	}
}

// TestPairsByPasses checks that passes over neighbours and single coalitions give equal answers.
func TestPairsByPasses(t *testing.T) {
	const k = 24
	p := make([]float64, k)
	for i := range p {
		p[i] = .5 / float64(1+i%7)
	}
	game := coretest.NoisyOr(p...)
	for _, index := range whatif.PairIndices() {
		q := whatif.PairsQuestion{Index: index, Contexts: 20, Among: k}
		each, passes := pairsOf(t, game, q), pairsOf(t, sharedGame(game), q)
		for _, pair := range each.List {
			other := between(t, passes, pair.A, pair.B)
			coretest.Near(t, string(index), other.Value, pair.Value, coretest.Exact)
			coretest.Near(t, string(index), other.StdErr, pair.StdErr, coretest.Close)
		}
	}
	// A network returns logits and takes no empty bag.
	each := pairsOf(t, Logits{game}, whatif.PairsQuestion{Contexts: 20, Among: k})
	passes := pairsOf(t, coretest.Neighbours{Evaluator: Logits{game}},
		whatif.PairsQuestion{Contexts: 20, Among: k})
	for _, pair := range each.List {
		other := between(t, passes, pair.A, pair.B)
		coretest.Near(t, "logits", other.Value, pair.Value, coretest.Close)
	}
	must.Equal(t, each.Unit, core.UnitLogOdds)
	// Few of many instances are evaluated one by one also if the model has neighbours.
	q := whatif.PairsQuestion{Contexts: 20, Among: 5}
	few := pairsOf(t, sharedGame(game), q)
	all := pairsOf(t, game, whatif.PairsQuestion{Contexts: 20, Among: k})
	must.Equal(t, len(few.List), 10)
	for _, pair := range few.List {
		coretest.Near(t, "few", pair.Value, between(t, all, pair.A, pair.B).Value, coretest.Exact)
	}
}

// TestPairsOfTheStrongest evaluates the pairs of few instances: those with the largest marginal
// contributions, wherever they are in the bag, for models with and without neighbours.
func TestPairsOfTheStrongest(t *testing.T) {
	worths := slices.Repeat([]float64{.01}, 24)
	worths[17], worths[23] = .5, .4
	game := coretest.NoisyOr(worths...)
	for name, ev := range map[string]core.Evaluator{"alone": game, "shared": sharedGame(game)} {
		t.Run(name, func(t *testing.T) {
			p := pairsOf(t, ev, whatif.PairsQuestion{Contexts: 20, Among: 2})
			must.EqualSlices(t, slices.Sorted(slices.Values(p.Among)), []int{17, 23}, p.Among)
		})
	}
}

// TestPairsOfConstantMarginals has instances that add the same to every coalition, with and without
// them: the sums of marginal contributions are in the order of the worths.
func TestPairsOfConstantMarginals(t *testing.T) {
	worths := slices.Repeat([]float64{.03}, 24)
	worths[5], worths[11] = .04, .05
	p := pairsOf(t, sharedGame(coretest.Additive(worths...)),
		whatif.PairsQuestion{Contexts: 20, Among: 2})
	must.EqualSlices(t, slices.Sorted(slices.Values(p.Among)), []int{5, 11}, p.Among)
}

// TestPairsContract checks that answers do not depend on the number of workers, that no coalition
// of a model without neighbours is evaluated twice, and that budgets and ends of contexts are
// obeyed.
func TestPairsContract(t *testing.T) {
	game := coretest.NoisyOr(.9, .1, .05, .5, .4, .01, .3, .2, .6, .15, .25, .35, .45)
	q := whatif.PairsQuestion{Contexts: 32}
	seen := &distinct{Game: game, t: t, rows: map[string]bool{}}
	var answers []*whatif.Pairs
	for _, ev := range []core.Evaluator{seen, sharedGame(game)} {
		for _, workers := range []int{1, 3} {
			clear(seen.rows)
			g := must.Get(core.NewGame(ev, core.GameOptions{Workers: workers}))(t)
			p := must.Get(q.Answer(context.Background(), g))(t)
			answers = append(answers, p)
		}
	}
	for n := 0; n < len(answers); n += 2 {
		must.Equal(t, reflect.DeepEqual(answers[n], answers[n+1]), true,
			"the answer depends on the number of workers")
	}
	for _, ev := range []core.Evaluator{game, sharedGame(game)} {
		g, _ := core.NewGame(ev, core.GameOptions{Budget: 100})
		must.As(t, must.Err(q.Answer(context.Background(), g)), new(*core.BudgetError))
		g, _ = core.NewGame(ev, core.GameOptions{})
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		must.Is(t, must.Err(q.Answer(ctx, g)), context.Canceled, "an ended context gives")
	}
}

// TestPairsQuestions checks the errors of wrong questions.
func TestPairsQuestions(t *testing.T) {
	for _, c := range []struct {
		name    string
		game    *coretest.Game
		q       whatif.PairsQuestion
		setting string // "" for an UnavailableError
	}{
		{"class", coretest.Majority(5, 3), whatif.PairsQuestion{Class: 2}, "class"},
		{"index", coretest.Majority(5, 3), whatif.PairsQuestion{Index: "banzhaf"}, "interaction"},
		{"among", coretest.Majority(5, 3), whatif.PairsQuestion{Among: 1}, "among"},
		{"contexts", coretest.Majority(5, 3), whatif.PairsQuestion{Contexts: 1 << 20}, "contexts"},
		{"small", coretest.Majority(2, 1), whatif.PairsQuestion{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, _ := core.NewGame(c.game, core.GameOptions{})
			_, err := c.q.Answer(context.Background(), g)
			var setting *core.SettingError
			if c.setting != "" && (!errors.As(err, &setting) || setting.Setting != c.setting) {
				t.Errorf("got %v, want an error of %s", err, c.setting)
			}
			if c.setting == "" && !errors.As(err, new(*core.UnavailableError)) {
				t.Errorf("got %v, want an UnavailableError", err)
			}
		})
	}
}

// distinct is a game that fails the test if a coalition is evaluated twice.
type distinct struct {
	*coretest.Game
	t    *testing.T
	mu   sync.Mutex
	rows map[string]bool
}

// Evaluate implements core.Evaluator.
func (d *distinct) Evaluate(ctx context.Context, dst []float64, z *core.Coalitions) error {
	d.mu.Lock()
	for j := range z.Len() {
		if row := z.String(j); d.rows[row] {
			d.t.Errorf("coalition %s is evaluated twice", row)
		} else {
			d.rows[row] = true
		}
	}
	d.mu.Unlock()
	return d.Game.Evaluate(ctx, dst, z)
}

// TestPairsMemory checks that values of changed bags are reserved, so that a server refuses a
// question that takes too much.
func TestPairsMemory(t *testing.T) {
	game := coretest.NoisyOr(slices.Repeat([]float64{.1}, 40)...)
	for _, ev := range []core.Evaluator{game, sharedGame(game)} {
		g, _ := core.NewGame(ev, core.GameOptions{})
		ctx := quota.WithMemory(context.Background(), quota.NewMemory(10_000))
		must.As(t, must.Err((whatif.PairsQuestion{}).Answer(ctx, g)), new(*quota.MemoryError))
	}
	g, _ := core.NewGame(game, core.GameOptions{})
	ctx := quota.WithMemory(context.Background(), quota.NewMemory(10_000))
	q := whatif.SetsQuestion{Level: &half, Several: 5}
	must.As(t, must.Err(q.Answer(ctx, g)), new(*quota.MemoryError))
}
