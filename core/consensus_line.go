package core

import "math"

// A line takes values of one kind to the mean and deviation of another.
type line struct{ from, mean, scale, correlation, xx float64 }

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
	l.xx = xx
	return l
}

// share is what is left to y beside x, 1 / (1 + c) for c = (r² / (1 - r²))².
func (l line) share() float64 {
	r := max(0, l.correlation)
	agree, differ := r*r*r*r, max(0, 1-r*r)*max(0, 1-r*r)
	return differ / (differ + agree)
}

// blend puts the mean of y and of the line, by their shares, in the place of y. In the place of squared standard errors of y it
// puts standard errors of that, to first order: the line takes its mean and its scale from y, and with them their chance. What
// is left out is that y's errors go together, and that the shares are y's as well.
func (l line) blend(x, y, squares []float64) {
	share, n := l.share(), float64(len(y))
	var sum, along, across float64
	for i, s := range squares {
		dy := y[i] - l.mean
		sum += s
		along += s * dy
		across += s * dy * dy
	}
	for i, s := range squares {
		t := l.slope(x[i])
		own := share * (share + 2*(1-share)*(1/n+t*(y[i]-l.mean)))
		squares[i] = math.Sqrt(max(0, own*s+(1-share)*(1-share)*(sum/(n*n)+t*(2/n*along+t*across)))) // rounding may go below 0
	}
	for i, v := range x {
		y[i] = share*y[i] + (1-share)*(l.mean+l.scale*(v-l.from))
	}
}

// slope is by how much more the line lies above its mean at x, for each unit that y has more where it is one above its mean.
func (l line) slope(x float64) float64 {
	if l.scale == 0 {
		return 0
	}
	return (x - l.from) / (l.scale * l.xx)
}
