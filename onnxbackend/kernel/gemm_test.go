package kernel

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/bagscope/bagscope/internal/must"
)

// naive is Gemm's slow twin: a, b and c dense, one chain of sums an element, rounded as the level
// does.
func naive(a, b []float32, m, n, k int, ep Epilogue) []float32 {
	c := make([]float32, m*n)
	for i := range m {
		for j := range n {
			var s float32
			for p := range k {
				if !current.fused() {
					s += float32(a[i*k+p] * b[p*n+j])
				} else {
					s = fma(a[i*k+p], b[p*n+j], s)
				}
			}
			c[i*n+j] = s
		}
	}
	finish(c, n, m, n, ep)
	if ep.Act > ActRelu {
		Activate(c, ep.Act)
	}
	return c
}

// checkGemm holds Gemm and Gemv to their twin, bit for bit, and to the guards around C.
func checkGemm(t *testing.T, r *rand.Rand, m, n, k int, ep Epilogue) {
	t.Helper()
	a, b := random(r, m*k), random(r, k*n)
	want := naive(a, b, m, n, k, ep)
	packed := make([]float32, PackedLen(k, n))
	Pack(packed, b, k, n, n, false)
	ldc := n + 3
	c, check := guarded((m-1)*ldc + n)
	Gemm(c, ldc, a, k, packed, m, n, k, ep)
	check(t)
	for i, v := range c {
		row, j := i/ldc, i%ldc
		w := guard
		if j < n {
			w = want[row*n+j]
		}
		must.Equal(t, math.Float32bits(v), math.Float32bits(w), m, n, k, row, j, v, w)
	}
	plain := naive(a, b, 1, n, k, Epilogue{})
	row, check := guarded(n)
	Gemv(row, a[:k], b, n, n)
	check(t)
	for j, v := range row {
		must.Equal(t, v, plain[j], n, k, j)
	}
}

func TestGemmEqualsNaive(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for m := 1; m <= 14; m++ {
			for _, n := range []int{1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 80} {
				checkGemm(t, r, m, n, 1+r.IntN(9), Epilogue{})
			}
		}
		for _, s := range [][3]int{{3, 2, 0}, {70, 33, 20}, {97, 40, 5}, {200, 1, 3}, {64, 64, 64},
			{13, 50, 513}, {5, 37, 1030}} {
			checkGemm(t, r, s[0], s[1], s[2], Epilogue{})
		}
	})
}

func TestEpilogue(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for _, act := range []Activation{ActNone, ActRelu, ActTanh, ActSigmoid} {
			for _, s := range [][3]int{{1, 5, 3}, {13, 32, 4}, {7, 45, 9}, {100, 35, 2}, {4, 20, 0},
				{6, 70, 700}} {
				checkGemm(t, r, s[0], s[1], s[2], Epilogue{Act: act})
				checkGemm(t, r, s[0], s[1], s[2], Epilogue{Bias: random(r, s[1]), Act: act})
				checkGemm(t, r, s[0], s[1], s[2], Epilogue{RowBias: random(r, s[0]), Act: act})
				checkGemm(t, r, s[0], s[1], s[2],
					Epilogue{Bias: random(r, s[1]), RowBias: random(r, s[0]), Act: act})
			}
		}
	})
}

// TestReluKeepsNaN: a broken model must show, not turn into zeros.
func TestReluKeepsNaN(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		nan := float32(math.NaN())
		packed := make([]float32, PackedLen(1, 2))
		Pack(packed, []float32{nan, -1}, 1, 2, 2, false)
		c := make([]float32, 2)
		Gemm(c, 2, []float32{1}, 1, packed, 1, 2, 1, Epilogue{Act: ActRelu})
		if c[0] == c[0] || c[1] != 0 {
			t.Errorf("relu(NaN, -1) = %v", c)
		}
	})
}

// TestRowsDoNotDependOnTheBatch computes a row alone and among others.
func TestRowsDoNotDependOnTheBatch(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		const m, n, k = 41, 57, 1100
		r := rand.New(rand.NewPCG(5, 6))
		a, b := random(r, m*k), random(r, k*n)
		packed := make([]float32, PackedLen(k, n))
		Pack(packed, b, k, n, n, false)
		all := make([]float32, m*n)
		Gemm(all, n, a, k, packed, m, n, k, Epilogue{})
		for lo := 0; lo < m; {
			rows := min(1+lo%7, m-lo)
			some := make([]float32, rows*n)
			Gemm(some, n, a[lo*k:], k, packed, rows, n, k, Epilogue{})
			for i, v := range some {
				if v != all[lo*n+i] {
					t.Fatalf("row %d of %d alone: column %d is %v, among %d rows %v", lo+i/n, rows,
						i%n, v, m, all[lo*n+i])
				}
			}
			lo += rows
		}
	})
}

