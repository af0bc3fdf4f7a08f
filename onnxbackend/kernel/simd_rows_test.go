//go:build !js

package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestSimdAddRows holds the module's sums to those in Go, bit for bit.
func TestSimdAddRows(t *testing.T) {
	h := newHost(t)
	r := rand.New(rand.NewPCG(77, 78))
	eachRows(func(k, columns int, density float64) {
		if columns%4 != 0 {
			return
		}
		ld, members := columns+1, memberBits(r, k, density)
		rows, want := random(r, k*ld), doubles(r, columns)
		h.reset()
		at := h.putDoubles(want)
		h.call("addRows", uint64(at), u(columns), uint64(h.put(rows)), u(ld),
			uint64(h.put64(members)), u(2*len(members)))
		addRowsNaive(want, rows, ld, k, members)
		sameDoubles(t, fmt.Sprintf("%d rows of %d columns", k, columns), h.doubles(at, columns),
			want)
	})
}

// TestSimdNarrow holds the module's layer to that in Go, bit for bit.
func TestSimdNarrow(t *testing.T) {
	h := newHost(t)
	r := rand.New(rand.NewPCG(79, 80))
	eachNarrow(func(lines, inner, outputs int) {
		if lines == 0 {
			return
		}
		ldx, ldy := inner+1, outputs+2
		x, w, bias := random(r, lines*ldx), random(r, inner*outputs), random(r, outputs)
		n := NewNarrow(w, inner, outputs, false, bias)
		h.reset()
		want := make([]float32, lines*ldy)
		at := h.put(want)
		h.call("narrow", uint64(at), u(ldy), uint64(h.put(x)), u(ldx), u(lines),
			uint64(h.putPairs(n.weights)),
			uint64(h.putPairs(n.bias)), u(inner), u(outputs))
		narrowNaive(want, ldy, x, ldx, lines, w, inner, outputs, bias)
		sameBits(t, fmt.Sprintf("%d lines of %d, %d outputs", lines, inner, outputs),
			h.floats(at, lines*ldy), want)
	})
}
