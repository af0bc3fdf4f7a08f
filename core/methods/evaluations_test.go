package methods_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/games"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
)

// counted counts the coalitions that a model scores.
type counted struct {
	core.Evaluator
	scored atomic.Int64
}

func (c *counted) Evaluate(ctx context.Context, dst []float64, z *core.Coalitions) error {
	c.scored.Add(int64(z.Len()))
	return c.Evaluator.Evaluate(ctx, dst, z)
}

// countedNeighbours counts the context of neighbours and each of them.
type countedNeighbours struct {
	counted
	by core.NeighbourEvaluator
}

func (c *countedNeighbours) HasNeighbours() bool { return true }

func (c *countedNeighbours) EvaluateNeighbours(
	ctx context.Context, dst []float64, z []uint64,
) error {
	c.scored.Add(int64(c.Task().Instances) + 1)
	return c.by.EvaluateNeighbours(ctx, dst, z)
}

// TestEvaluationsAreCounted compares the number of evaluations in a report with those that the
// model did, and gives methods a budget of what they state. Reports have the name of the method's
// row.
func TestEvaluationsAreCounted(t *testing.T) {
	for _, row := range methods.All() {
		if row.Name == "inherent" {
			continue // games have none
		}
		t.Run(row.Name, func(t *testing.T) {
			game := games.Steep(40)
			alone := &counted{Evaluator: game}
			shared := &countedNeighbours{counted{Evaluator: game}, &games.Sharing{Fake: game}}
			for name, c := range map[string]*counted{"alone": alone,
				"neighbours": &shared.counted} {
				ev := core.Evaluator(alone)
				if name == "neighbours" {
					ev = shared
				}
				m := row.New(methods.Options{})
				explain := func(budget int) (*core.Report, error) {
					c.scored.Store(0)
					return core.Explain(t.Context(), ev, core.Request{Methods: []core.Method{m},
						GameOptions: core.GameOptions{Budget: budget,
							Progress: func(done, total int) {
								if done > total {
									t.Errorf("%s: progress goes to %d of %d", name, done, total)
								}
							}}})
				}
				report := must.Get(explain(0))(t)
				must.Equal(t, report.Evaluations, int(c.scored.Load()), name)
				must.Equal(t, report.Explanations[0].Method, row.Name, "the report has the method")
				must.Do(t, must.Err(explain(report.Evaluations)), name, report.Evaluations)
			}
		})
	}
}

// rough is a game of k instances without any order: its values are hashes of coalitions.
func rough(k int) *games.Fake {
	f := games.Steep(k)
	f.Value = func(members []int) []float64 {
		code := uint32(7)
		for _, i := range members {
			code = (code ^ uint32(i+1)) * 2654435761
			code ^= code >> 15
		}
		return []float64{float64(code%1000) / 1000, float64(code>>10%1000) / 1000, .1}
	}
	return f
}

// TestEvaluationsOfRoughGames: methods that do not sample do what they state, and the bag's own
// prediction; Shapley samples nearly as much as it states at most, and no more.
func TestEvaluationsOfRoughGames(t *testing.T) {
	for _, c := range []struct {
		m           core.Method
		least, most int
	}{
		{methods.Single{}, 41, 41},
		{methods.OneRemoved{}, 41, 41},
		{methods.Combined{}, 81, 81},
		{methods.RandomSHAP{Sampling: methods.Sampling{Samples: 60}}, 61, 61},
		{methods.RandomSHAP{Sampling: methods.Sampling{Samples: 60},
			Efficiency: methods.EmptyZero}, 61, 61},
		{methods.Shapley{}, 330_000, methods.Shapley{}.Evaluations(40, 3)},
	} {
		r := must.Get(core.Explain(t.Context(), &games.Sharing{Fake: rough(40)},
			core.Request{Methods: []core.Method{c.m}}))(t)
		if n := r.Evaluations; n < c.least || n > c.most || n > c.m.Evaluations(40, 3)+1 {
			t.Errorf("%s: %d evaluations, want %d to %d; it states %d", c.m.Name(), n, c.least,
				c.most, c.m.Evaluations(40, 3))
		}
	}
	for _, c := range []struct {
		m       core.Method
		k, want int
	}{
		{methods.Combined{}, 40, 81},
		{methods.RandomSHAP{Sampling: methods.Sampling{Samples: 60}}, 40, 60},
		{methods.RandomSHAP{Sampling: methods.Sampling{Samples: 60},
			Efficiency: methods.EmptyZero}, 40, 61},
		{methods.RandomSHAP{Efficiency: methods.EmptyZero}, 1, 0},
		{methods.Consensus{}, 1, 1},
		// 7 nested bags of 3 contexts each, 2 combs and 4 pairs of 5 contexts each; singles and
		// removed ones.
		{methods.Consensus{}, 40, (7*3+2+4*5)*41 + 80},
	} {
		must.Equal(t, c.m.Evaluations(c.k, 3), c.want, c.k)
	}
}

