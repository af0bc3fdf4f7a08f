package stain

import (
	"math"
	"math/rand/v2"
)

// Kind is the kind of a nucleus.
type Kind int

// The kinds. Only Gland makes a slide positive.
const (
	// epithelium of a gland: large, pale inside, with a dark rim and a nucleolus
	Gland   Kind = iota
	Round        // cell of inflammation: small, round, dark throughout
	Spindle      // connective tissue: long, thin, along the fibres
)

// A Nucleus is the position and kind of a cell's nucleus.
type Nucleus struct {
	X, Y float64 // centre in pixels; X to the right, Y down
	Kind Kind
}

// A body is the outline and the filling of a nucleus.
type body struct {
	long, short, angle float64    // half axes in pixels; radians
	wobble             [3]float64 // amplitudes of harmonics 2 to 4 of the outline
	phase              [3]float64 // their phases
	strength           float64    // density of haematoxylin
	pale               float64    // brightness of the inside relative to the rim, 0 to 1
	nucleolus          float64    // density of haematoxylin, 0 for no nucleolus
	nx, ny             float64    // position of the nucleolus, in half axes
}

// newBody draws the properties of a nucleus with its long axis at an angle.
func newBody(r *rand.Rand, kind Kind, angle float64) body {
	// A lognormal factor keeps sizes and densities positive.
	vary := func(mean, by float64) float64 { return mean * math.Exp(by*r.NormFloat64()) }
	b := body{angle: angle}
	switch kind {
	case Gland:
		b.long, b.short = vary(7.2, .13), vary(5.2, .12)
		b.strength, b.pale = vary(.8, .15), .35+.25*r.Float64()
		b.angle += .25 * r.NormFloat64()
		if r.Float64() < .8 {
			b.nucleolus = vary(.45, .2)
			b.nx, b.ny = .35*r.NormFloat64(), .35*r.NormFloat64()
		}
	case Round:
		b.long = vary(4.3, .14)
		b.short = b.long * (.82 + .18*r.Float64())
		b.strength, b.pale = vary(1.15, .12), .15*r.Float64()
		b.angle = 2 * math.Pi * r.Float64()
	case Spindle:
		b.long, b.short = vary(9, .2), vary(2.5, .18)
		b.strength, b.pale = vary(.9, .15), .2*r.Float64()
		b.angle += .2 * r.NormFloat64()
	}
	for h := range b.wobble {
		b.wobble[h] = .06 * r.NormFloat64() / float64(h+1)
		b.phase[h] = 2 * math.Pi * r.Float64()
	}
	return b
}

// stain adds the haematoxylin of a nucleus to a density.
func (b body) stain(d *density, x, y float64) {
	sin, cos := math.Sincos(b.angle)
	reach := 1.3*b.long + 2
	d.around(x, y, reach, func(px, py float64, at *[2]float64) {
		u, v := (cos*(px-x)+sin*(py-y))/b.long, (cos*(py-y)-sin*(px-x))/b.short
		distance := math.Hypot(u, v) / b.outline(math.Atan2(v, u))
		inside := smooth((1-distance)*b.short/1.6 + .5)
		if inside == 0 {
			return
		}
		// The rim is darker than the inside.
		fill := 1 - b.pale*smooth((.95-distance)*2.5)
		ink := b.strength * fill
		if b.nucleolus > 0 {
			ink += b.nucleolus * smooth(1.6-math.Hypot((u-b.nx)*b.long, (v-b.ny)*b.short))
		}
		at[haematoxylin] = at[haematoxylin]*(1-.5*inside) + ink*inside
		at[eosin] *= 1 - .5*inside
	})
}

// outline returns the radius at an angle, relative to the ellipse.
func (b body) outline(angle float64) float64 {
	radius := 1.0
	for h, w := range b.wobble {
		radius += w * math.Sin(float64(h+2)*angle+b.phase[h])
	}
	return radius
}
