//go:build !js

package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestSimdNeighbours holds the module's results to those in Go, bit for bit.
func TestSimdNeighbours(t *testing.T) {
	h := newHost(t)
	r := rand.New(rand.NewPCG(65, 66))
	eachNeighbours(func(n, columns int, relu bool) {
		if n == 0 || columns%4 != 0 {
			return
		}
		ldd, ldr, cut := columns+2, columns+1, 0
		if relu {
			cut = 1
		}
		s, rows := randomNeighbours(r, n, columns, ldr, relu)
		h.reset()
		want := make([]float32, n*ldd)
		at := h.put(want)
		h.call("neighbours", uint64(at), u(ldd), uint64(h.put(rows)), u(ldr),
			uint64(h.putDoubles(s.Sums)), uint64(h.put(s.Bias)),
			u(columns), uint64(h.putDoubles(s.Signs)), uint64(h.putDoubles(s.Scales)), u(n), u(cut))
		neighboursNaive(want, ldd, rows, ldr, s)
		sameBits(t, fmt.Sprintf("%d neighbours of %d columns, relu %v", n, columns, relu),
			h.floats(at, n*ldd), want)
	})
}

// TestSimdNeighbours64 does the same for results in float64.
func TestSimdNeighbours64(t *testing.T) {
	h := newHost(t)
	r := rand.New(rand.NewPCG(67, 68))
	eachNeighbours(func(n, columns int, relu bool) {
		if n == 0 || columns%2 != 0 || relu {
			return
		}
		ldd, ldr := columns+2, columns+1
		s, rows := randomNeighbours(r, n, columns, ldr, false)
		h.reset()
		want := make([]float64, n*ldd)
		at := h.putDoubles(want)
		h.call("neighbours64", uint64(at), u(ldd), uint64(h.put(rows)), u(ldr),
			uint64(h.putDoubles(s.Sums)), uint64(h.put(s.Bias)),
			u(columns), uint64(h.putDoubles(s.Signs)), uint64(h.putDoubles(s.Scales)), u(n))
		neighboursNaive(want, ldd, rows, ldr, s)
		sameDoubles(t, fmt.Sprintf("%d neighbours of %d columns", n, columns), h.doubles(at, n*ldd),
			want)
	})
}
