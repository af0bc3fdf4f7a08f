package stats

import "math"

// Tails returns the probability of a value of Student's t distribution beyond t on either side,
// for t >= 0 and the given degrees of freedom; 0 degrees mean the normal distribution. It is 1 for
// t that is not a number.
func Tails(t, freedom float64) float64 {
	switch {
	case math.IsNaN(t):
		return 1
	case math.IsInf(t, 1):
		return 0
	case freedom <= 0 || math.IsInf(freedom, 1):
		return math.Erfc(t / math.Sqrt2)
	}
	return incompleteBeta(freedom/(freedom+t*t), freedom/2, .5)
}

// Student returns the t of Student's distribution between whose negative and itself lies the given
// share, below 1, for at least one degree of freedom.
func Student(share, freedom float64) float64 {
	low, high := 0.0, 1.0
	for Tails(high, freedom) > 1-share {
		high *= 2
	}
	for range 60 {
		if middle := (low + high) / 2; Tails(middle, freedom) > 1-share {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// incompleteBeta returns the regularised incomplete beta function I_x(a, b) for 0 <= x <= 1, by
// its continued fraction (DLMF 8.17.22).
func incompleteBeta(x, a, b float64) float64 {
	if x <= 0 || x >= 1 {
		return min(1, max(0, x))
	}
	if x > (a+1)/(a+b+2) { // the fraction of the other tail converges faster
		return 1 - incompleteBeta(1-x, b, a)
	}
	ga, _ := math.Lgamma(a)
	gb, _ := math.Lgamma(b)
	gab, _ := math.Lgamma(a + b)
	factor := math.Exp(gab - ga - gb + a*math.Log(x) + b*math.Log1p(-x))
	return factor / a / betaFraction(x, a, b)
}

// betaFraction evaluates 1 + d1/(1 + d2/(1 + ...)) of DLMF 8.17.22 by the modified Lentz method.
func betaFraction(x, a, b float64) float64 {
	const (
		tiny  = 1e-300
		exact = 1e-15
		steps = 500
	)
	f, c, d := 1.0, 1.0, 0.0
	for n := 1; n <= steps; n++ {
		m := float64(n / 2)
		term := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		if n%2 == 1 {
			term = -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		}
		d = 1 / nonZero(1+term*d, tiny)
		c = nonZero(1+term/c, tiny)
		f *= c * d
		if math.Abs(c*d-1) < exact {
			break
		}
	}
	return f
}

// nonZero returns v, or tiny instead of a v whose reciprocal would overflow.
func nonZero(v, tiny float64) float64 {
	if math.Abs(v) < tiny {
		return tiny
	}
	return v
}

// ErrorOfInfluences returns the standard error of a sum of independent influences, and its degrees
// of freedom, most at most, from their number and the sums of their squares and fourth powers.
//
// The sum of squares S is the variance. It is itself a sum over draws, whose variance is that of
// the squares over the draws: F - S²/n for the sum F of fourth powers. It varies like one of
// 2 S² / (F - S²/n) degrees of freedom (Satterthwaite 1946), whatever the distribution of the
// influences: about n for normal ones of one variance, few where few influences are large. The
// root of such a sum is too small on average, which the mean of a chi variable over the root of its
// degrees of freedom mends (Kenney and Keeping 1951).
func ErrorOfInfluences(squares, fourths, number, most float64) (stdErr, freedom float64) {
	freedom = most
	if scatter := fourths - squares*squares/number; scatter > 0 {
		freedom = min(most, 2*squares*squares/scatter)
	}
	above, _ := math.Lgamma((freedom + 1) / 2)
	below, _ := math.Lgamma(freedom / 2)
	return math.Sqrt(squares*freedom/2) * math.Exp(below-above), freedom
}
