package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// subtractNaive is Subtract's slow twin.
func subtractNaive(
	c []float64, ldc int, a []float64, row, column int, b []float64, ldb, m, n, k int,
) {
	for i := range m {
		for j := range n {
			for p := range k {
				c[i*ldc+j] -= float64(a[i*row+p*column] * b[p*ldb+j])
			}
		}
	}
}

func doubles(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

// checkSubtract holds a product to its twin, bit for bit, with A as it lies or transposed, and with
// C, A and B as parts of one matrix. All of what is not C must stand.
func checkSubtract(t *testing.T, r *rand.Rand, m, n, k int) {
	t.Helper()
	side := 2*m + n + 2*k + 3
	for _, transposed := range []bool{false, true} {
		got := doubles(r, side*side)
		want := append([]float64(nil), got...)
		call := func(f func(c []float64, ldc int, a []float64, row, column int, b []float64, ldb, m,
			n, k int), x []float64) {
			row, column := side, 1
			if transposed {
				row, column = 1, side
			}
			f(x, side, x[(m+1)*side+n+1:], row, column, x[(2*m+k+1)*side:], side, m, n, k)
		}
		call(subtractNaive, want)
		call(Subtract, got)
		for i, v := range want {
			if got[i] != v {
				t.Fatalf("(%d, %d, %d), transposed %v: element (%d, %d) is %v, want %v", m, n, k,
					transposed, i/side, i%side, got[i], v)
			}
		}
	}
}

func TestSubtractEqualsNaive(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(51, 52))
		for m := range 11 {
			for _, n := range []int{0, 1, 2, 3, 4, 7, 8, 15, 16, 21, 40} {
				for _, k := range []int{0, 1, 2, 5} {
					checkSubtract(t, r, m, n, k)
				}
			}
		}
		checkSubtract(t, r, 5, 6, 2*subtractDepth+3)
	})
}

func FuzzSubtract(f *testing.F) {
	f.Add(uint8(33), uint8(50), uint8(64), uint64(1))
	f.Fuzz(func(t *testing.T, m, n, k uint8, seed uint64) {
		atLevels(t, func(t *testing.T) {
			checkSubtract(t, rand.New(rand.NewPCG(seed, 0)), seldomLarge(m, 69),
				seldomLarge(n, 69), seldomLarge(k, 139))
		})
	})
}

func BenchmarkSubtract(b *testing.B) {
	best := current
	defer func() { current = best }()
	r := rand.New(rand.NewPCG(53, 54))
	for _, s := range [][3]int{{32, 264, 264}, {32, 1000, 1000}, {1, 264, 32}} {
		m, n, k := s[0], s[1], s[2]
		x, a, c := doubles(r, k*n), doubles(r, k*n), make([]float64, m*n)
		for l := best; ; l-- {
			b.Run(fmt.Sprintf("%dx%dx%d/%v", m, n, k, l), func(b *testing.B) {
				current = l
				for b.Loop() {
					Subtract(c, n, a, 1, n, x, n, m, n, k)
				}
				b.ReportMetric(2*float64(m*n*k*b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
			if l == portable {
				break
			}
		}
	}
}