// TestEndedContexts ends the context of each method at each of the places where a run looks at it,
// or at many of them. The run returns the cause unless it has looked for the last time.
func TestEndedContexts(t *testing.T) {
	for _, row := range methods.All() {
		if row.Name == "inherent" {
			continue // games have none
		}
		for _, k := range []int{1, 4, 9, 24} {
			for name, ev := range map[string]core.Evaluator{"alone": games.Steep(k),
				"neighbours": &games.Sharing{Fake: games.Steep(k)}} {
				for looks := 0; ; looks += 1 + looks/4 {
					ctx := &games.Ending{Context: context.Background(), Looks: looks}
					_, err := core.Explain(ctx, ev, core.Request{
						Methods:     []core.Method{row.New(methods.Options{})},
						GameOptions: core.GameOptions{Workers: 1}})
					if ctx.Looks >= 0 {
						must.Do(t, err)
						break
					}
					must.Is(t, err, context.Canceled, row.Name, k, name, looks+1)
				}
			}
		}
	}
}

// TestRankOfNegativeCostsOneClass: MILLI draws the coalitions of one order for the negative class,
// and those of one for each explained class otherwise.
func TestRankOfNegativeCostsOneClass(t *testing.T) {
	s := methods.Sampling{Samples: 100}
	for rank, want := range map[methods.Rank]int{methods.RankNegative: 40 + 100,
		methods.RankExplained: 40 + 300} {
		must.Equal(t, (methods.MILLI{Sampling: s, Rank: rank}).Evaluations(40, 3), want, rank)
	}
}

// TestNotesOfCompany: only models that take no single instances have a note on companions.
func TestNotesOfCompany(t *testing.T) {
	for _, m := range []core.Method{methods.Single{}, methods.Combined{}} {
		notes := map[int]int{}
		for _, least := range []int{1, 2, 3} {
			report := must.Get(core.Explain(t.Context(), games.AtLeast(games.Steep(12), least),
				core.Request{Methods: []core.Method{m}}))(t)
			notes[least] = len(report.Explanations[0].Notes)
		}
		must.Equal(t, notes[2], notes[1]+1, m.Name(), notes)
		must.Equal(t, notes[3], notes[1]+1, m.Name(), notes)
	}
}

// TestShapleyOfSmallBags: bags of up to 10 instances have all coalitions evaluated, with neighbours
// too, and larger ones do not.
func TestShapleyOfSmallBags(t *testing.T) {
	for k, want := range map[int]bool{9: true, 10: true, 11: false} {
		e := must.Get(core.Explain(t.Context(), &games.Sharing{Fake: games.Steep(k)}, core.Request{
			Methods: []core.Method{methods.Shapley{}}}))(t).Explanations[0]
		must.Equal(t, (e.StdErr == nil), want, k)
	}
}

// failing has scores of its own for the first class alone.
type failing struct {
	core.Evaluator
	err error
}

func (f failing) Attention(_ context.Context, class int) ([]float64, error) {
	if class > 0 {
		return nil, f.err
	}
	return make([]float64, f.Task().Instances), nil
}

// TestInherentReturnsErrors: an error of a class is that of the explanation.
func TestInherentReturnsErrors(t *testing.T) {
	ev := failing{games.Steep(4), errors.New("the device is lost")}
	for class, want := range []error{nil, ev.err} {
		must.Is(t, must.Err(core.Explain(t.Context(), ev, core.Request{Classes: []int{class},
			Methods: []core.Method{methods.Inherent{}}})), want, class)
	}
}
