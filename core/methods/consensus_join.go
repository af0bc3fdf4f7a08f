package methods

import (
	"math"

	"github.com/bagscope/bagscope/core/internal/stats"
)

// A join is a class's scores as a weighted sum of estimates. Its weights count as given: standard
// errors are for these weights.
type join struct {
	class int
	parts []part
}

// A part is an estimate with its factor.
type part struct {
	*estimate
	factor float64
}

// guided returns the join of the ramps and the few for a class. It leaves the few out if the error
// of one of their scores is unknown, as their reliability is then 0.
func (r *consensusRun) guided(class int) join {
	ramps := join{class, []part{{r.ramp, 2. / 3}, {r.second, 1. / 3}}}
	few := join{class, []part{{r.few, 1}}}
	dr, df := math.Sqrt(stats.Variance(ramps.scores())), math.Sqrt(stats.Variance(few.scores()))
	x := dr / df * max(1, float64(r.g.Instances())/dilutedSize)
	square := x * x / (x*x + flatRatio*flatRatio)
	switch {
	case df == 0:
		return ramps
	case math.IsInf(x*x, 1):
		square = 1
	}
	rr, rf := ramps.reliability(), few.reliability()
	wr, wf := rr*rr*square, fewShare*rf*rf
	if wr == 0 && wf == 0 {
		return ramps // chance explains both
	}
	d := (wr*dr + wf*df) / (wr + wf)
	out := join{class: class}
	if wr > 0 {
		for _, p := range ramps.parts {
			out.parts = append(out.parts, part{p.estimate, p.factor * d / dr * wr / (wr + wf)})
		}
	}
	if wf > 0 {
		out.parts = append(out.parts, part{r.few, d / df * wf / (wr + wf)})
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

// reliability returns what two joins of one class from other contexts would correlate by: 1 if it
// is exact, 0 if chance explains all differences between scores.
func (j join) reliability() float64 {
	v, s := stats.Variance(j.scores()), 0.0
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

// Freedom returns the degrees of freedom of the standard errors (Welch 1947; Satterthwaite 1946),
// from the mean squares of the parts.
func (j join) freedom() float64 {
	sum, spread := 0.0, 0.0
	for _, p := range j.parts {
		s := p.factor * p.factor * stats.Mean(p.squares[j.class])
		sum += s
		if p.freedom > 0 {
			spread += s * s / p.freedom
		}
	}
	if spread == 0 { // no error is known, or none has few degrees of freedom
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
