//go:build !js

package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSimdDepthFlat compares the module with the loop in Go, bit for bit.
func TestSimdDepthFlat(t *testing.T) {
	h := newHost(t)
	r := rand.New(rand.NewPCG(61, 1))
	for n := 4; n <= 88; n += 4 {
		for _, k := range []int{1, 2, 9, 25} {
			c := ConvRow{Step: simdLanes, Maps: 1, Relu: r.IntN(2) > 0, Weights: random(r, k)}
			src := random(r, n+2*k)
			for range k {
				c.From = append(c.From, int32(r.IntN(2*k)))
			}
			h.reset()
			bias, cut := uint64(0), 0
			if r.IntN(2) > 0 {
				c.Bias = random(r, 1)
				bias = uint64(h.put(c.Bias))
			}
			if c.Relu {
				cut = 1
			}
			want := make([]float32, n)
			for x := 0; x < n; x += portableLanes {
				convLanesPortable(want[x:], n, src[x:], 1, &c, portableLanes, 1)
			}
			dst := h.place(4 * n)
			h.call("depthFlat", uint64(dst), uint64(h.put(src)), u(n), uint64(h.put32(c.From)),
				u(k), uint64(h.put(c.Weights)), bias, u(cut))
			sameBits(t, "depthFlat", h.floats(dst, n), want)
		}
	}
}

// TestSimdPairs compares the functions of two elements, and clamp, with their definitions.
func TestSimdPairs(t *testing.T) {
	h := newHost(t)
	r := rand.New(rand.NewPCG(61, 2))
	for n := 4; n <= 24; n += 4 {
		for _, p := range pairings {
			for _, one := range [][2]bool{{}, {true, false}, {false, true}, {true, true}} {
				la, lb, stepA, stepB := n, n, 4, 4
				if one[0] {
					la, stepA = 1, 0
				}
				if one[1] {
					lb, stepB = 1, 0
				}
				a, b, want := odd(r, la), odd(r, lb), make([]float32, n)
				for i := range want {
					want[i] = p.of(a[min(i, la-1)], b[min(i, lb-1)])
				}
				h.reset()
				dst := h.place(4 * n)
				h.call(p.name, uint64(dst), uint64(h.put(a)), uint64(h.put(b)), u(n), u(stepA),
					u(stepB))
				sameOrNaN(t, p.name, h.floats(dst, n), want)
			}
		}
		x, want := odd(r, n), make([]float32, n)
		clampPortable(want, x, -0.5, 1)
		h.reset()
		dst := h.place(4 * n)
		h.call("clamp", uint64(dst), uint64(h.put(x)), u(n),
			uint64(math.Float32bits(-0.5)), uint64(math.Float32bits(1)))
		sameOrNaN(t, "clamp", h.floats(dst, n), want)
	}
}
