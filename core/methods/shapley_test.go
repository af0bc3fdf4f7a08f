package methods_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/internal/games"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
	"gonum.org/v1/gonum/floats"
)

// A peerRow is a row of testdata/shapley_peers.json, which shapley_peers.py wrote.
type peerRow struct {
	Game                 string
	Players, Evaluations int
	Seeds                int                // number of seeds, the first is 0
	Errors               map[string]float64 // (estimator) root mean square error
	Shapley              []float64          // true values of a game without a formula
}

// game returns the game of a row, as shapley_peers.py defines it.
func (r peerRow) game() *coretest.Game {
	list := func(f func(i float64) float64) []float64 {
		out := make([]float64, r.Players)
		for i := range out {
			out[i] = f(float64(i))
		}
		return out
	}
	switch r.Game {
	case "noisy_or":
		return coretest.NoisyOr(list(func(i float64) float64 { return .5 / (1 + i) })...)
	case "airport":
		return coretest.Airport(
			list(func(i float64) float64 { return 3 * math.Abs(math.Sin(1.7*i)) })...)
	case "majority":
		return coretest.Majority(r.Players, r.Players/4)
	}
	mean := attentive(list(func(i float64) float64 { return math.Cos(1.1 * i) }),
		list(func(i float64) float64 { return math.Exp(1.5 * math.Sin(2.3*i)) }))
	return &coretest.Game{Name: r.Game, Players: r.Players, Shapley: r.Shapley,
		Value: func(members []int) float64 { return 1 / (1 + math.Exp(-4*mean.Value(members))) }}
}

// TestShapleyPeers checks that the root mean square error is at most that of the best estimator of
// shap and shapiq at the same number of evaluations.
func TestShapleyPeers(t *testing.T) {
	var table struct{ Rows []peerRow }
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile("testdata/shapley_peers.json"))(t), &table))
	for _, row := range table.Rows {
		t.Run(fmt.Sprintf("%s %d %d", row.Game, row.Players, row.Evaluations), func(t *testing.T) {
			if testing.Short() && row.Players > 200 {
				t.Skip("regressions of 264 instances take seconds")
			}
			g, square := row.game(), 0.0
			for seed := range row.Seeds {
				report := must.Get(core.Explain(t.Context(), g, core.Request{
					Methods: []core.Method{methods.Shapley{Samples: row.Evaluations}},
					Classes: []int{0}, GameOptions: core.GameOptions{Seed: uint64(seed)}}))(t)
				d := floats.Distance(report.Explanations[0].Scores, g.Shapley, 2)
				square += d * d / float64(g.Players*row.Seeds)
			}
			best, name := math.Inf(1), ""
			for peer, v := range row.Errors {
				if v < best {
					best, name = v, peer
				}
			}
			// The rounding of a linear solve remains where a peer is exact.
			if got := math.Sqrt(square); got > max(best, coretest.Close) {
				t.Errorf("the error is %.3g, that of %s %.3g", got, name, best)
			} else {
				t.Logf("the error is %.3g, that of %s %.3g", got, name, best)
			}
		})
	}
}

// TestShapleyStops checks that both estimators continue until errors are small, that scores are
// within their errors, and that they sum to the output minus the value of the empty bag.
func TestShapleyStops(t *testing.T) {
	for _, g := range []*coretest.Game{
		coretest.NoisyOr(.9, .1, .05, .5, .4, .01, .3, .2, .15, .6, .02, .25),
		coretest.Airport(1, 1.1, 3, 0, 2, 5, .5, .3, 2.5, 4, 1.5, .7, 2.2),
		peerRow{Game: "noisy_or", Players: 60}.game(),
	} {
		for name, ev := range map[string]core.Evaluator{
			"regression": g, "marginals": coretest.Neighbours{Evaluator: g},
		} {
			t.Run(fmt.Sprintf("%s %d %s", g.Name, g.Players, name), func(t *testing.T) {
				report := must.Get(core.Explain(t.Context(), ev, core.Request{
					Methods: []core.Method{methods.Shapley{}}, Classes: []int{0, 1}}))(t)
				for class, e := range report.Explanations {
					sign := 1 - 2*float64(class)
					most := 0.0
					for i, v := range e.Scores {
						most = max(most, math.Abs(v))
						if d := math.Abs(v - sign*g.Shapley[i]); d > 5*e.StdErr[i]+coretest.Close {
							t.Errorf("score %d is %g, %g from the Shapley value, with the "+
								"error %g", i, v, d, e.StdErr[i])
						}
					}
					if worst := floats.Max(e.StdErr); worst > .02*most {
						t.Errorf("an error is %g for scores up to %g", worst, most)
					}
					all := make([]int, g.Players)
					for i := range all {
						all[i] = i
					}
					coretest.Near(t, "the sum", floats.Sum(e.Scores),
						sign*(g.Value(all)-g.Value(nil)), 1e-6)
				}
			})
		}
	}
}

// TestShapleyMarginalErrors checks the standard errors of marginal contributions, which Shapley
// does not use with samples, on games without the noise of a model.
func TestShapleyMarginalErrors(t *testing.T) {
	for _, g := range examGames(t) {
		near := coretest.Neighbours{Evaluator: g}
		x := coretest.ExamineErrors(t, near, methods.Shapley{}, 60, nil)
		if math.IsNaN(x.Ratio) {
			continue // nothing scatters
		}
		if x.Missing || !(x.Ratio >= .85 && x.Ratio <= 1.1) || !(x.Held >= .9 && x.Held <= .975) {
			t.Errorf("%s: the mean error is %.2f of the scatter, %.1f %% of the intervals hold",
				g.(*coretest.Game).Name, x.Ratio, 100*x.Held)
		}
	}
}

// TestShapleyUnavailable checks that the method says why it does not explain a bag.
func TestShapleyUnavailable(t *testing.T) {
	for _, c := range []struct {
		ev   core.Evaluator
		says string
	}{
		{games.AtLeast(games.Logits(6), 2), "bags of at least 2 instances, and Shapley values " +
			"need all smaller ones; use consensus"},
		{games.Thrifty{Players: 2001}, "at most 2000"},
	} {
		_, err := core.Explain(t.Context(), c.ev, core.Request{
			Methods: []core.Method{methods.Shapley{}}})
		var unavailable *core.UnavailableError
		must.As(t, err, &unavailable, c.says)
	}
}

// TestShapleyNotes checks the notes about the value of the empty bag, which no network has, and
// about too few coalitions, whose scores have no known errors.
func TestShapleyNotes(t *testing.T) {
	one := games.Logits(12)
	one.Shape.Classes, one.Shape.Negative, one.Shape.Scale = 1, -1, core.ScaleProbabilities
	one.Value = func(members []int) []float64 { return []float64{1 / float64(1+members[0])} }
	for _, c := range []struct {
		ev     core.Evaluator
		output core.Output
		says   string
	}{
		{games.Logits(12), core.OutputProbability, "is 1 / classes"},
		{games.Logits(12), core.OutputLogit, "is 0"},
		{one, core.OutputProbability, "is 0"},
	} {
		e := must.Get(core.Explain(t.Context(), c.ev, core.Request{
			Methods:     []core.Method{methods.Shapley{Samples: 12}},
			GameOptions: core.GameOptions{Output: c.output}}))(t).Explanations[0]
		must.Contain(t, strings.Join(e.Notes, "\n"), c.says, "12 coalitions are too few")
		must.Equal(t, math.IsInf(floats.Max(e.StdErr), 1), true, e.StdErr)
	}
}
