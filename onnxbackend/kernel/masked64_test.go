package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// sumError64 is sumError for float64.
const sumError64 = 1e-14

// sums64Naive is the slow twin of MaskedSum64 and, transposed, of TransposedSum64.
func sums64Naive(z []uint64, words, n, k int, h []float64, d int, transposed bool) []float64 {
	out := make([]float64, n*d)
	if transposed {
		out = make([]float64, k*d)
	}
	for j := range n {
		for i := range k {
			if has(z, words, j, i) {
				to, from := j, i
				if transposed {
					to, from = i, j
				}
				for c := range d {
					out[to*d+c] += h[from*d+c]
				}
			}
		}
	}
	return out
}

func TestMaskedSum64EqualsNaive(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(61, 62))
		for _, s := range maskedShapes {
			n, k, d := s[0], s[1], s[2]
			for _, density := range []float64{0.003, 0.5, 1} {
				words := (k+63)/64 + r.IntN(2)
				z := coalitions(r, n, k, words, density)
				for _, transposed := range []bool{false, true} {
					rows, height := k, n
					if transposed {
						rows, height = n, k
					}
					h := doubles(r, rows*d)
					got := doubles(r, height*d+1)
					last := got[height*d]
					if transposed {
						TransposedSum64(got, z, words, n, k, h, d)
					} else {
						MaskedSum64(got, z, words, n, h, k, d)
					}
					for i, want := range sums64Naive(z, words, n, k, h, d, transposed) {
						if !(math.Abs(got[i]-want) <= sumError64*float64(rows)) {
							t.Fatalf("%v density %v, transposed %v: element %d is %v, want %v", s,
								density, transposed, i, got[i], want)
						}
					}
					if got[height*d] != last {
						t.Fatalf("%v, transposed %v: the guard was written over", s, transposed)
					}
				}
			}
		}
	})
}

func BenchmarkTransposedSum64(b *testing.B) {
	best := current
	defer func() { current = best }()
	r := rand.New(rand.NewPCG(63, 64))
	const n, d = 1000, 2
	for _, k := range []int{264, 10_000} {
		words := (k + 63) / 64
		z, h := coalitions(r, n, k, words, 0.5), doubles(r, n*d)
		dst := make([]float64, k*d)
		for l := best; ; l-- {
			b.Run(fmt.Sprintf("k=%d/%v", k, l), func(b *testing.B) {
				current = l
				for b.Loop() {
					TransposedSum64(dst, z, words, n, k, h, d)
				}
				b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms")
			})
			if l == portable {
				break
			}
		}
	}
}
