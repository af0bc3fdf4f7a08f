package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// coalitions draws n rows of k bits, each set with a chance that differs from row to row around
// density, and sets the bits beyond k, which must not count.
func coalitions(r *rand.Rand, n, k, words int, density float64) []uint64 {
	z := make([]uint64, n*words)
	for j := range n {
		row := z[j*words : (j+1)*words]
		for i := range words * 64 {
			if i >= k || r.Float64() < density {
				row[i/64] |= 1 << (i % 64)
			}
		}
	}
	return z
}

func has(z []uint64, words, j, i int) bool { return z[j*words+i/64]>>(i%64)&1 == 1 }

// maskedNaive is MaskedSum's slow twin, in float64.
func maskedNaive(z []uint64, words, n int, h []float32, k, d int) (sums, magnitudes []float64) {
	sums, magnitudes = make([]float64, n*d), make([]float64, n*d)
	for j := range n {
		for i := range k {
			if has(z, words, j, i) {
				for c := range d {
					v := float64(h[i*d+c])
					sums[j*d+c] += v
					magnitudes[j*d+c] += math.Abs(v)
				}
			}
		}
	}
	return sums, magnitudes
}

// sumError is how far a masked sum may be from the truth, relative to the sum of magnitudes.
const sumError = 1e-6

// maskedShapes are (n, k, d): one of each, edges of words, lines, blocks of rows and of coalitions.
var maskedShapes = [][3]int{{1, 1, 1}, {1, 200, 40}, {3, 64, 16}, {5, 63, 17}, {40, 65, 15},
	{70, 130, 33}, {150, 30, 64}, {20, 2500, 20}, {1030, 70, 18}, {12, 4, 3}}

func TestMaskedSumEqualsNaive(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(15, 16))
		for _, s := range maskedShapes {
			for _, density := range []float64{0.01, 0.5, 1} {
				n, k, d := s[0], s[1], s[2]
				words := (k+63)/64 + r.IntN(2)
				z, h := coalitions(r, n, k, words, density), random(r, k*d)
				want, magnitudes := maskedNaive(z, words, n, h, k, d)
				got, check := guarded(n * d)
				MaskedSum(got, z, words, n, h, k, d)
				check(t)
				for i := range got {
					if diff := math.Abs(float64(
						got[i]) - want[i]); !(diff <= sumError*magnitudes[i]) {
						t.Fatalf("%v density %v: coalition %d column %d is %v, want %v", s, density,
							i/d, i%d, got[i], want[i])
					}
				}
			}
		}
	})
}

// TestMaskedSumAlike: the same bits at every level, by tables or not, alone or in a batch.
func TestMaskedSumAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	const n, k, d, words = 90, 2300, 35, 36
	for _, density := range []float64{0.005, 0.1, 0.6} {
		z, h := coalitions(r, n, k, words, density), random(r, k*d)
		var want []float32
		atLevels(t, func(t *testing.T) {
			got := make([]float32, n*d)
			MaskedSum(got, z, words, n, h, k, d)
			if want == nil {
				want = got
			}
			equal(t, "batch", got, want)
			for j := 0; j < n; j += 13 {
				alone := make([]float32, d)
				MaskedSum(alone, z[j*words:], words, 1, h, k, d)
				equal(t, fmt.Sprintf("coalition %d alone", j), alone, want[j*d:(j+1)*d])
			}
		})
	}
}

func equal(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i := range want {
		must.Equal(t, math.Float32bits(got[i]), math.Float32bits(want[i]), what, i, got[i], want[i])
	}
}

// TestMaskedSumIgnoresNonMembers: what is not in a coalition may be anything.
func TestMaskedSumIgnoresNonMembers(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		const n, k, d = 40, 9, 16
		h := make([]float32, k*d)
		for i := range h {
			h[i] = float32(i / d)
		}
		for c := range d {
			h[3*d+c], h[4*d+c] = float32(math.NaN()), float32(math.Inf(1))
		}
		z := make([]uint64, n)
		for j := range z {
			z[j] = 0b100100110
		}
		got := make([]float32, n*d)
		MaskedSum(got, z, 1, n, h, k, d)
		for i, v := range got {
			must.Equal(t, v, 1+2+5+8, i)
		}
	})
}

// TestMaskedSumOfManyRows: the error must not grow with the length of the sum.
func TestMaskedSumOfManyRows(t *testing.T) {
	const n, k, d = 3, 100_000, 4
	const words = (k + 63) / 64
	r := rand.New(rand.NewPCG(19, 20))
	z, h := coalitions(r, n, k, words, 0.7), random(r, k*d)
	for i := range h {
		h[i] = 1 + h[i]*h[i] // values of one sign, where rounding errors add up
	}
	want, _ := maskedNaive(z, words, n, h, k, d)
	got := make([]float32, n*d)
	MaskedSum(got, z, words, n, h, k, d)
	worst := 0.0
	for i := range got {
		worst = max(worst, math.Abs(float64(got[i])-want[i])/want[i])
	}
	t.Logf("relative error %.2g", worst)
	must.Equal(t, worst <= sumError, true, worst)
}

func TestMaskedSumConcurrent(t *testing.T) {
	const n, k, d, words = 60, 100, 20, 2
	r := rand.New(rand.NewPCG(21, 22))
	z, h := coalitions(r, n, k, words, 0.5), random(r, k*d)
	want := make([]float32, n*d)
	MaskedSum(want, z, words, n, h, k, d)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got := make([]float32, n*d)
			for range 5 {
				MaskedSum(got, z, words, n, h, k, d)
				for i := range got {
					if got[i] != want[i] {
						t.Errorf("element %d: %v, want %v", i, got[i], want[i])
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

func FuzzMaskedSum(f *testing.F) {
	f.Add(uint8(90), uint8(84), uint8(190), uint8(128), uint64(1))
	f.Add(uint8(0), uint8(253), uint8(0), uint8(3), uint64(2))
	f.Fuzz(func(t *testing.T, n8, k8, d8, density uint8, seed uint64) {
		n, k, d := 1+seldomLarge(n8, 255), 1+seldomLarge(k8, 2100), 1+seldomLarge(d8, 39)
		r := rand.New(rand.NewPCG(seed, 0))
		words := (k + 63) / 64
		z, h := coalitions(r, n, k, words, float64(density)/255), random(r, k*d)
		want, magnitudes := maskedNaive(z, words, n, h, k, d)
		var bits []float32
		atLevels(t, func(t *testing.T) {
			got, check := guarded(n * d)
			MaskedSum(got, z, words, n, h, k, d)
			check(t)
			if bits == nil {
				bits = got
			}
			equal(t, "level", got, bits)
			for i := range got {
				must.Equal(t, math.Abs(float64(got[i])-want[i]) <= sumError*magnitudes[i], true,
					n, k, d, i, got[i], want[i])
			}
		})
	})
}

func BenchmarkMaskedSum(b *testing.B) {
	best := current
	defer func() { current = best }()
	const n, d = 1000, 512
	r := rand.New(rand.NewPCG(23, 24))
	for _, k := range []int{264, 1000} {
		words := (k + 63) / 64
		z, h, dst := coalitions(r, n, k, words, 0.5), random(r, k*d), make([]float32, n*d)
		for l := best; ; l-- {
			b.Run(fmt.Sprintf("k=%d/%v", k, l), func(b *testing.B) {
				current = l
				b.ReportAllocs()
				for b.Loop() {
					MaskedSum(dst, z, words, n, h, k, d)
				}
				b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms")
			})
			if l == portable {
				break
			}
		}
	}
}