func TestGemmConcurrent(t *testing.T) {
	const m, n, k = 50, 70, 90
	r := rand.New(rand.NewPCG(9, 10))
	a, b := random(r, m*k), random(r, k*n)
	packed := make([]float32, PackedLen(k, n))
	Pack(packed, b, k, n, n, false)
	want := naive(a, b, m, n, k, Epilogue{Act: ActTanh})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			c := make([]float32, m*n)
			for range 5 {
				Gemm(c, n, a, k, packed, m, n, k, Epilogue{Act: ActTanh})
				for i := range c {
					if c[i] != want[i] {
						t.Errorf("element %d: %v, want %v", i, c[i], want[i])
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

func TestPackTransposed(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for _, s := range [][2]int{{3, 5}, {8, 4}, {1, 9}, {5, 40}} {
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
	})
}

// TestGemmChecksLengths: assembly must never see a slice that is too short.
func TestGemmChecksLengths(t *testing.T) {
	const m, n, k = 3, 5, 4
	full := func() (c, a, packed, bias, rowBias []float32) {
		return make([]float32, m*n), make([]float32, m*k), make([]float32, PackedLen(k, n)),
			make([]float32, n), make([]float32, m)
	}
	for i, name := range []string{"c", "a", "packed", "bias", "row bias"} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			var s [5][]float32
			s[0], s[1], s[2], s[3], s[4] = full()
			s[i] = s[i][: len(s[i])-1 : len(s[i])-1]
			Gemm(s[0], n, s[1], k, s[2], m, n, k, Epilogue{Bias: s[3], RowBias: s[4]})
		})
	}
}

func FuzzGemm(f *testing.F) {
	f.Add([]byte{170, 180, 40, 1, 1})
	f.Add([]byte{0, 220, 200, 0, 3})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 5 {
			return
		}
		m, n, k := 1+seldomLarge(data[0], 39), 1+seldomLarge(data[1], 99),
			seldomLarge(data[2], 1275)
		r := rand.New(rand.NewPCG(uint64(data[4]),
			binary.BigEndian.Uint64(append(data[:len(data):len(data)], make([]byte, 8)...))))
		ep := Epilogue{Act: Activation(data[4] % 4)}
		if data[4]&4 != 0 {
			ep.Bias = random(r, n)
		}
		if data[4]&8 != 0 {
			ep.RowBias = random(r, m)
		}
		atLevels(t, func(t *testing.T) { checkGemm(t, r, m, n, k, ep) })
	})
}

// shapes are products that models make: layers of 512 and 256 features, convolutions, heads, one
// TestNothingToCompute multiplies matrices without columns and lays out no channels: the memory
// that is given has no room for rows.
func TestNothingToCompute(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		Gemm(nil, 5, make([]float32, 6), 2, nil, 3, 0, 2, Epilogue{})
		Gemm(nil, 5, nil, 2, make([]float32, PackedLen(2, 5)), 0, 5, 2, Epilogue{})
		NewPatches([]int32{0, 1, 2, 3}, 2, 2).Columns(nil, nil, 0, 4)
	})
}

// row.
var shapes = [][3]int{{1000, 256, 512}, {1920, 56, 500}, {264, 64, 1200}, {30, 64, 800},
	{48, 576, 324}, {1, 256, 512}}

func BenchmarkGemm(b *testing.B) {
	best := current
	defer func() { current = best }()
	r := rand.New(rand.NewPCG(5, 6))
	for _, s := range shapes {
		m, n, k := s[0], s[1], s[2]
		x, y, c := random(r, m*k), random(r, k*n), make([]float32, m*n)
		rate := func(b *testing.B) {
			b.ReportMetric(2*float64(m*n*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		}
		for l := best; ; l-- {
			b.Run(fmt.Sprintf("%dx%dx%d/%v", m, n, k, l), func(b *testing.B) {
				current = l
				packed := make([]float32, PackedLen(k, n))
				Pack(packed, y, k, n, n, false)
				b.ReportAllocs()
				for b.Loop() {
					Gemm(c, n, x, k, packed, m, n, k, Epilogue{})
				}
				rate(b)
			})
			if l == portable {
				break
			}
		}
		b.Run(fmt.Sprintf("%dx%dx%d/gonum", m, n, k), func(b *testing.B) {
			for b.Loop() {
				gonum.Implementation{}.Sgemm(blas.NoTrans, blas.NoTrans, m, n, k, 1, x, k, y, n, 0,
					c, n)
			}
			rate(b)
		})
	}
}
