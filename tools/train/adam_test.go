package train

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/train/network"
)

// A pair is a parameter with a gradient, as solvers take them.
type pair struct{ value, grad *tensor.Dense }

func (p pair) Value() G.Value         { return p.value }
func (p pair) Grad() (G.Value, error) { return p.grad, nil }

func matrix(values []float32) *tensor.Dense {
	return tensor.New(tensor.WithShape(1, len(values)), tensor.WithBacking(values))
}

// TestAdamEqualsGorgonia compares some steps with the solver of Gorgonia.
func TestAdamEqualsGorgonia(t *testing.T) {
	const n, steps = 50, 20
	r := rand.New(rand.NewPCG(1, 2))
	start := make([]float32, n)
	for i := range start {
		start[i] = float32(r.NormFloat64())
	}
	ours, theirs := slices.Clone(start), slices.Clone(start)
	recipe := network.Recipe{Rate: 1e-2, Decay: 1e-2}
	s := newAdam(recipe, [2]float64{.9, .99}, []*network.Parameter{{Values: ours}})
	twin := G.NewAdamSolver(G.WithLearnRate(recipe.Rate), G.WithBeta1(.9), G.WithBeta2(.99),
		G.WithL2Reg(recipe.Decay))
	for range steps {
		g := make([]float32, n)
		for i := range g {
			g[i] = float32(r.NormFloat64())
		}
		must.Do(t, s.Step([]G.ValueGrad{pair{matrix(ours), matrix(slices.Clone(g))}}))
		must.Do(t, twin.Step([]G.ValueGrad{pair{matrix(theirs), matrix(slices.Clone(g))}}))
	}
	for i := range ours {
		if !(math.Abs(float64(ours[i]-theirs[i])) <= 1e-5) || ours[i] == start[i] {
			t.Fatalf("parameter %d went from %v to %v, want %v", i, start[i], ours[i], theirs[i])
		}
	}
	must.Fail(t, s.Step(nil))
}
