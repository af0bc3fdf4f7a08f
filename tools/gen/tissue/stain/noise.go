package stain

import (
	"math"
	"math/rand/v2"
)

// A noise is a smooth random function of the plane with values from 0 to 1: value noise (Perlin,
// 1985), which interpolates random numbers on a lattice. It adds octaves, each with half the period
// and half the weight of the previous one.
type noise struct {
	period   float64 // period of the first octave in pixels
	octaves  int
	lattice  [64 * 64]float64
	sin, cos float64 // rotation of the plane
	squeeze  float64 // factor across the direction of the pattern
}

// newNoise returns a noise with a pattern along an angle; squeeze 1 has no direction.
func newNoise(r *rand.Rand, period float64, octaves int, angle, squeeze float64) *noise {
	n := &noise{period: period, octaves: octaves, squeeze: squeeze}
	n.sin, n.cos = math.Sincos(angle)
	for i := range n.lattice {
		n.lattice[i] = r.Float64()
	}
	return n
}

// at returns the value at a point.
func (n *noise) at(x, y float64) float64 {
	u, v := (n.cos*x+n.sin*y)/n.period, (n.cos*y-n.sin*x)*n.squeeze/n.period
	sum, weight, total := 0.0, 1.0, 0.0
	for range n.octaves {
		sum += weight * n.blend(u, v)
		total += weight
		u, v, weight = 2*u+17.3, 2*v+5.7, weight/2
	}
	return sum / total
}

// blend interpolates one octave.
func (n *noise) blend(u, v float64) float64 {
	// The lattice repeats after 64 points in both directions.
	fu, fv := math.Floor(u), math.Floor(v)
	i, j := int(fu)&63, int(fv)&63
	a, b := smooth(u-fu), smooth(v-fv)
	k, l := (i+1)&63, (j+1)&63
	top := n.lattice[64*j+i]*(1-a) + n.lattice[64*j+k]*a
	low := n.lattice[64*l+i]*(1-a) + n.lattice[64*l+k]*a
	return top*(1-b) + low*b
}

// smooth is the smoothstep function: 0 below 0, 1 above 1, and a cubic between.
func smooth(t float64) float64 {
	t = min(max(t, 0), 1)
	return t * t * (3 - 2*t)
}
