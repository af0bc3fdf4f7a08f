package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// naive is Gemm's slow twin.
func naive(a, b []float32, m, n, k int) []float32 {
	c := make([]float32, m*n)
	for i := range m {
		for j := range n {
			var s float32
			for p := range k {
				s += a[i*k+p] * b[p*n+j]
			}
			c[i*n+j] = s
		}
	}
	return c
}

func random(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

const guard = float32(-12345)

func TestGemmEqualsNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range [][3]int{{1, 1, 1}, {1, 4, 3}, {4, 4, 4}, {5, 7, 9}, {3, 2, 0}, {13, 6, 17}, {70, 33, 20}, {130, 1, 5}, {64, 64, 64}} {
		m, n, k := s[0], s[1], s[2]
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			a, b := random(r, m*k), random(r, k*n)
			want := naive(a, b, m, n, k)
			packed := make([]float32, PackedLen(k, n))
			Pack(packed, b, k, n, n, false)
			ldc := n + 2
			c := make([]float32, m*ldc)
			for i := range c {
				c[i] = guard
			}
			Gemm(c, ldc, a, k, packed, m, n, k)
			for i := range m {
				for j := range ldc {
					w := guard
					if j < n {
						w = want[i*n+j]
					}
					if c[i*ldc+j] != w {
						t.Fatalf("row %d column %d: %v, want %v", i, j, c[i*ldc+j], w)
					}
				}
			}
			for i := range m {
				row := make([]float32, n)
				Gemv(row, a[i*k:(i+1)*k], b, n, n)
				for j := range n {
					if row[j] != want[i*n+j] {
						t.Fatalf("Gemv row %d column %d: %v, want %v", i, j, row[j], want[i*n+j])
					}
				}
			}
		})
	}
}

func TestPackTransposed(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, s := range [][2]int{{3, 5}, {8, 4}, {1, 9}} {
		k, n := s[0], s[1]
		b := random(r, k*n)
		bt := make([]float32, k*n)
		for p := range k {
			for j := range n {
				bt[j*k+p] = b[p*n+j]
			}
		}
		x, y := make([]float32, PackedLen(k, n)), make([]float32, PackedLen(k, n))
		Pack(x, b, k, n, n, false)
		Pack(y, bt, k, n, k, true)
		for i := range x {
			if x[i] != y[i] {
				t.Fatalf("(%d, %d): float %d differs: %v and %v", k, n, i, x[i], y[i])
			}
		}
	}
}

// TestColumns compares Columns with Pack of the matrix that it stands for.
func TestColumns(t *testing.T) {
	const channels, size, taps, positions = 3, 7, 2, 6
	r := rand.New(rand.NewPCG(7, 8))
	plane := random(r, channels*size)
	from := make([]int32, taps*positions)
	for i := range from {
		from[i] = int32(r.IntN(size+1)) - 1
	}
	matrix := make([]float32, channels*taps*positions)
	for c := range channels {
		for i, p := range from {
			if p >= 0 {
				matrix[c*len(from)+i] = plane[c*size+int(p)]
			}
		}
	}
	k := channels * taps
	got, want := make([]float32, PackedLen(k, positions)), make([]float32, PackedLen(k, positions))
	Columns(got, plane, from, channels, size, taps, positions)
	Pack(want, matrix, k, positions, positions, false)
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("float %d is %v, want %v", i, got[i], want[i])
		}
	}
}

func BenchmarkGemm(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, s := range [][3]int{{48, 100, 324}, {36, 576, 48}, {264, 64, 1200}, {1, 256, 64}} {
		m, n, k := s[0], s[1], s[2]
		x, y := random(r, m*k), random(r, k*n)
		packed := make([]float32, PackedLen(k, n))
		Pack(packed, y, k, n, n, false)
		c := make([]float32, m*n)
		b.Run(fmt.Sprint(s), func(b *testing.B) {
			for b.Loop() {
				Gemm(c, n, x, k, packed, m, n, k)
			}
			b.ReportMetric(2*float64(m*n*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
