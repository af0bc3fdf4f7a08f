package methods_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
)

// consensusGames are games of many players under each estimator: enumerated, shared contexts, and
// surrogates.
func consensusGames(game func(players int) *coretest.Game) map[string]core.Evaluator {
	return map[string]core.Evaluator{
		"all coalitions": game(9), "shared contexts": coretest.Neighbours{Evaluator: game(24)},
		"surrogates": game(24),
	}
}

// TestConsensusOfAdditiveGames checks that the scores of an additive game are its worths, which
// are the marginal contributions in every context.
func TestConsensusOfAdditiveGames(t *testing.T) {
	for _, k := range []int{2, 3, 5, 11, 12, 60, 300} {
		worths := make([]float64, k)
		for i := range worths {
			worths[i] = float64(i*i%7) - 2.5
		}
		g := coretest.Additive(worths...)
		for name, ev := range map[string]core.Evaluator{"plain": g,
			"neighbours": coretest.Neighbours{Evaluator: g}} {
			scores := coretest.Explain(t, ev, methods.Consensus{}, core.GameOptions{Seed: 2})
			for i, want := range worths {
				coretest.Near(t, fmt.Sprintf("%s, k %d", name, k), scores[0][i], want,
					coretest.Close)
				coretest.Near(t, fmt.Sprintf("%s, k %d", name, k), scores[1][i], -want,
					coretest.Close)
			}
		}
	}
}

// TestConsensusOfNullPlayers checks that a null player scores 0 and is not evidence, even beside
// players that matter.
func TestConsensusOfNullPlayers(t *testing.T) {
	game := func(players int) *coretest.Game { return coretest.Unanimity(players, 1, players-1) }
	for name, ev := range consensusGames(game) {
		report := explain(t, ev, 4)
		k := ev.Task().Instances
		for _, e := range report.Explanations {
			for i, v := range e.Scores {
				key := i == 1 || i == k-1
				if want := map[int]float64{0: 1, 1: -1}[e.Class]; key &&
					!(v*want > 0 && e.Evident[i]) {
					t.Errorf("%s: key player %d scores %v for class %d, evident %v", name, i, v,
						e.Class, e.Evident[i])
				}
				// A surrogate gives null players the noise of its draw, within its errors.
				if !key && (e.Evident[i] && name != "surrogates" || name != "surrogates" &&
					v != 0) {
					t.Errorf("%s: null player %d scores %v, evident %v", name, i, v, e.Evident[i])
				}
			}
		}
	}
}

// TestConsensusOfEqualInstances checks that equal instances have equal scores, exactly if all
// coalitions are evaluated, else within their errors.
func TestConsensusOfEqualInstances(t *testing.T) {
	game := func(players int) *coretest.Game {
		p := make([]float64, players)
		for i := range p {
			p[i] = .02 * float64(1+i)
		}
		p[5] = p[2]
		return coretest.NoisyOr(p...)
	}
	for name, ev := range consensusGames(game) {
		e := explain(t, ev, 1).Explanations[0]
		reach := 1e-12
		if e.StdErr != nil {
			reach = 4 * math.Hypot(e.StdErr[2], e.StdErr[5])
		}
		coretest.Near(t, name, e.Scores[2], e.Scores[5], reach)
	}
}

// TestConsensusSigns checks that an instance that always supports scores above 0 and one that
// always refutes below. Ranking metrics do not detect a shift of all scores.
func TestConsensusSigns(t *testing.T) {
	game := func(players int) *coretest.Game {
		worths := make([]float64, players)
		for i := range worths {
			worths[i] = float64(i%3) - 1
		}
		g := coretest.Additive(worths...)
		value := g.Value
		g.Value = func(members []int) float64 { return math.Tanh(value(members) / 3) }
		return g
	}
	for name, ev := range consensusGames(game) {
		e := explain(t, ev, 7).Explanations[0]
		for i, v := range e.Scores {
			worth := float64(i%3) - 1
			if worth != 0 && !(v*worth > 0 && e.Evident[i]) || worth == 0 && e.Evident[i] &&
				name != "surrogates" {
				t.Errorf("%s: player %d of worth %v scores %v, evident %v", name, i, worth, v,
					e.Evident[i])
			}
		}
	}
}

// TestConsensusContract checks the contract of methods for Consensus with shared contexts.
func TestConsensusContract(t *testing.T) {
	for _, players := range []int{2, 11, 40} {
		g := coretest.Neighbours{Evaluator: coretest.Glove(players/2, players-players/2)}
		one := coretest.Explain(t, g, methods.Consensus{}, core.GameOptions{Seed: 3, Workers: 1})
		five := coretest.Explain(t, g, methods.Consensus{}, core.GameOptions{Seed: 3, Workers: 5})
		for c := range one {
			for i, v := range one[c] {
				if v != five[c][i] || math.IsNaN(v) {
					t.Errorf("%d players: one worker gives %v, five %v", players, v, five[c][i])
				}
			}
		}
	}
}

func explain(t *testing.T, ev core.Evaluator, seed uint64) *core.Report {
	t.Helper()
	return must.Get(core.Explain(t.Context(), ev,
		core.Request{Methods: []core.Method{methods.Consensus{}},
			GameOptions: core.GameOptions{Seed: seed}}))(t)
}
