//go:build !js

package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

var infinite = float32(math.Inf(1))

// delicate are the arguments where a function of one element is easily wrong.
var delicate = []float32{
	0, float32(math.Copysign(0, -1)), float32(math.NaN()), infinite, -infinite, 1, -1,
	math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, 1e-30, -1e-30, math.MaxFloat32, -math.MaxFloat32,
	88.72283, 88.72284, -87.33655, -103.9, -104.1, 9.0, -9.1, 1.0000001, 0.9999999, 3.9, 4.1,
}

// simdFunctions are the functions of one element, what they compute, the range where they are neither
// constant nor zero, and the units in the last place that they may err.
var simdFunctions = []struct {
	name  string
	exact func(float64) float64
	bound float64
	ulps  float64
}{
	{"exp", math.Exp, 104, 2},
	{"tanh", math.Tanh, 10, 3},
	{"sigmoid", func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, 104, 3},
	{"erf", math.Erf, 4.5, 2},
}

// ulpsApart is the distance of got from want in units of the last place of float32 at want.
func ulpsApart(got float32, want float64) float64 {
	if want != want || float64(float32(want)) != want && math.Abs(want) > math.MaxFloat32 || math.IsInf(want, 0) {
		if want != want && got != got || float32(want) == got {
			return 0
		}
		return math.Inf(1)
	}
	_, exponent := math.Frexp(want)
	return math.Abs(float64(got)-want) / math.Ldexp(1, max(exponent-24, -149))
}

func TestSimdFunctions(t *testing.T) {
	h := newHost(t)
	for _, f := range simdFunctions {
		t.Run(f.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(14, 15))
			x := append([]float32{}, delicate...)
			for range 100_000 {
				bound := f.bound * []float64{1, 0.1, 0.001}[r.IntN(3)]
				x = append(x, float32((2*r.Float64()-1)*bound))
			}
			h.reset()
			at := h.put(x)
			h.call(f.name, uint64(at), uint64(at), u(len(x)))
			worst := 0.0
			for i, got := range h.floats(at, len(x)) {
				d := ulpsApart(got, f.exact(float64(x[i])))
				if d > f.ulps {
					t.Fatalf("%s(%v) = %v, %.1f units in the last place from %v", f.name, x[i], got, d, f.exact(float64(x[i])))
				}
				worst = max(worst, d)
			}
			t.Logf("largest error: %.2f units in the last place", worst)
		})
	}
}

// TestSimdFunctionsOfAnyLength looks at the ends of short slices.
func TestSimdFunctionsOfAnyLength(t *testing.T) {
	h := newHost(t)
	r := rand.New(rand.NewPCG(16, 17))
	for _, f := range simdFunctions {
		whole := random(r, 12)
		h.reset()
		dst := h.place(4 * len(whole))
		h.call(f.name, uint64(dst), uint64(h.put(whole)), u(len(whole)))
		want := h.floats(dst, len(whole))
		for n := range whole {
			h.reset()
			dst := h.place(4 * n)
			h.call(f.name, uint64(dst), uint64(h.put(whole[:n])), u(n))
			sameBits(t, f.name, h.floats(dst, n), want[:n])
		}
	}
}

// TestSimdSigns holds odd functions to the sign of zero.
func TestSimdSigns(t *testing.T) {
	h := newHost(t)
	for _, name := range []string{"tanh", "erf"} {
		h.reset()
		at := h.put([]float32{float32(math.Copysign(0, -1)), 0})
		h.call(name, uint64(at), uint64(at), 2)
		got := h.floats(at, 2)
		if !math.Signbit(float64(got[0])) || math.Signbit(float64(got[1])) || got[0] != 0 || got[1] != 0 {
			t.Errorf("%s(-0, 0) = %v, want the zeros as they are", name, got)
		}
	}
}
