// Package approx holds the constants of the approximations of exp, tanh, sigmoid and erf in
// float32: one list for the loops in Go and for the generators of the fast ones, so that all give
// the same bits. Coefficients stand lowest power first; each list is a minimax fit (least squares
// weighted anew by Lawson's method, in forty digits), rounded one coefficient at a time, the rest
// fitted again after each.
package approx

// Reduction of exp: x = n·ln 2 + r with n an integer and |r| <= ln 2 / 2.
const (
	Log2E = 1.44269504088896340736
	// Ln2High has so few bits that n·Ln2High is exact; Ln2High + Ln2Low is ln 2.
	Ln2High = 0.693359375
	Ln2Low  = -2.12194440e-4
	// Round is 1.5·2^23: adding it to |y| < 2^22 rounds y to an integer, which stands in the low
	// bits.
	Round = 12582912
	// Beyond these bounds exp is 0 and infinite.
	ExpLow  = -104
	ExpHigh = 89
	// ExpNormal is where exp is still a normal number: no need to multiply by 2^n in two steps.
	ExpNormal = -87
)

// Exp fits (exp(r) - 1 - r) / r² to a relative error of exp of 3.4e-9 for |r| <= ln 2 / 2.
var Exp = [...]float32{0.49999994, 0.16666515, 0.041668236, 0.008369384, 0.0013824785}

// Root is √2, which divides the argument of the error function in the normal distribution function.
// Sixth is 1/6, the slope of the gate of HardSwish.
const (
	Root  = 1.41421356237309504880
	Sixth = 1.0 / 6
)

// TanhHigh is where tanh rounds to 1.
const TanhHigh = 9.5

// ErfSplit divides the arguments of erf: below it ErfSmall serves, above it ErfLarge.
const ErfSplit = 1

// ErfHigh is where erf rounds to 1.
const ErfHigh = 4

// ErfSmall fits erf(x)/x - 1 in x² to a relative error of erf of 1.4e-9 for |x| <= 1.
var ErfSmall = [...]float32{0.12837917, -0.37612626, 0.11283581, -0.02685353, 0.005187666,
	-0.00080035726, 7.829829e-05}

// ErfLarge fits log(1 - erf(x)) to an absolute error of erf of 1.0e-9 for x in [1, 4].
var ErfLarge = [...]float32{-0.00035347292, -1.1270411, -0.63822377, -0.10303918, 0.021806277,
	-0.0029398736, 0.00018560419}
