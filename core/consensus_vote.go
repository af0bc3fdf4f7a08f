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

// leastTrust is the trust in a curve that is not to be trusted: where no curve is better, all count by what else they are.
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

// settle appends the scores of the class.
func settle(a *Attribution, votes []vote, single []float64) {
	e, variance := make([]float64, len(single)), make([]float64, len(single))
	r2, trust, short := 0.0, 0.0, false
	weight, scale, sum := weights(votes)
	for g, v := range votes {
		w := weight[g] / sum * scale[g]
		for i, phi := range v.phi {
			e[i] += w * phi
		}
		switch {
		case v.stderr == nil && (v.rho > 0 || v.short):
			variance = nil
		case v.stderr != nil && variance != nil:
			for i, s := range v.stderr {
				variance[i] += w * w * s * s
			}
		}
		r2 += weight[g] * v.r2
		trust = max(trust, v.rho)
		short = short || v.short
	}
	l := fitLine(single, e)
	share := l.share()
	for i, s := range single {
		e[i] = share*e[i] + (1-share)*(l.mean+l.scale*(s-l.from))
	}
	for i, square := range variance {
		variance[i] = share * math.Sqrt(square)
	}
	switch {
	case short:
		a.note("fewer coalitions than instances were drawn: the smallest scores that fit were taken, and R² flatters")
	case trust == 0:
		a.note("chance outweighs what the coalitions say of single instances")
		variance = nil
	}
	a.Scores = append(a.Scores, e)
	a.StdErr = append(a.StdErr, variance)
	a.R2 = append(a.R2, r2/sum)
}

// A line takes values of one kind to the mean and deviation of another.
type line struct{ from, mean, scale, correlation float64 }

// share is what is left to y beside x, 1 / (1 + c) for c = (r² / (1 - r²))².
func (l line) share() float64 {
	r := max(0, l.correlation)
	agree, differ := r*r*r*r, max(0, 1-r*r)*max(0, 1-r*r)
	return differ / (differ + agree)
}

// fitLine compares x and y. Where either is constant, but for rounding, they do not correlate and the line is flat.
func fitLine(x, y []float64) (l line) {
	n := float64(len(x))
	for i, v := range x {
		l.from += v / n
		l.mean += y[i] / n
	}
	var xx, yy, xy float64
	for i, v := range x {
		dx, dy := v-l.from, y[i]-l.mean
		xx += dx * dx
		yy += dy * dy
		xy += dx * dy
	}
	if xx <= 1e-26*n*l.from*l.from || yy <= 1e-26*n*l.mean*l.mean {
		return l
	}
	l.scale = math.Sqrt(yy / xx)
	l.correlation = xy / math.Sqrt(xx*yy)
	return l
}
