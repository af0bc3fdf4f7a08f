package core_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/games"
	"github.com/bagscope/bagscope/internal/must"
)

// identified is a game whose instances have identities.
type identified struct {
	*games.Fake
	ids []uint64
}

func (n identified) Identity(instance int) uint64 { return n.ids[instance] }

// suspicious is a game of two classes in which instance i alone has the log-odds alone[i] against
// the negative class, and the whole bag loses removed[i] without it. Each coalition has an error.
func suspicious(alone, removed []float64, noise float64, ids ...uint64) identified {
	k := len(alone)
	total := 0.0
	for _, v := range removed {
		total += v
	}
	return identified{&games.Fake{
		Shape: core.Task{Instances: k, Classes: 2, Scale: core.ScaleLogits, Negative: 0},
		Value: func(members []int) []float64 {
			v, bits := total, uint64(0)
			for _, i := range members {
				bits |= 1 << i
			}
			rng := rand.New(rand.NewPCG(bits, uint64(1e12*noise)))
			switch {
			case len(members) == 1:
				v = alone[members[0]]
			case len(members) == k-1:
				for i := range k {
					if !slices.Contains(members, i) {
						v -= removed[i]
					}
				}
			}
			return []float64{0, v + noise*rng.NormFloat64()}
		},
	}, ids}
}

// TestSuspicion checks what orders instances, one key after another, and that rounding does not.
func TestSuspicion(t *testing.T) {
	alone := []float64{60, -4, 2, 2, -4, -4, 2, 700}
	removed := []float64{0, .1, .5, .3, .1, .1, .5, 0}
	ids := []uint64{1, 9, 7, 8, 3, 9, 7, 2}
	for _, noise := range []float64{0, 1e-9, 2e-9, 3e-9} {
		for seed := range uint64(2) {
			ev := suspicious(alone, removed, noise, ids...)
			g := must.Get(core.NewGame(ev, core.GameOptions{Seed: seed}))(t)
			s := must.Get(g.Suspicion(t.Context()))(t)
			// 1 and 5 are twins, and so are 2 and 6; nothing orders them.
			slices.Sort(s.Order[1:3])
			slices.Sort(s.Order[4:6])
			must.EqualSlices(t, s.Order, []int{4, 1, 5, 3, 2, 6, 0, 7}, noise, seed)
			must.EqualSlices(t, s.Twins, []int{0, 1, 1, 3, 4, 4, 6, 7}, noise, seed)
		}
	}
}

// TestSuspicionWithoutNegative ranks by the class that an instance supports most.
func TestSuspicionWithoutNegative(t *testing.T) {
	values := [][]float64{{3, 0}, {0, 5}, {1, 1}, {-2, 4}}
	g := games.New(t, &games.Fake{
		Shape: core.Task{Instances: 4, Classes: 2, Scale: core.ScaleRaw, Negative: -1},
		Value: func(members []int) []float64 { return slices.Clone(values[members[0]]) },
	})
	must.EqualSlices(t, must.Get(g.Suspicion(t.Context()))(t).Order, []int{2, 0, 3, 1})
}
