package train

import (
	"math/rand/v2"

	"github.com/bagscope/bagscope/tools/train/network"
)

// forTrial parts the random streams of trials from others of a seed.
const forTrial = 3 << 62

// The ranges that the paper's tuning drew from.
var (
	rates     = []float64{1e-6, 5e-6, 1e-5, 5e-5, 1e-4, 5e-4, 1e-3}
	decays    = []float64{1e-6, 1e-5, 1e-4, 1e-3, 1e-2}
	widths    = []int{64, 128, 256}
	embedding = []int{64, 128, 256, 512}
	poolings  = []network.Pooling{network.Mean, network.Max}
)

const (
	mostHidden   = 2  // layers beside the last
	dropoutSteps = 10 // of .05 each, from 0
)

// drawRecipe draws the settings that the paper tuned. What a network is for, its convolutions and
// its limit are those of the base.
func drawRecipe(base network.Recipe, r *rand.Rand) network.Recipe {
	hidden := func() []int {
		var out []int
		for range r.IntN(mostHidden + 1) {
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

// one draws one of a list.
func one[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }
