package sampling

import (
	"math"
	"math/rand/v2"
)

// thresholdBits is the number of binary digits of a probability in use. The others change a
// frequency by at most 2^-64.
const thresholdBits = 64

// bernoulliOf returns a function that fills rows; instance i is a member with probability p[i].
//
// An instance is a member if a uniform number u is less than p[i]. The numbers of 64 instances are
// drawn together: one word of the generator gives one binary digit of each, from the first digit
// on. The first digit in which u and p[i] differ decides the comparison, so that drawing stops when
// they differ for all 64 instances. That takes about 7.3 words for 64 instances instead of 64, and
// the frequencies are exact.
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

// thresholds returns the binary digits of probabilities, (digit, instance) for each 64 instances,
// most significant first. A probability of 1 or more becomes 1 - 2^-64, one below 0 becomes 0.
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
