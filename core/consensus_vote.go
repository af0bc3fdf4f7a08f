package core

import "math"

// A vote gathers what the curves say of one class.
type vote struct {
	phi, variance []float64 // (instance) sums over the curves; variance nil where that of a curve is not known
	r2, weight    float64
	trust         float64 // largest rho
	short         bool
}

// leastTrust is the weight of a curve that is not to be trusted: where no curve is better, all count alike.
const leastTrust = 1e-12

func (v *vote) add(f *fit, rho float64) {
	w := max(rho*rho, leastTrust)
	for i, phi := range f.phi {
		v.phi[i] += w * phi
	}
	switch {
	case f.stderr == nil && (rho > 0 || f.short):
		v.variance = nil
	case f.stderr != nil && v.variance != nil:
		for i, e := range f.stderr {
			v.variance[i] += w * w * e * e
		}
	}
	v.r2 += w * f.r2
	v.weight += w
	v.trust = max(v.trust, rho)
	v.short = v.short || f.short
}

// settle appends the scores of the class.
func (v *vote) settle(a *Attribution, single []float64) {
	e := v.phi
	divide(e, v.weight)
	l := fitLine(single, e)
	c := max(0, l.correlation)
	c *= c
	c *= c
	share := 1 / (1 + c)
	for i, s := range single {
		e[i] = share * (e[i] + c*(l.mean+l.scale*(s-l.from)))
	}
	for i, square := range v.variance {
		v.variance[i] = share * math.Sqrt(square) / v.weight
	}
	switch {
	case v.short:
		a.note("fewer coalitions than instances were drawn: the smallest scores that fit were taken, and R² flatters")
	case v.trust == 0:
		a.note("chance outweighs what the coalitions say of single instances")
		v.variance = nil
	}
	a.Scores = append(a.Scores, e)
	a.StdErr = append(a.StdErr, v.variance)
	a.R2 = append(a.R2, v.r2/v.weight)
}

// A line takes values of one kind to the mean and deviation of another.
type line struct{ from, mean, scale, correlation float64 }

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
