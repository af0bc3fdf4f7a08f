package methods

import (
	"math"
	"testing"

	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/internal/must"
)

// TestShapleyKernel checks the weights of METHODS section 1.
func TestShapleyKernel(t *testing.T) {
	for _, c := range []struct {
		k, s int
		want float64
	}{{5, 1, .2}, {5, 2, .0666666667}, {5, 4, .2}, {30, 1, .0333333333}, {30, 2, 1.1904761905e-3},
		{30, 15, 8.309e-10}, {264, 1, 3.787878788e-3}, {264, 132, 1.038e-80}} {
		coretest.Near(t, "shapley", math.Exp(shapleyLogWeight(c.k, c.s))/c.want, 1, 1e-3)
	}
}

// TestLIMEKernel checks the kernel of METHODS section 1: without half of a mean bag the weight is
// one half, that of the full bag is one.
func TestLIMEKernel(t *testing.T) {
	for _, d := range []Distance{DistanceL2, DistanceCosine} {
		for _, mean := range []int{6, 30, 264} {
			coretest.Near(t, string(d), math.Exp(limeLogWeight(d, mean, mean, mean/2)), .5, 1e-12)
			coretest.Near(t, string(d), math.Exp(limeLogWeight(d, mean, mean, mean)), 1, 1e-12)
		}
	}
	coretest.Near(t, "l2", math.Exp(limeLogWeight(DistanceL2, 30, 31, 29)), math.Pow(2, -2./15),
		1e-12)
	coretest.Near(t, "l2, mean bag of 5", math.Exp(limeLogWeight(DistanceL2, 5, 9, 6)),
		math.Pow(2, -1.5), 1e-12)
	must.Equal(t, limeLogWeight(DistanceCosine, 1, 1, 1), 0)
}

// TestBentArea compares the area with the alternating series of its definition, on both sides of
// the number at which the formula changes.
func TestBentArea(t *testing.T) {
	for _, x := range []float64{0, 1e-9, .005, .0099, .0101, .02, .5} {
		want, term := 0.0, .5 // x^n (-1)^n / (n+2)!
		for n := range 20 {
			want += term
			term *= -x / float64(n+3)
		}
		coretest.Near(t, "area", bentArea(x), want, 1e-10)
	}
}

// TestMILLICurve checks the golden probabilities of METHODS section 1, with K = k-1.
func TestMILLICurve(t *testing.T) {
	for _, c := range []struct {
		k           int
		alpha, beta float64
		first, last []float64
	}{
		{30, .05, .01, []float64{.05, .0897, .1287}, []float64{.9026, .9265, .95}},
		{30, .05, -.01, []float64{.05, .0735, .0974}, []float64{.8713, .9103, .95}},
		{264, .008, -5, []float64{.008, .008}, []float64{.008, .0146, .992}},
		{5, .3, -1, []float64{.3, .305, .3271}, []float64{.3271, .4104, .7}},
		{4, .2, 0, []float64{.2, .4}, []float64{.6, .8}},
		{1, .2, 3, []float64{.2}, []float64{.2}},
	} {
		p := MILLICurve{Alpha: c.alpha, Beta: c.beta}.Probabilities(c.k)
		for i, want := range c.first {
			coretest.Near(t, "first ranks", p[i], want, 5e-5)
		}
		for i, want := range c.last {
			coretest.Near(t, "last ranks", p[c.k-len(c.last)+i], want, 6e-5)
		}
	}
	for _, beta := range []float64{-3, -.01, 0, .01, 3} {
		for _, p := range (MILLICurve{Alpha: .5, Beta: beta}).Probabilities(9) {
			coretest.Near(t, "alpha .5", p, .5, 0)
		}
	}
	must.Equal(t, math.Abs((MILLICurve{Alpha: .05, Printed: true}).At(29, 30)-.92) <= 1e-12, true)
}

// TestMILLIExpectedSize checks E|z| for the settings of the paper, and the integral against a
// numerical one.
func TestMILLIExpectedSize(t *testing.T) {
	for _, c := range []struct {
		k           int
		alpha, beta float64
		want        float64
	}{{30, .05, -.01, 13}, {30, .05, .01, 16}, {264, .008, -5, 2}, {5, .3, -1, 2}, {6, .3, .01,
		3}} {
		curve := MILLICurve{Alpha: c.alpha, Beta: c.beta}
		coretest.Near(t, "sum", curve.ExpectedSize(c.k), c.want, 1.2)
		coretest.Near(t, "integral", curve.ExpectedSizeIntegral(c.k), c.want, 1)
	}
	for _, alpha := range []float64{.01, .3, .5, .7, .99} {
		for _, beta := range []float64{-4, -.3, -1e-7, 0, 1e-9, .02, 5} {
			curve := MILLICurve{Alpha: alpha, Beta: beta}
			for _, k := range []int{2, 3, 20} {
				got := curve.ExpectedSizeIntegral(k)
				coretest.Near(t, "integral", got, midpoint(curve, k), 1e-4)
			}
		}
	}
}

// midpoint integrates pi_R over [0, K] by the midpoint rule.
func midpoint(c MILLICurve, k int) float64 {
	const parts = 40000
	last, b := float64(k-1), c.bend()
	sum := 0.0
	for i := range parts {
		r := (float64(i) + .5) / parts * last
		if b >= 0 {
			sum += (2*c.Alpha-1)*(1-r/last)*math.Exp(-b*r) + 1 - c.Alpha
		} else {
			sum += (1-2*c.Alpha)*(r/last)*math.Exp(-b*(r-last)) + c.Alpha
		}
	}
	return sum / parts * last
}
