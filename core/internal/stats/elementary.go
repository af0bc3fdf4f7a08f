package stats

import "math"

// The exponential and the logarithm that Consensus computes for each neighbour of a context. Their
// arguments need no special cases. In WebAssembly, the functions of package math take twice as
// long, and their last digits differ between processors. The functions take slices, because calls
// are slow in WebAssembly.

const (
	ln2High = 0x1.62e42feep-1 // the first 32 bits of ln 2: products with exponents are exact
	ln2Low  = 0x1.a39ef35793c76p-33
)

// ExpNegative replaces each x <= 0 by e^x, or by 0 below -700. NaN remains NaN.
//
// With x = n ln 2 + r it is 2^n (1 + 2r / (r coth(r/2) - r)), and r coth(r/2) is a series in r²
// whose coefficients are 2 B_2m / (2m)!, of the Bernoulli numbers.
func ExpNegative(xs []float64) {
	for i, x := range xs {
		if x < -700 {
			xs[i] = 0
			continue
		}
		n := int(x*math.Log2E - .5)
		r := x - float64(n)*ln2High - float64(n)*ln2Low
		s := r * r
		s2 := s * s
		coth := 2 + s*(1./6) - s2*((1./360-s*(1./15120))+
			s2*((1./604800-s*(1./23950080))+s2*(691./653837184000)))
		xs[i] = math.Float64frombits(uint64(n+1023)<<52) * (1 + 2*r/(coth-r))
	}
}

// LogPositive replaces each normal x > 0 by its natural logarithm. NaN remains NaN.
//
// With x = 2^n m and m between √½ and √2 it is n ln 2 + 2 artanh((m - 1) / (m + 1)).
func LogPositive(xs []float64) {
	for i, x := range xs {
		if x != x {
			continue
		}
		bits := math.Float64bits(x) - math.Float64bits(math.Sqrt2/2)
		n := int64(bits) >> 52
		m := math.Float64frombits(bits&(1<<52-1) + math.Float64bits(math.Sqrt2/2))
		r := (m - 1) / (m + 1)
		s := r * r
		s2 := s * s
		series := s * (1./3 + s*(1./5) + s2*(1./7+s*(1./9)+
			s2*(1./11+s*(1./13)+s2*(1./15+s*(1./17)+s2*(1./19)))))
		xs[i] = float64(n)*ln2High + (2*r + (2*r*series + float64(n)*ln2Low))
	}
}
