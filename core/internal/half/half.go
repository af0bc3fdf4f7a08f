// Package half reads numbers of IEEE 754 binary16, which NumPy, HDF5 and TIFF call float16.
package half

import "math"

// Float64 returns the number of a binary16. It moves the fraction and the exponent to their
// places in a binary32, whose exponent has another bias.
func Float64(h uint16) float64 {
	sign, rest := uint32(h>>15)<<31, uint32(h&0x7fff)
	switch exponent := rest >> 10; exponent {
	case 0: // zero or subnormal: a multiple of 2^-24
		v := float64(rest) / (1 << 24)
		if sign != 0 {
			v = -v
		}
		return v
	case 31:
		return float64(math.Float32frombits(sign | 0x7f800000 | rest<<13))
	}
	return float64(math.Float32frombits(sign | (rest<<13 + (127-15)<<23)))
}
