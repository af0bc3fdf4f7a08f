//go:build !js

package kernel

import (
	"fmt"
	"testing"
)

// TestSimdShift holds the module's shifts to those in Go, bit for bit.
func TestSimdShift(t *testing.T) {
	h := newHost(t)
	eachShift(func(src []float32, ld int, rows []int, bias []float32, act Activation) {
		if len(bias)%4 != 0 {
			return
		}
		h.reset()
		want := make([]float32, len(rows)*len(bias))
		numbers := make([]uint64, len(rows))
		for i, r := range rows {
			numbers[i] = uint64(r)
		}
		at := h.put(want)
		h.call("shift", uint64(at), uint64(h.put(src)), u(ld), uint64(h.put64(numbers)),
			u(len(rows)), uint64(h.put(bias)), u(len(bias)), u(int(act)))
		shiftNaive(want, src, ld, rows, bias, act)
		sameBits(t, fmt.Sprintf("%d rows of %d columns", len(rows), len(bias)),
			h.floats(at, len(want)), want)
	})
}
