package core

import (
	"math"
	"math/rand/v2"
)

// thresholdBits is how many binary places of a probability count: what is left out moves no frequency by
// more than 2^-64.
const thresholdBits = 64

// bernoulli fills rows with instance i in with probability p[i].
//
// An instance is in where a uniform number u lies below p[i]. The numbers of 64 instances are drawn together,
// one binary place of each by one word of the generator, from the first place on, and only until u differs
// from p[i] everywhere: with the first place in which they differ it is known which is smaller. That takes
// about 7.3 words for 64 instances instead of 64, and the frequencies are exact.
func bernoulli(p []float64, rng *rand.Rand) func(row []uint64) {
	fill := bernoulliOf(p)
	return func(row []uint64) { fill(row, rng) }
}

// bernoulliOf is bernoulli for a generator of each row's own.
func bernoulliOf(p []float64) func(row []uint64, rng *rand.Rand) {
	places := thresholds(p)
	return func(row []uint64, rng *rand.Rand) {
		for w := range row {
			in, open := uint64(0), ^uint64(0)
			if rest := len(p) - w*64; rest < 64 {
				open = 1<<rest - 1
			}
			for _, place := range places[w] {
				differ := open & (rng.Uint64() ^ place)
				in |= differ & place
				if open &^= differ; open == 0 {
					break
				}
			}
			row[w] |= in
		}
	}
}

// thresholds returns the binary places of probabilities, for each 64 instances (place, instance), the first
// behind the point first. A probability of 1 or more is cut to 1 - 2^-64, one below 0 to 0.
func thresholds(p []float64) [][thresholdBits]uint64 {
	places := make([][thresholdBits]uint64, (len(p)+63)/64)
	for i, q := range p {
		var bits uint64
		switch {
		case q >= 1:
			bits = math.MaxUint64
		case q > 0:
			bits = uint64(math.Ldexp(q, thresholdBits))
		}
		for b := range thresholdBits {
			places[i/64][b] |= bits >> (thresholdBits - 1 - b) & 1 << (i % 64)
		}
	}
	return places
}
