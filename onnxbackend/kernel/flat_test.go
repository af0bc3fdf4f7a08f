package kernel

import (
	"math/rand/v2"
	"testing"
)

// flatRow makes a flat convolution of random weights and distances, and its source.
func flatRow(r *rand.Rand, maps, k, n int, bias, relu bool) (c ConvRow, w, src []float32) {
	src, w = random(r, n+3*k+1), random(r, maps*k)
	c = ConvRow{Step: LaneWidth(), Maps: maps, Relu: relu, Weights: make([]float32, maps*k)}
	if bias {
		c.Bias = random(r, maps)
	}
	PackMaps(c.Weights, w, maps, k)
	for range k {
		c.From = append(c.From, int32(r.IntN(3*k+1)))
	}
	return c, w, src
}

// checkFlatSums compares n places of one map with their definition, each sum one chain rounded as
// the level does.
func checkFlatSums(t *testing.T, got, src, w []float32, c *ConvRow, m int) {
	t.Helper()
	k := len(c.From)
	want := make([]float32, len(got))
	for x := range want {
		for p, f := range c.From {
			if v := src[int(f)+x]; current.fused() {
				want[x] = fma(w[m*k+p], v, want[x])
			} else {
				want[x] += float32(w[m*k+p] * v)
			}
		}
		if c.Bias != nil {
			want[x] += c.Bias[m]
		}
		if c.Relu && want[x] < 0 {
			want[x] = 0
		}
	}
	sameBits(t, "flat", got, want)
}

// checkFlatRow compares ConvFlat and DepthFlat with their definition, and checks that they write
// nothing else.
func checkFlatRow(t *testing.T, r *rand.Rand, maps, k, n int, bias, relu bool) {
	t.Helper()
	n += LaneWidth()
	c, w, src := flatRow(r, maps, k, n, bias, relu)
	mapStride := n + r.IntN(5)
	dst, check := guarded((maps-1)*mapStride + n)
	ConvFlat(dst, mapStride, src, n, &c)
	check(t)
	for m := range maps {
		checkFlatSums(t, dst[m*mapStride:][:n], src, w, &c, m)
		for i := m*mapStride + n; m+1 < maps && i < (m+1)*mapStride; i++ {
			if dst[i] != guard {
				t.Fatalf("float %d between two maps was written: %v", i, dst[i])
			}
		}
	}
	one := c
	one.Maps, one.Weights = 1, w[:k]
	dst, check = guarded(n)
	DepthFlat(dst, src, n, &one)
	check(t)
	checkFlatSums(t, dst, src, w, &one, 0)
}

func TestFlat(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 1))
		for maps := 1; maps <= 26; maps++ {
			for range 6 {
				checkFlatRow(t, r, maps, 1+r.IntN(20), r.IntN(200), r.IntN(3) > 0, r.IntN(2) > 0)
			}
			checkFlatRow(t, r, maps, 0, 7, true, true)
		}
		checkFlatRow(t, r, 50, 500, 40, true, false)
	})
}

// TestFlatChecksBias: assembly must never see a bias that is too short.
func TestFlatChecksBias(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	const n, maps = 40, 3
	ConvFlat(make([]float32, maps*n), n, make([]float32, n), n, &ConvRow{From: []int32{0},
		Step: 1, Weights: make([]float32, maps), Bias: make([]float32, maps-1), Maps: maps})
}

func FuzzFlat(f *testing.F) {
	f.Add(uint8(5), uint8(9), uint8(3), true, true, uint64(1))
	f.Add(uint8(30), uint8(0), uint8(0), false, true, uint64(2))
	f.Fuzz(func(t *testing.T, maps, k, n uint8, bias, relu bool, seed uint64) {
		atLevels(t, func(t *testing.T) {
			checkFlatRow(t, rand.New(rand.NewPCG(seed, 3)), 1+seldomLarge(maps, 255),
				seldomLarge(k, 255), seldomLarge(n, 255), bias, relu)
		})
	})
}
