//go:build !js

package kernel

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// TestSimdSubtract holds the module's product to that in Go, bit for bit.
func TestSimdSubtract(t *testing.T) {
	h := newHost(t)
	r := rand.New(rand.NewPCG(55, 56))
	for m := range 10 {
		for _, n := range []int{4, 8, 12, 16, 36} {
			for _, k := range []int{1, 7} {
				ldc, ldb := n+1, n+2
				c, a, b := doubles(r, m*ldc), doubles(r, m*k), doubles(r, k*ldb)
				for _, step := range [][2]int{{k, 1}, {1, m}} {
					h.reset()
					at := h.putDoubles(c)
					h.call("subtract", uint64(at), u(ldc), uint64(h.putDoubles(a)), u(step[0]),
						u(step[1]), uint64(h.putDoubles(b)), u(ldb), u(m), u(n), u(k))
					want := append([]float64(nil), c...)
					subtractNaive(want, ldc, a, step[0], step[1], b, ldb, m, n, k)
					for i, v := range want {
						if got, _ := h.memory().ReadFloat64Le(at + 8*uint32(i)); got != v {
							t.Fatalf("(%d, %d, %d): element %d is %v, want %v", m, n, k, i, got, v)
						}
					}
				}
			}
		}
	}
}

func TestSimdAndCounts(t *testing.T) {
	h := newHost(t)
	r := rand.New(rand.NewPCG(57, 58))
	for _, words := range []int{1, 2, 9} {
		for rows := range 10 {
			a, b := coalitions(r, 1, 64*words, words, 0.5), coalitions(r, rows, 64*words, words,
				0.5)
			h.reset()
			dst := h.put64(make([]uint64, rows))
			h.call("andCounts", uint64(dst), uint64(h.put64(a)), uint64(h.put64(b)), u(words),
				u(rows))
			for j := range rows {
				want := 0
				for w, v := range a {
					want += bits.OnesCount64(v & b[j*words+w])
				}
				if got, _ := h.memory().ReadFloat64Le(dst + 8*uint32(j)); got != float64(want) {
					t.Fatalf("%d words, row %d: %v, want %d", words, j, got, want)
				}
			}
		}
	}
}
