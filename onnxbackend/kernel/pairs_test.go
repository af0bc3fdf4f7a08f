package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

var pairings = []struct {
	name   string
	kernel func(dst, a, b []float32)
	of     func(x, y float32) float32
}{
	{"add", Add, func(x, y float32) float32 { return x + y }},
	{"sub", Sub, func(x, y float32) float32 { return x - y }},
	{"mul", Mul, func(x, y float32) float32 { return x * y }},
	{"div", Div, func(x, y float32) float32 { return x / y }},
}

// odd returns random floats, some of them zeros, infinities or NaN.
func odd(r *rand.Rand, n int) []float32 {
	x := random(r, n)
	inf := float32(math.Inf(1))
	for i := range x {
		if r.IntN(8) == 0 {
			x[i] = []float32{0, float32(math.Copysign(0, -1)), inf, -inf,
				float32(math.NaN())}[r.IntN(5)]
		}
	}
	return x
}

// sameOrNaN fails if two results differ in a bit, unless both are NaN.
func sameOrNaN(t testing.TB, what string, got, want []float32) {
	t.Helper()
	for i := range want {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) &&
			(got[i] == got[i] || want[i] == want[i]) {
			t.Fatalf("%s: element %d of %d is %v, want %v", what, i, len(want), got[i], want[i])
		}
	}
}

// checkPair compares a function of two elements with its definition. share is 1 to compute in place
// of a, 2 of b.
func checkPair(t testing.TB, r *rand.Rand, which, n, la, lb, share int) {
	t.Helper()
	p := pairings[which]
	a, b, want := odd(r, la), odd(r, lb), make([]float32, n)
	for i := range want {
		want[i] = p.of(a[min(i, la-1)], b[min(i, lb-1)])
	}
	dst, check := guarded(n)
	switch {
	case share == 1 && la == n:
		copy(dst, a)
		a = dst
	case share == 2 && lb == n:
		copy(dst, b)
		b = dst
	}
	p.kernel(dst, a, b)
	if t, ok := t.(*testing.T); ok {
		check(t)
	}
	sameOrNaN(t, p.name, dst, want)
}

func TestPairs(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(31, 1))
		for which := range pairings {
			for n := 1; n < 70; n++ {
				for share := range 3 {
					checkPair(t, r, which, n, n, n, share)
					checkPair(t, r, which, n, 1, n, share)
					checkPair(t, r, which, n, n, 1, share)
					checkPair(t, r, which, n, 1, 1, share)
				}
			}
			pairings[which].kernel(nil, nil, nil)
		}
	})
}

func TestClamp(t *testing.T) {
	inf := float32(math.Inf(1))
	atLevels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(31, 2))
		for n := range 70 {
			for _, bounds := range [][2]float32{{0, 6}, {-1, 1}, {-inf, 0.5}, {0, inf}, {2, -2}} {
				x := odd(r, n)
				want := make([]float32, n)
				clampPortable(want, x, bounds[0], bounds[1])
				dst, check := guarded(n)
				Clamp(dst, x, bounds[0], bounds[1])
				check(t)
				sameOrNaN(t, "clamp", dst, want)
				Clamp(x, x, bounds[0], bounds[1])
				sameOrNaN(t, "clamp in place", x, want)
			}
		}
	})
}

func FuzzPairs(f *testing.F) {
	f.Add(uint8(0), uint8(40), true, false, uint64(1))
	f.Add(uint8(3), uint8(17), false, true, uint64(2))
	f.Fuzz(func(t *testing.T, which, n uint8, oneA, oneB bool, seed uint64) {
		la, lb := int(n)+1, int(n)+1
		if oneA {
			la = 1
		}
		if oneB {
			lb = 1
		}
		atLevels(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 9))
			checkPair(t, r, int(which)%len(pairings), int(n)+1, la, lb, int(seed%3))
		})
	})
}
