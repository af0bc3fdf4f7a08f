//go:build !js

package kernel

import (
	"math"
	"testing"
)

// TestSimdElementwise holds the module to the loops in Go, bit for bit, NaN apart.
func TestSimdElementwise(t *testing.T) {
	h := newHost(t)
	x := arguments(65521)
	want := make([]float32, len(x))
	for id, f := range functions {
		elementwisePortable(function(id), want, x)
		h.reset()
		at := h.put(x)
		h.call(f.name, uint64(at), uint64(at), u(len(x)))
		for i, got := range h.floats(at, len(x)) {
			if math.Float32bits(got) != math.Float32bits(want[i]) &&
				(got == got || want[i] == want[i]) {
				t.Fatalf("%s(%v) = %v, in Go %v", f.name, x[i], got, want[i])
			}
		}
		for n := range 12 {
			h.reset()
			dst := h.place(4 * n)
			h.call(f.name, uint64(dst), uint64(h.put(x[:n])), u(n))
			sameBits(t, f.name, h.floats(dst, n), want[:n])
		}
	}
}
