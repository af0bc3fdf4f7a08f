package main

// The constants of the approximations of exp, tanh and erf. Coefficients stand lowest power first; each
// list is a minimax fit (least squares weighted anew by Lawson's method, in forty digits), rounded to
// float32 one coefficient at a time, the rest fitted again after each.

// Reduction of exp: x = n·ln 2 + r with n an integer and |r| <= ln 2 / 2.
const (
	log2E = 1.44269504088896340736
	// ln2High has so few bits that n·ln2High is exact; ln2High + ln2Low is ln 2.
	ln2High = 0.693359375
	ln2Low  = -2.12194440e-4
	// round is 1.5·2^23: adding it to |y| < 2^22 rounds y to an integer, which stands in the low bits.
	round = 12582912
	// Beyond these bounds exp is 0 and infinite.
	expLow  = -104
	expHigh = 89
)

// expRest fits (exp(r) - 1 - r) / r² to a relative error of exp of 3.4e-9 for |r| <= ln 2 / 2.
var expRest = [...]float32{0.49999994, 0.16666515, 0.041668236, 0.008369384, 0.0013824785}

// tanhHigh is where tanh rounds to 1.
const tanhHigh = 9.5

// erfSplit divides the arguments of erf: below it erfSmall serves, above it erfLarge.
const erfSplit = 1

// erfHigh is where erf rounds to 1.
const erfHigh = 4

// erfSmall fits erf(x)/x - 1 in x² to a relative error of erf of 1.4e-9 for |x| <= 1.
var erfSmall = [...]float32{0.12837917, -0.37612626, 0.11283581, -0.02685353, 0.005187666, -0.00080035726, 7.829829e-05}

// erfLarge fits log(1 - erf(x)) to an absolute error of erf of 1.0e-9 for x in [1, 4].
var erfLarge = [...]float32{-0.00035347292, -1.1270411, -0.63822377, -0.10303918, 0.021806277, -0.0029398736, 0.00018560419}
