package sampling

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/rows"
)

// Coins decide which instances are members of a random coalition, independently.
type Coins struct {
	P    []float64          // (instance) probability
	Fill func(row []uint64) // sets the bits of the members in a row of zeros
}

// FairCoin returns coins of probability 1/2 for k instances.
func FairCoin(k int, rng *rand.Rand) Coins {
	return Coins{slices.Repeat([]float64{.5}, k), func(row []uint64) {
		rows.Fill(row, k)
		for w := range row {
			row[w] &= rng.Uint64()
		}
	}}
}

// Bernoulli returns coins of the given probabilities.
func Bernoulli(p []float64, rng *rand.Rand) Coins {
	fill := bernoulliOf(p)
	return Coins{p, func(row []uint64) { fill(row, rng) }}
}

// fewRepeats is the expected number of times a coalition is drawn below which it counts as missed
// by other samples.
const fewRepeats = 1e-6

// missed returns, for each of the coalitions that a number of draws of proper coalitions found, the
// probability that so many other draws do not find it; nil if that is nearly 1 for all. paired
// draws are followed by their complement. Instances that fill coalitions up to a least size are
// ignored, so that the smallest coalitions are found more often than this tells.
func (c Coins) missed(z *core.Coalitions, draws int, paired bool) []float64 {
	all, none, most := 0., 0., 0. // logarithms of probabilities, most of the likeliest coalition
	for _, p := range c.P {
		all += math.Log(p)
		none += math.Log1p(-p)
		most += math.Log(max(p, 1-p))
	}
	proper := -math.Expm1(all) - math.Exp(none)
	if float64(draws)*math.Exp(most) < fewRepeats*proper {
		return nil
	}
	out := make([]float64, z.Len())
	for j := range out {
		in, rest := 0., 0. // logarithms of the probabilities of the coalition and of its complement
		for i, p := range c.P {
			if z.Has(j, i) {
				in += math.Log(p)
				rest += math.Log1p(-p)
			} else {
				in += math.Log1p(-p)
				rest += math.Log(p)
			}
		}
		drawn := math.Exp(in) / proper
		if paired {
			drawn += math.Exp(rest) / proper
		}
		out[j] = math.Pow(max(0, 1-drawn), float64(draws))
	}
	return out
}
