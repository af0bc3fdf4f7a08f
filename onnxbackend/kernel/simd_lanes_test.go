//go:build !js

package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// Shapes of the module whose products are not fused.
const (
	simdLanes    = 8
	simdLaneMaps = 4
	simdQuad     = 4
)

func (h *host) put32(x []int32) uint32 {
	at := h.place(4 * len(x))
	for i, v := range x {
		h.memory().WriteUint32Le(at+4*uint32(i), uint32(v))
	}
	return at
}

// checkSimdConvLanes holds a row of the module to the loop in Go, bit for bit.
func checkSimdConvLanes(
	t testing.TB, h *host, r *rand.Rand, maps, k, n, stride int, bias, relu bool,
) {
	t.Helper()
	c := ConvRow{Step: stride * simdLanes, Maps: maps, Relu: relu, Weights: make([]float32, maps*k)}
	src := random(r, ((n-1)*stride+1+k)*simdLanes)
	for range k {
		c.From = append(c.From, int32(r.IntN(k+1)*simdLanes))
	}
	packMaps(c.Weights, random(r, maps*k), maps, k, simdLaneMaps)
	mapStride := n*simdLanes + r.IntN(9)
	want := make([]float32, (maps-1)*mapStride+n*simdLanes)
	for i := range want {
		want[i] = guard
	}
	h.reset()
	biases, cut := uint64(0), 0
	if bias {
		c.Bias = random(r, maps)
		biases = uint64(h.put(c.Bias))
	}
	if relu {
		cut = 1
	}
	convLanesPortable(want, mapStride, src, n, &c, simdLanes, simdLaneMaps)
	dst := h.place(4 * len(want))
	h.call("convLanes", uint64(dst), u(mapStride), uint64(h.put(src)), u(n),
		uint64(h.put32(c.From)), u(k), u(c.Step), uint64(h.put(c.Weights)), biases, u(maps), u(cut))
	sameBits(t, fmt.Sprintf("convLanes of %d maps, k %d, %d positions", maps, k, n),
		h.floats(dst, len(want)), want)
}

func TestSimdConvLanes(t *testing.T) {
	h := newHost(t)
	r := rand.New(rand.NewPCG(51, 52))
	for maps := 1; maps <= 14; maps++ {
		for _, k := range []int{0, 1, 2, 7, 16} {
			checkSimdConvLanes(t, h, r, maps, k, 1+r.IntN(5), 1+r.IntN(3), r.IntN(2) > 0,
				r.IntN(2) > 0)
		}
	}
}

func FuzzSimdConvLanes(f *testing.F) {
	f.Add(uint8(5), uint8(9), uint8(3), uint8(1), true, true, uint64(1))
	f.Add(uint8(30), uint8(0), uint8(0), uint8(2), false, true, uint64(2))
	h := newHost(f)
	f.Fuzz(func(t *testing.T, maps, k, n, stride uint8, bias, relu bool, seed uint64) {
		h.t = t
		checkSimdConvLanes(t, h, rand.New(rand.NewPCG(seed, 53)), 1+seldomLarge(maps, 255),
			seldomLarge(k, 255), 1+seldomLarge(n, 15), int(stride%4)+1, bias, relu)
	})
}

// TestSimdMaxLanes holds maxima to the loop in Go, bit for bit, NaN apart.
func TestSimdMaxLanes(t *testing.T) {
	h := newHost(t)
	r := rand.New(rand.NewPCG(54, 55))
	for taps := 1; taps <= 9; taps++ {
		n, stride := 1+r.IntN(6), 1+r.IntN(3)
		src, from := random(r, ((n-1)*stride+1+taps)*simdLanes), make([]int32, taps)
		for i := range from {
			from[i] = int32(r.IntN(taps+1) * simdLanes)
		}
		src[r.IntN(len(src))] = float32(math.NaN())
		src[r.IntN(len(src))] = float32(math.Inf(-1))
		want := make([]float32, n*simdLanes)
		maxLanesPortable(want, src, from, n, stride*simdLanes, simdLanes)
		h.reset()
		dst := h.place(4 * len(want))
		h.call("maxLanes", uint64(dst), uint64(h.put(src)), uint64(h.put32(from)), u(taps), u(n),
			u(stride*simdLanes))
		for i, got := range h.floats(dst, len(want)) {
			if math.Float32bits(got) != math.Float32bits(want[i]) &&
				(got == got || want[i] == want[i]) {
				t.Fatalf("%d taps: element %d is %v, want %v", taps, i, got, want[i])
			}
		}
	}
}

// TestSimdMoveLanes moves whole groups of pictures into lanes and back.
func TestSimdMoveLanes(t *testing.T) {
	h := newHost(t)
	r := rand.New(rand.NewPCG(56, 57))
	for n := simdQuad; n < 14; n++ {
		for groups := 1; groups <= simdLanes/simdQuad; groups++ {
			ld, pictures := n+r.IntN(3), groups*simdQuad
			src, want := random(r, (pictures-1)*ld+n), make([]float32, n*simdLanes)
			for i := range want {
				want[i] = guard // which lanes of other pictures keep
			}
			toLanesPortable(want, src, n, ld, 0, pictures, simdLanes)
			h.reset()
			lanes := h.place(4 * len(want))
			h.call("toLanes", uint64(lanes), uint64(h.put(src)), u(n), u(ld), u(groups))
			sameBits(t, "toLanes", h.floats(lanes, len(want)), want)

			back := make([]float32, len(src))
			for i := range back {
				back[i] = guard
			}
			fromLanesPortable(back, want, n, ld, 0, pictures, simdLanes)
			at := h.place(4 * len(back))
			h.call("fromLanes", uint64(at), uint64(lanes), u(n), u(ld), u(groups))
			sameBits(t, "fromLanes", h.floats(at, len(back)), back)
		}
	}
}
