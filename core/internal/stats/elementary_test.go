package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// elementwise returns a function of one number from one of a slice.
func elementwise(f func([]float64)) func(float64) float64 {
	return func(x float64) float64 {
		xs := []float64{x}
		f(xs)
		return xs[0]
	}
}

// TestElementary compares with package math, over the magnitudes of odds and beyond.
func TestElementary(t *testing.T) {
	expNegative, logPositive := elementwise(ExpNegative), elementwise(LogPositive)
	random := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		x := -math.Exp(30*random.Float64() - 24)
		if got, want := expNegative(x), math.Exp(x); !(math.Abs(got-want) <= 4e-16*want) {
			t.Fatalf("e^%v is %v, want %v", x, got, want)
		}
		x = math.Exp(600 * (2*random.Float64() - 1))
		if random.IntN(2) == 0 {
			x = 1 + (random.Float64()-.5)/4
		}
		if got, want := logPositive(x), math.Log(x); !(math.Abs(got-want) <= 4e-16*math.Abs(want)) {
			t.Fatalf("the logarithm of %v is %v, want %v", x, got, want)
		}
	}
	for _, x := range []float64{0, math.Copysign(0, -1)} {
		must.Equal(t, expNegative(x), 1, x)
	}
	must.Equal(t, expNegative(math.Inf(-1)), 0, "e^-Inf is")
	must.Equal(t, math.IsNaN(expNegative(math.NaN())), true)
	must.Equal(t, math.IsNaN(logPositive(math.NaN())), true)
	must.Equal(t, logPositive(1), 0, "the logarithm of 1 is")
}
