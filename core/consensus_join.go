package core

import (
	"math"
	"slices"
)

// A join is a class's scores as a weighted sum of estimates. Its weights count as given: standard errors are for
// these weights.
type join struct {
	class int
	parts []part
}

// A part is an estimate with its factor.
type part struct {
	*estimate
	factor float64
}

// guided returns the join of the ramps and the few for a class.
func (r *consensusRun) guided(class int) join {
	ramps := join{class, []part{{r.ramp, 2. / 3}, {r.second, 1. / 3}}}
	curves := []join{ramps, {class, []part{{r.few, 1}}}}
	shares := []float64{1, fewShare}
	deviations := make([]float64, len(curves))
	for g, c := range curves {
		deviations[g] = math.Sqrt(variance(c.scores()))
	}
	largest := slices.Max(deviations)
	if largest == 0 {
		return ramps // both are constant
	}
	weights, sum, d := make([]float64, len(curves)), 0.0, 0.0
	for g, c := range curves {
		x, rho := deviations[g]/largest, c.reliability()
		weights[g] = shares[g] * rho * rho * x * x / (x*x + flatDeviation*flatDeviation)
		sum += weights[g]
		d += weights[g] * deviations[g]
	}
	if sum == 0 {
		return ramps // chance explains both
	}
	out := join{class: class}
	for g, c := range curves {
		if weights[g] > 0 {
			for _, p := range c.parts {
				out.parts = append(out.parts, part{p.estimate, p.factor * d / sum * weights[g] / sum / deviations[g]})
			}
		}
	}
	return out
}

// scores returns the weighted sum, one score for each instance.
func (j join) scores() []float64 {
	out := make([]float64, len(j.parts[0].phi[j.class]))
	for _, p := range j.parts {
		for i, v := range p.phi[j.class] {
			out[i] += p.factor * v
		}
	}
	return out
}

// squares returns the squared standard errors of the scores, which are 0 for exact ones.
func (j join) squares() []float64 {
	out := make([]float64, len(j.parts[0].phi[j.class]))
	for _, p := range j.parts {
		if p.squares == nil {
			continue
		}
		for i, v := range p.squares[j.class] {
			out[i] += p.factor * p.factor * v
		}
	}
	return out
}

// reliability returns what two joins of one class from other contexts would correlate by: 1 if it is exact, 0 if
// chance explains all differences between scores.
func (j join) reliability() float64 {
	v, s := variance(j.scores()), 0.0
	squares := j.squares()
	for _, e := range squares {
		s += e / float64(len(squares))
	}
	if s == 0 {
		return 1
	}
	if !(v > s) {
		return 0
	}
	return (v - s) / (v + s)
}

// freedom returns the degrees of freedom of the standard errors (Welch 1947; Satterthwaite 1946), from the mean
// squares of the parts.
func (j join) freedom() float64 {
	sum, spread := 0.0, 0.0
	for _, p := range j.parts {
		s := p.factor * p.factor * mean(p.squares[j.class])
		sum += s
		spread += s * s / p.freedom
	}
	if spread == 0 {
		return j.parts[0].freedom
	}
	return sum * sum / spread
}

// roots returns the square roots of squares.
func roots(squares []float64) []float64 {
	out := make([]float64, len(squares))
	for i, v := range squares {
		out[i] = math.Sqrt(v)
	}
	return out
}
