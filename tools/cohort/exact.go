package cohort

import (
	"math"
	"math/big"
)

// A Mean sums finite numbers without rounding, so that the sum does not depend on their order: a
// float64 is a multiple of 2^-1074, and its square a multiple of 2^-2148. The zero value is empty.
type Mean struct {
	N       int64   `json:"n"`
	Sum     big.Int `json:"sum"`     // unit 2^-1074
	Squares big.Int `json:"squares"` // unit 2^-2148
}

// smallest is the exponent of the unit of Sum.
const smallest = 1074 // float64 has no bits below 2^-smallest

// Add adds a finite number.
func (m *Mean) Add(x float64) {
	// x is the mantissa times a power of two. A shift by the exponent makes it a whole number of
	// units.
	bits := math.Float64bits(x)
	exponent, mantissa := uint(bits>>52&0x7ff), int64(bits&(1<<52-1))
	// Only normal numbers have an implicit leading bit; the others have the exponent of the
	// smallest normal number.
	if exponent > 0 {
		mantissa |= 1 << 52
		exponent--
	}
	v := big.NewInt(mantissa)
	v.Lsh(v, exponent)
	m.Squares.Add(&m.Squares, new(big.Int).Mul(v, v))
	if math.Signbit(x) {
		v.Neg(v)
	}
	m.Sum.Add(&m.Sum, v)
	m.N++
}

// Merge adds all numbers of another.
func (m *Mean) Merge(o *Mean) {
	m.N += o.N
	m.Sum.Add(&m.Sum, &o.Sum)
	m.Squares.Add(&m.Squares, &o.Squares)
}

// Mean returns the mean, rounded once, or NaN if there are no numbers.
func (m *Mean) Mean() float64 {
	if m.N == 0 {
		return math.NaN()
	}
	// The quotient is exact, and Float64 rounds it once.
	unit := new(big.Int).Lsh(big.NewInt(m.N), smallest)
	v, _ := new(big.Rat).SetFrac(&m.Sum, unit).Float64()
	return v
}

// SEM returns the standard error of the mean: the sample standard deviation over sqrt N, NaN for
// fewer than two numbers.
func (m *Mean) SEM() float64 {
	if m.N < 2 {
		return math.NaN()
	}
	// The squared standard error is (N * squares - sum²) / (N² * (N - 1)).
	n := big.NewInt(m.N)
	spread := new(big.Int).Mul(n, &m.Squares)
	spread.Sub(spread, new(big.Int).Mul(&m.Sum, &m.Sum)) // N times the sum of squared deviations
	unit := new(big.Int).Mul(n, n)
	unit.Mul(unit, big.NewInt(m.N-1))
	unit.Lsh(unit, 2*smallest)
	// As a float64, the squared error of large numbers could be infinite. 200 bits add a rounding
	// error far below the last of the 53 bits.
	square := new(big.Float).SetPrec(200).SetRat(new(big.Rat).SetFrac(spread, unit))
	v, _ := square.Sqrt(square).Float64()
	return v
}
