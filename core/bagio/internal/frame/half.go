package frame

import "math"

// Half returns the number of a float16 (IEEE 754 binary16).
func Half(bits uint16) float64 {
	sign, exponent, fraction := 1., int(bits>>10&31), float64(bits&0x3ff)
	if bits>>15 != 0 {
		sign = -1
	}
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction == 0 {
			return math.Inf(int(sign))
		}
		return math.NaN()
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}
