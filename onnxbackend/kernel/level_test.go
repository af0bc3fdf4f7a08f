package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// atLevels runs a test at every level that this machine has.
func atLevels(t *testing.T, test func(t *testing.T)) {
	best := current
	defer func() { current = best }()
	for l := portable; l <= best; l++ {
		current = l
		t.Run(l.String(), test)
	}
}

// guard stands around slices; no kernel may write over it.
const guard = float32(-12345)

// guarded returns n floats between two times pad guards, and a check that the guards still stand.
func guarded(n int) (inner []float32, check func(t *testing.T)) {
	const pad = 64
	all := make([]float32, n+2*pad)
	for i := range all {
		all[i] = guard
	}
	return all[pad : pad+n : pad+n], func(t *testing.T) {
		t.Helper()
		for i, v := range all {
			if (i < pad || i >= pad+n) && v != guard {
				t.Fatalf("float %d outside of %d was written: %v", i-pad, n, v)
			}
		}
	}
}

func random(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

// fma is x*y + z rounded once to float32. The product is exact in float64; the sum is rounded there
// to odd, which a second rounding to fewer digits cannot tell from the exact sum.
func fma(x, y, z float32) float32 {
	p := float64(x) * float64(y)
	s := p + float64(z)
	back := s - p
	rest := (p - (s - back)) + (float64(z) - back)
	if b := math.Float64bits(s); rest != 0 && b&1 == 0 {
		if (rest > 0) == (s > 0) {
			b++
		} else {
			b--
		}
		s = math.Float64frombits(b)
	}
	return float32(s)
}

func TestFMAIsRoundedOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 20000 {
		x, y, z := float32(r.NormFloat64()), float32(r.NormFloat64()),
			float32(r.NormFloat64()*math.Exp2(float64(r.IntN(60)-30)))
		// Two summands of float64 of which the first is exact: the sum is exact in big steps, too.
		hi := math.FMA(float64(x), float64(y), float64(z))
		got := fma(x, y, z)
		if d := math.Abs(float64(got) - hi); d > math.Abs(
			float64(math.Nextafter32(got, 2*got))-float64(got))*0.5000001 {
			t.Fatalf("%v*%v+%v = %v, want the float next to %v", x, y, z, got, hi)
		}
	}
	// 1·1 + 2^-24 lies midway; the third part decides, and a double rounding would lose it.
	if got, want := fma(1+0x1p-12, 1+0x1p-12, 0x1p-60), float32(1+0x1p-11+0x1p-23); got != want {
		t.Errorf("above the middle: %v, want %v", got, want)
	}
	if got, want := fma(1+0x1p-12, 1+0x1p-12, -0x1p-60), float32(1+0x1p-11); got != want {
		t.Errorf("below the middle: %v, want %v", got, want)
	}
}

// sameBits fails where two results differ in any bit.
func sameBits(t testing.TB, what string, got, want []float32) {
	t.Helper()
	for i := range want {
		must.Equal(t, math.Float32bits(got[i]), math.Float32bits(want[i]), what, i, got[i], want[i])
	}
}

// seldomLarge returns a size from 0 to most, for a byte that a fuzz test chooses. Half of the bytes
// give sizes below an eighth of most: mistakes are at the edges of blocks, and small sizes take
// little time.
func seldomLarge(b uint8, most int) int {
	share := float64(b) / 255
	return int(share * share * share * float64(most))
}
