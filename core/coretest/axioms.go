package coretest

import (
	"context"
	"errors"
	"math"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bagscope/bagscope/core"
)

// Tolerances for comparisons.
const (
	Exact = 1e-12 // tolerance for the same arithmetic in another order
	Close = 1e-9  // tolerance for the result of a linear solve
)

// Explain runs one method on a game and returns its scores, shaped (class, instance).
func Explain(t testing.TB, ev core.Evaluator, m core.Method, o core.GameOptions) [][]float64 {
	t.Helper()
	out, err := scores(context.Background(), ev, m, o)
	if err != nil {
		t.Fatalf("%s: %v", m.Name(), err)
	}
	return out
}

// scores is Explain with errors.
func scores(
	ctx context.Context, ev core.Evaluator, m core.Method, o core.GameOptions,
) ([][]float64, error) {
	report, err := core.Explain(ctx, ev, core.Request{Methods: []core.Method{m}, GameOptions: o})
	if err != nil {
		return nil, err
	}
	var out [][]float64
	for _, e := range report.Explanations {
		out = append(out, e.Scores)
	}
	return out, nil
}

// CheckShapley checks that a method computes the exact Shapley values of all Games. The values of
// class 1 must have the opposite sign, so that a method that confuses classes fails.
func CheckShapley(t *testing.T, m core.Method) {
	for _, g := range Games() {
		scores := Explain(t, g, m, core.GameOptions{})
		for i, want := range g.Shapley {
			Near(t, g.Name, scores[0][i], want, Close)
			Near(t, g.Name, scores[1][i], -want, Close)
		}
	}
}

// CheckContract checks the contract of core.Method: finite scores of the right shape, equal results
// for equal seeds with any number of workers, no coalition evaluated twice, at most the stated
// number of evaluations, respected budgets, standard errors of scores that change with the seed,
// and a prompt end when the context ends.
//
// A method may return a *core.UnavailableError for some of the bags, which have 1, 2, 3, 9 and 40
// instances, but must score one of the two largest.
func CheckContract(t testing.TB, m core.Method) {
	t.Helper()
	largest := 0
	for _, players := range []int{1, 2, 3, 9, 40} {
		if checkScores(t, m, players) {
			largest = players
		}
	}
	if largest < 9 {
		t.Errorf("%s scores neither a bag of 9 instances nor one of 40", m.Name())
		return
	}
	checkInterruption(t, m, largest)
}

// checkScores checks the scores of one game and the number of evaluations. It reports whether the
// method has scores for so many players.
func checkScores(t testing.TB, m core.Method, players int) bool {
	t.Helper()
	counted := &counter{Game: smooth(players), t: t, rows: map[string]bool{}}
	first, err := scores(context.Background(), counted, m, core.GameOptions{Seed: 3, Workers: 1})
	if errors.As(err, new(*core.UnavailableError)) {
		return false
	}
	if err != nil {
		t.Errorf("%s with %d players: %v", m.Name(), players, err)
		return true
	}
	checkErrors(t, m, players)
	if bound := m.Evaluations(players, 2) + 1; int(counted.seen.Load()) > bound {
		t.Errorf("%s with %d players evaluates %d coalitions, more than the %d it states",
			m.Name(), players, counted.seen.Load(), bound)
	}
	again, err := scores(context.Background(), smooth(players), m,
		core.GameOptions{Seed: 3, Workers: 5})
	if err != nil || !reflect.DeepEqual(first, again) {
		t.Errorf("%s with %d players depends on the number of workers (error %v)", m.Name(),
			players, err)
	}
	return true
}

// checkErrors checks that scores which change with the seed have standard errors, infinite ones if
// they are unknown: without errors they would be drawn as exact.
func checkErrors(t testing.TB, m core.Method, players int) {
	t.Helper()
	var first []float64
	for seed := range uint64(3) {
		report, err := core.Explain(context.Background(), smooth(players), core.Request{
			Methods: []core.Method{m}, Classes: []int{0},
			GameOptions: core.GameOptions{Seed: seed}})
		if err != nil {
			return // the caller reports it
		}
		e := report.Explanations[0]
		if first == nil {
			first = e.Scores
		}
		for i, v := range e.Scores {
			if e.StdErr == nil && math.Abs(v-first[i]) > Close*(1+math.Abs(v)) {
				t.Errorf("%s with %d players: scores change with the seed, but have no standard "+
					"errors; return infinite ones if they are unknown", m.Name(), players)
				return
			}
		}
	}
}

