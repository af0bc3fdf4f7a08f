package train

import (
	"math/rand/v2"

	"github.com/bagscope/bagscope/tools/train/network"
)

// forTrial separates the random streams of trials from the other streams of a seed.
const forTrial = 3 << 62

// The ranges of the paper's tuning.
var (
	rates     = []float64{1e-6, 5e-6, 1e-5, 5e-5, 1e-4, 5e-4, 1e-3}
	decays    = []float64{1e-6, 1e-5, 1e-4, 1e-3, 1e-2}
	widths    = []int{64, 128, 256}
	embedding = []int{64, 128, 256, 512}
	poolings  = []network.Pooling{network.Mean, network.Max}
)

const (
	maxHidden    = 2  // maximum of layers before the last one
	dropoutSteps = 10 // rates are multiples of .05, from 0 to .5
)

// drawRecipe returns a recipe with random values of the settings that the paper tuned. The kind of
// network, the shapes, the convolutions and the limit of inputs are those of base. The order of
// draws determines the recipe of each trial, so it must not change.
func drawRecipe(base network.Recipe, r *rand.Rand) network.Recipe {
	hidden := func() []int {
		var out []int
		for range r.IntN(maxHidden + 1) {
			out = append(out, one(r, widths))
		}
		return out
	}
	base.Rate, base.Decay = one(r, rates), one(r, decays)
	base.Dropout = float64(r.IntN(dropoutSteps+1)) * .05
	base.Encoder = append(hidden(), one(r, embedding))
	base.Head = hidden()
	switch base.Kind {
	case network.MIAttn:
		base.Attention = one(r, widths)
	case network.MIGNN:
		base.Graph = append(hidden(), one(r, embedding))
	default:
		base.Pool = one(r, poolings)
	}
	return base
}

// one returns a random element of a list.
func one[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }
