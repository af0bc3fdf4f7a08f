package kernel

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"
)

func TestOverlaps(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(31, 32))
		for words := range 35 {
			for _, s := range [][2]int{{1, 1}, {2, 3}, {3, 4}, {1, 23}, {5, 37}} {
				m, n := s[0], s[1]
				x, y := make([]uint64, m*words), make([]uint64, n*words)
				for i := range x {
					x[i] = r.Uint64()
				}
				for i := range y {
					y[i] = r.Uint64()
				}
				got := make([]float64, m*n+1)
				got[m*n] = float64(guard)
				Overlaps(got, x, m, y, n, words)
				for e := range m * n {
					want := 0
					for w := range words {
						want += bits.OnesCount64(x[e/n*words+w] & y[e%n*words+w])
					}
					if got[e] != float64(want) {
						t.Fatalf("%v of %d words: element %d is %v, want %d", s, words, e, got[e],
							want)
					}
				}
				if got[m*n] != float64(guard) {
					t.Fatal("the guard was written over")
				}
			}
		}
	})
}

func BenchmarkOverlaps(b *testing.B) {
	best := current
	defer func() { current = best }()
	r := rand.New(rand.NewPCG(35, 36))
	const m, n = 16, 256
	for _, k := range []int{264, 100_000} {
		words := (k + 63) / 64
		x, dst := coalitions(r, n, k, words, 0.5), make([]float64, m*n)
		for l := best; ; l-- {
			b.Run(fmt.Sprintf("k=%d/%v", k, l), func(b *testing.B) {
				current = l
				for b.Loop() {
					Overlaps(dst, x[:m*words], m, x, n, words)
				}
				b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/float64(m*n*words), "ns/word")
			})
			if l == portable {
				break
			}
		}
	}
}
