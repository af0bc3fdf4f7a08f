package methods_test

import (
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
)

// everything requests more coalitions than small games have, so that all are listed.
var everything = methods.Sampling{Samples: 1 << 12}

// TestMethodContracts checks the contract of every method in the table, with default options and
// with others.
func TestMethodContracts(t *testing.T) {
	for _, o := range []methods.Options{
		{},
		{Samples: 50, Alpha: .2, Beta: -2, MeanBag: 7, Distance: methods.DistanceCosine,
			Paired:  true,
			Repeats: true, Rank: methods.RankExplained, Preset: methods.PresetPaper,
			Efficiency: methods.EmptyGame},
		{Samples: 120, Preset: methods.PresetReference, Efficiency: methods.EmptyZero},
	} {
		for _, row := range methods.All() {
			if row.Name == "inherent" {
				continue // games have none; its own test is below
			}
			t.Run(row.Name, func(t *testing.T) { coretest.CheckContract(t, row.New(o)) })
		}
	}
}

// TestShapleyValues checks identity 2 of METHODS: all proper coalitions with the Shapley kernel
// give exact Shapley values with the constraint, and up to one constant without it.
func TestShapleyValues(t *testing.T) {
	coretest.CheckShapley(t,
		methods.RandomSHAP{Sampling: everything, Efficiency: methods.EmptyGame})
	coretest.CheckShapley(t,
		methods.GuidedSHAP{Sampling: everything, Efficiency: methods.EmptyGame})
	coretest.CheckShapley(t, methods.Shapley{})
	for _, g := range coretest.Games() {
		free := coretest.Explain(t, g, methods.RandomSHAP{Sampling: everything}, core.GameOptions{})
		offset := free[0][0] - g.Shapley[0]
		for i, want := range g.Shapley {
			coretest.Near(t, g.Name, free[0][i]-offset, want, coretest.Close)
		}
	}
}

// TestFitsOfAdditiveGames: a surrogate explains all of an additive game, in each class, and less of
// a game of majority.
func TestFitsOfAdditiveGames(t *testing.T) {
	for _, m := range []core.Method{methods.RandomSHAP{Sampling: everything},
		methods.GuidedLIME{Sampling: everything}, methods.MILLI{Sampling: everything}} {
		fits := func(g *coretest.Game) []core.Explanation {
			r := must.Get(core.Explain(t.Context(), g, core.Request{Methods: []core.Method{m}}))(t)
			return r.Explanations
		}
		for _, e := range fits(coretest.Additive(.3, -.2, .1, .05, .4)) {
			coretest.Near(t, m.Name()+": R² of an additive game", e.R2, 1, 1e-9)
		}
		for _, e := range fits(coretest.Majority(5, 3)) {
			if !(e.R2 > .2 && e.R2 < .95) {
				t.Errorf("%s: R² of a game of majority is %v", m.Name(), e.R2)
			}
		}
	}
}

// TestEquivariance checks identity 4 of METHODS: permuting the instances permutes the scores. For
// methods that sample, the coalitions are permuted too.
func TestEquivariance(t *testing.T) {
	for _, m := range []core.Method{
		methods.Single{}, methods.OneRemoved{}, methods.Combined{},
		methods.RandomSHAP{Sampling: everything}, methods.GuidedSHAP{Sampling: everything},
		methods.RandomLIME{Sampling: everything}, methods.GuidedLIME{Sampling: everything},
		methods.Consensus{}, methods.Shapley{},
	} {
		t.Run(m.Name(), func(t *testing.T) { coretest.CheckEquivariance(t, m) })
	}
	g := coretest.NoisyOr(.9, .1, .05, .5, .4, .01, .3, .2)
	p := &coretest.Permuted{Evaluator: g, Order: []int{3, 1, 0, 7, 5, 4, 2, 6}}
	z := drawn(t, g, 30)
	for _, row := range methods.All()[4:] {
		if row.Name == "consensus" || row.Name == "shapley" {
			continue // they use no given coalitions; CheckEquivariance covers them
		}
		a := coretest.Explain(t, p, row.New(methods.Options{Coalitions: z, Alpha: .1, Beta: .2}),
			core.GameOptions{})
		b := coretest.Explain(t, g, row.New(methods.Options{Coalitions: p.Original(z), Alpha: .1,
			Beta: .2}), core.GameOptions{})
		for i, from := range p.Order {
			coretest.Near(t, row.Name, a[0][i], b[0][from], coretest.Close)
		}
	}
}

// TestSymmetryAndDummy checks identity 5 of METHODS: an instance that the model ignores scores 0,
// and equal instances have equal scores.
func TestSymmetryAndDummy(t *testing.T) {
	for _, m := range []core.Method{
		methods.Single{}, methods.OneRemoved{}, methods.Combined{},
		methods.RandomSHAP{Sampling: everything, Efficiency: methods.EmptyGame},
		methods.GuidedLIME{Sampling: everything}, methods.Consensus{}, methods.Shapley{},
	} {
		t.Run(m.Name(), func(t *testing.T) { coretest.CheckSymmetry(t, m) })
	}
	g := coretest.NoisyOr(.9, .1, 0, .5)
	for _, m := range []core.Method{methods.Single{}, methods.OneRemoved{}, methods.Combined{},
		methods.RandomSHAP{Sampling: everything, Efficiency: methods.EmptyGame},
		methods.Shapley{}} {
		coretest.Near(t, m.Name(), coretest.Explain(t, g, m, core.GameOptions{})[0][2], 0,
			coretest.Close)
	}
}

// TestConsensusEquivariance checks that the contexts of a bag without ties are permuted with its
// instances, because Consensus draws them by rank.
func TestConsensusEquivariance(t *testing.T) {
	const k = 40
	p, order := make([]float64, k), make([]int, k)
	for i := range p {
		p[i], order[i] = .4/float64(2+i), (i*7+3)%k
	}
	g := coretest.NoisyOr(p...)
	a := coretest.Explain(t, g, methods.Consensus{}, core.GameOptions{Seed: 5})
	b := coretest.Explain(t, &coretest.Permuted{Evaluator: g, Order: order}, methods.Consensus{},
		core.GameOptions{Seed: 5})
	for c := range a {
		for i, from := range order {
			coretest.Near(t, "noisy-or", b[c][i], a[c][from], coretest.Close)
		}
	}
	shared := coretest.Neighbours{Evaluator: g}
	a = coretest.Explain(t, shared, methods.Consensus{}, core.GameOptions{Seed: 5})
	permuted := coretest.Neighbours{Evaluator: &coretest.Permuted{Evaluator: g, Order: order}}
	b = coretest.Explain(t, permuted, methods.Consensus{}, core.GameOptions{Seed: 5})
	for c := range a {
		for i, from := range order {
			coretest.Near(t, "noisy-or with neighbours", b[c][i], a[c][from], coretest.Close)
		}
	}
}

// drawn returns n coalitions of the game, the same for every caller.
func drawn(t *testing.T, g *coretest.Game, n int) *core.Coalitions {
	t.Helper()
	z := core.NewCoalitions(g.Players, n)
	for j := range n {
		row := z.AppendEmpty()
		row[0] = uint64(1+(j*37)%(1<<g.Players-2)) & (1<<g.Players - 1)
	}
	return z
}
