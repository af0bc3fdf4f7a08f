package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// gramError is how far an element of a weighted Gram matrix may be from the truth, relative to the
// sum of the magnitudes of the weights.
const gramError = 1e-13

// checkGram holds WeightedGram to the sum of outer products.
func checkGram(t *testing.T, r *rand.Rand, n, k int, density func(j int) float64) {
	t.Helper()
	words := (k+63)/64 + r.IntN(2)
	var z []uint64
	w := make([]float64, n)
	total := 0.0
	for j := range n {
		z = append(z, coalitions(r, 1, k, words, density(j))...)
		w[j] = r.NormFloat64()
		total += math.Abs(w[j])
	}
	want := make([]float64, k*k)
	got := make([]float64, k*k)
	for i := range k {
		for l := range k {
			want[i*k+l] = float64(guard)
			if i <= l {
				want[i*k+l] = 1
				for j := range n {
					if has(z, words, j, i) && has(z, words, j, l) {
						want[i*k+l] += w[j]
					}
				}
			}
			got[i*k+l] = float64(guard)
			if i <= l {
				got[i*k+l] = 1
			}
		}
	}
	WeightedGram(got, z, words, n, k, w)
	for i, v := range want {
		must.Equal(t, math.Abs(got[i]-v) <= gramError*(1+total), true, n, k, i/k, i%k, got[i], v)
	}
}

func TestWeightedGramEqualsNaive(t *testing.T) {
	kinds := map[string]func(j int) float64{
		"sparse": func(int) float64 { return 0.03 },
		"dense":  func(int) float64 { return 0.6 },
		"full":   func(int) float64 { return 1 },
		"mixed":  func(j int) float64 { return float64(j%3) / 2.5 },
	}
	atLevels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(25, 26))
		for name, density := range kinds {
			t.Run(name, func(t *testing.T) {
				for _, s := range [][2]int{{1, 1}, {5, 3}, {64, 8}, {65, 9}, {200, 64}, {130, 67},
					{300, 100}, {1, 70}} {
					checkGram(t, r, s[0], s[1], density)
				}
			})
		}
	})
}

// TestWeightedGramWays makes sure that the shapes above go both ways.
func TestWeightedGramWays(t *testing.T) {
	const n, k, words = 300, 100, 2
	for _, c := range []struct {
		density float64
		tables  bool
	}{{0.03, false}, {0.6, true}} {
		z := coalitions(rand.New(rand.NewPCG(27, 28)), n, k, words, c.density)
		g := gram{z: z, words: words, inWords: words, mask: 1<<(k-64) - 1, k: k}
		pairs, tables := g.split(n)
		must.Equal(t, len(tables) > len(pairs), c.tables, c.density, len(pairs), len(tables))
		must.Equal(t, len(pairs)+len(tables), n, c.density, len(pairs), len(tables))
	}
}

func TestTranspose(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 30))
	var a, b [64]uint64
	for i := range a {
		a[i] = r.Uint64()
	}
	b = a
	transpose(&b)
	for i := range 64 {
		for l := range 64 {
			if a[i]>>l&1 != b[l]>>i&1 {
				t.Fatalf("bit (%d, %d) is lost", i, l)
			}
		}
	}
}

func FuzzWeightedGram(f *testing.F) {
	f.Add(uint8(70), uint8(20), uint8(100), uint64(1))
	f.Add(uint8(200), uint8(130), uint8(250), uint64(2))
	f.Fuzz(func(t *testing.T, n, k, density uint8, seed uint64) {
		atLevels(t, func(t *testing.T) {
			checkGram(t, rand.New(rand.NewPCG(seed, 0)), 1+seldomLarge(n, 255),
				1+seldomLarge(k, 255), func(j int) float64 {
					return float64(density) / 255 * float64(1+j%2) / 2
				})
		})
	})
}

func BenchmarkWeightedGram(b *testing.B) {
	best := current
	defer func() { current = best }()
	r := rand.New(rand.NewPCG(33, 34))
	const n = 1000
	for _, k := range []int{264, 1000} {
		for _, density := range []float64{0.05, 0.5} {
			words := (k + 63) / 64
			z, w, dst := coalitions(r, n, k, words, density), make([]float64, n), make([]float64,
				k*k)
			for j := range w {
				w[j] = r.Float64()
			}
			for l := best; ; l-- {
				b.Run(fmt.Sprintf("k=%d/density=%v/%v", k, density, l), func(b *testing.B) {
					current = l
					for b.Loop() {
						WeightedGram(dst, z, words, n, k, w)
					}
					b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms")
				})
				if l == portable {
					break
				}
			}
		}
	}
}