// checkInterruption checks that a method returns the cause soon after its context ends, and a
// *core.BudgetError if the budget is too small.
func checkInterruption(t testing.TB, m core.Method, players int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	start := time.Now()
	_, err := scores(ctx, &slow{smooth(players)}, m, core.GameOptions{Workers: 1})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%s: a cancelled run ended with %v", m.Name(), err)
	}
	if late := time.Since(start); late > time.Second {
		t.Errorf("%s went on for %v after it was cancelled", m.Name(), late)
	}
	var budget *core.BudgetError
	_, err = scores(context.Background(), smooth(players), m, core.GameOptions{Budget: 2})
	if !errors.As(err, &budget) {
		t.Errorf("%s: a budget of 2 ended with %v", m.Name(), err)
	}
}

// CheckEquivariance checks that permuting the instances permutes the scores. It applies only to
// methods that do not sample.
func CheckEquivariance(t *testing.T, m core.Method) {
	for _, g := range Games() {
		order := make([]int, g.Players)
		for i := range order {
			// i*3 + 1 is a permutation only if 3 does not divide the number of players.
			order[i] = (i*3 + 1) % g.Players
			if g.Players%3 == 0 {
				order[i] = g.Players - 1 - i
			}
		}
		a := Explain(t, g, m, core.GameOptions{})
		b := Explain(t, &Permuted{g, order}, m, core.GameOptions{})
		for c := range a {
			for i, from := range order {
				Near(t, g.Name, b[c][i], a[c][from], Close)
			}
		}
	}
}

// CheckSymmetry checks that symmetric players have equal scores. Two players are symmetric if
// exchanging them changes no value.
func CheckSymmetry(t *testing.T, m core.Method) {
	for _, c := range []struct {
		game *Game
		a, b int
	}{{Glove(2, 4), 2, 5}, {Majority(7, 3), 0, 6}, {Airport(1, 1, 3, 0, 2, 5), 0, 1},
		{NoisyOr(.9, .1, 0, .5, .5, .01), 3, 4}} {
		scores := Explain(t, c.game, m, core.GameOptions{})
		Near(t, c.game.Name, scores[0][c.a], scores[0][c.b], Close)
	}
}

// Near fails the test if two numbers differ by more than the tolerance.
func Near(t testing.TB, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: got %v, want %v within %g", what, got, want, tolerance)
	}
}

// smooth returns a game without ties or a closed form, for checks that need no known result.
func smooth(players int) *Game {
	return &Game{Name: "smooth", Players: players, Value: func(members []int) float64 {
		sum := 0.0
		for _, i := range members {
			sum += math.Sin(float64(3*i + 1))
		}
		return math.Tanh(sum / float64(1+len(members)))
	}}
}

// counter counts coalitions and fails the test if one is evaluated twice or is empty.
type counter struct {
	*Game
	t    testing.TB
	seen atomic.Int64
	rows map[string]bool
}

// Evaluate implements core.Evaluator and counts the coalitions.
func (c *counter) Evaluate(ctx context.Context, dst []float64, z *core.Coalitions) error {
	for j := range z.Len() {
		row := z.String(j)
		if c.rows[row] {
			c.t.Errorf("coalition %s is evaluated twice", row)
		}
		if z.Size(j) == 0 {
			c.t.Error("the empty coalition is evaluated")
		}
		c.rows[row] = true
	}
	c.seen.Add(int64(z.Len()))
	return c.Game.Evaluate(ctx, dst, z)
}

// slow takes 5 ms for each coalition and checks its context before each.
type slow struct{ *Game }

// Evaluate implements core.Evaluator.
func (s *slow) Evaluate(ctx context.Context, dst []float64, z *core.Coalitions) error {
	for j := range z.Len() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
		if err := s.Game.Evaluate(ctx, dst[2*j:2*j+2], z.Slice(j, j+1)); err != nil {
			return err
		}
	}
	return nil
}
