package core

import (
	"math"
	"slices"
)

// A vote is what the coalitions of one curve say of one class.
type vote struct {
	fit
	rho   float64 // how far the fit is to be trusted
	share float64 // of the curve
}

// determined tells whether the coalitions leave no score open.
func (v *vote) determined() bool { return !v.short && !v.truncated }

// leastTrust is the trust in a curve that is not to be trusted: where no curve is better, they count by share and loudness.
const leastTrust = 1e-6

// weights returns w, their sum, and d / d_g, which takes the scores of a vote to the deviation d.
func weights(votes []vote) (w, scale []float64, sum float64) {
	w, scale = make([]float64, len(votes)), make([]float64, len(votes))
	deviations := make([]float64, len(votes))
	for g := range votes {
		deviations[g] = math.Sqrt(variance(votes[g].phi))
	}
	loudest := slices.Max(deviations)
	d := 0.0
	for g, v := range votes {
		trust := max(v.rho, leastTrust)
		w[g] = v.share * trust * trust
		if loudest > 0 {
			x := deviations[g] / loudest
			w[g] *= x * x / (x*x + flat*flat)
		}
		sum += w[g]
		d += w[g] * deviations[g]
	}
	for g := range votes {
		if scale[g] = 1; deviations[g] > 0 {
			scale[g] = d / sum / deviations[g]
		}
	}
	return w, scale, sum
}

// variance is the mean square of what sets some values apart from their mean.
func variance(values []float64) float64 {
	n := float64(len(values))
	mean, square := 0.0, 0.0
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		square += (v - mean) * (v - mean) / n
	}
	return square
}

// settle returns the scores of the class, trusted as far as the curve that is trusted most.
func settle(votes []vote, single []float64) vote {
	k := len(single)
	settled := vote{fit: fit{phi: make([]float64, k), truncated: true}}
	squares := make([]float64, k) // of the standard errors of E
	weight, scale, sum := weights(votes)
	for g, v := range votes {
		w := weight[g] / sum * scale[g]
		for i, phi := range v.phi {
			settled.phi[i] += w * phi
		}
		switch {
		case v.stderr == nil && v.rho > 0:
			squares = nil
		case v.stderr != nil && squares != nil:
			for i, s := range v.stderr {
				squares[i] += w * w * s * s
			}
		}
		settled.r2 += weight[g] * v.r2
		settled.rho = max(settled.rho, v.rho)
		settled.truncated = settled.truncated && !v.determined()
	}
	settled.r2 /= sum
	if settled.rho > 0 {
		settled.stderr = squares
	}
	fitLine(single, settled.phi).blend(single, settled.phi, settled.stderr)
	return settled
}
