//go:build !js

package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// inGroups is the twin of the module's masked sums: groups of eight instances one after another, of
// each the sum of the lower four and that of the upper four.
func inGroups[E float32 | float64](z []uint64, words, n int, h []E, k, d int) []E {
	dst := make([]E, n*d)
	for j := range n {
		for c := range d {
			var total E
			for i := 0; i < k; i += 8 {
				var part [2]E
				for b := i; b < min(i+8, k); b++ {
					if z[j*words+b/64]>>(b%64)&1 != 0 {
						part[(b-i)/4] += h[b*d+c]
					}
				}
				total += part[0] + part[1]
			}
			dst[j*d+c] = total
		}
	}
	return dst
}

// maskedShapes are (n, k, d): either side of the number of coalitions that a whole table is worth,
// groups and words that are cut off, columns that fill no line.
var maskedShapes = [][3]int{
	{1, 1, 1}, {3, 7, 2}, {2, 8, 16}, {5, 33, 19}, {255, 30, 5}, {256, 30, 5}, {300, 70, 37}, {257, 128, 16}, {40, 264, 64}, {1, 65, 3},
}

func TestSimdMaskedSums(t *testing.T) {
	h := newHost(t)
	r := rand.New(rand.NewPCG(18, 19))
	for _, s := range maskedShapes {
		n, k, d := s[0], s[1], s[2]
		words := (k + 63) / 64
		z := make([]uint64, n*words)
		for i := range z {
			z[i] = r.Uint64() // members beyond k count for nothing
		}
		x := random(r, k*d)
		h.reset()
		dst := h.place(4 * n * d)
		h.call("maskedSum", uint64(dst), uint64(h.put64(z)), u(words), u(n), uint64(h.put(x)), u(k), u(d), uint64(h.place(4*maskedTable)))
		sameBits(t, fmt.Sprint("maskedSum ", s), h.floats(dst, n*d), inGroups(z, words, n, x, k, d))

		x64, bits := make([]float64, k*d), make([]uint64, k*d)
		for i := range x64 {
			x64[i] = r.NormFloat64()
			bits[i] = math.Float64bits(x64[i])
		}
		h.reset()
		dst = h.place(8 * n * d)
		h.call("maskedSum64", uint64(dst), uint64(h.put64(z)), u(words), u(n), uint64(h.put64(bits)), u(k), u(2*d), uint64(h.place(4*maskedTable)))
		for i, want := range inGroups(z, words, n, x64, k, d) {
			if got, _ := h.memory().ReadFloat64Le(dst + 8*uint32(i)); got != want {
				t.Fatalf("maskedSum64 %v: element %d is %v, want %v", s, i, got, want)
			}
		}
	}
}
