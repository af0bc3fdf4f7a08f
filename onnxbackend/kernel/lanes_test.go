package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// checkConvLanes holds a row of a convolution to its definition, each sum one chain rounded as the
// level does, and to the guards around it.
func checkConvLanes(t *testing.T, r *rand.Rand, maps, k, n, stride int, bias, relu bool) {
	t.Helper()
	width := LaneWidth()
	src, w := random(r, ((n-1)*stride+1+k)*width), random(r, maps*k)
	c := ConvRow{Step: stride * width, Maps: maps, Relu: relu, Weights: make([]float32, maps*k)}
	if bias {
		c.Bias = random(r, maps)
	}
	PackMaps(c.Weights, w, maps, k)
	for range k {
		c.From = append(c.From, int32(r.IntN(k+1)*width))
	}
	mapStride := n*width + r.IntN(5)
	dst, check := guarded((maps-1)*mapStride + n*width)
	ConvLanes(dst, mapStride, src, n, &c)
	check(t)
	for i, got := range dst {
		m, x, l := i/mapStride, i%mapStride/width, i%mapStride%width
		if x >= n {
			must.Equal(t, got, guard, i%mapStride-n*width, m)
			continue
		}
		var want float32
		for p, f := range c.From {
			v := src[int(f)+x*c.Step+l]
			if current.fused() {
				want = fma(w[m*k+p], v, want)
			} else {
				want += float32(w[m*k+p] * v)
			}
		}
		if bias {
			want += c.Bias[m]
		}
		if relu && want < 0 {
			want = 0
		}
		must.Equal(t, math.Float32bits(got), math.Float32bits(want), maps, k, stride, m, x, n, l,
			got, want)
	}
}

// TestConvLanes takes every height of tiles, numbers of positions even and odd, and no products at
// all.
func TestConvLanes(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 1))
		for maps := 1; maps <= 26; maps++ {
			for n := 1; n <= 5; n++ {
				checkConvLanes(t, r, maps, 1+r.IntN(20), n, 1+r.IntN(3), r.IntN(3) > 0,
					r.IntN(2) > 0)
			}
			checkConvLanes(t, r, maps, 0, 3, 1, true, true)
		}
		checkConvLanes(t, r, 36, 48, 24, 1, true, true)
		checkConvLanes(t, r, 50, 500, 8, 2, true, false)
	})
}

func FuzzConvLanes(f *testing.F) {
	f.Add(uint8(5), uint8(9), uint8(3), uint8(1), true, true, uint64(1))
	f.Add(uint8(30), uint8(0), uint8(0), uint8(2), false, true, uint64(2))
	f.Fuzz(func(t *testing.T, maps, k, n, stride uint8, bias, relu bool, seed uint64) {
		atLevels(t, func(t *testing.T) {
			checkConvLanes(t, rand.New(rand.NewPCG(seed, 3)), 1+seldomLarge(maps, 255),
				seldomLarge(k, 255), 1+seldomLarge(n, 15), int(stride%4), bias, relu)
		})
	})
}

// TestConvLanesKeepNaN: a NaN in one lane and position stays there, cut at zero or not.
func TestConvLanesKeepNaN(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		const n, maps = 3, 7
		width := LaneWidth()
		src, dst := make([]float32, n*width), make([]float32, maps*n*width)
		src[width+1] = float32(math.NaN())
		c := ConvRow{From: []int32{0}, Step: width, Weights: make([]float32, maps), Maps: maps,
			Relu: true}
		ConvLanes(dst, n*width, src, n, &c)
		for i, v := range dst {
			must.Equal(t, (i%(n*width) == width+1), v != v, i/(n*width), i%(n*width), v)
		}
	})
}

// TestLanesCheckLengths: assembly must never see a slice that is too short.
func TestLanesCheckLengths(t *testing.T) {
	const n, maps, k = 3, 5, 4
	width := LaneWidth()
	for i, name := range []string{"dst", "src", "weights", "bias", "dst of maxima", "src of maxima",
		"lanes", "pictures"} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			size := []int{maps * n * width, (n + k - 1) * width, maps * k, maps, n * width,
				(n + k - 1) * width, n * width, n * width}
			size[i]--
			var s [8][]float32
			for j, floats := range size {
				s[j] = make([]float32, floats)
			}
			from := make([]int32, k)
			for p := range from {
				from[p] = int32(p * width)
			}
			ConvLanes(s[0], n*width, s[1], n,
				&ConvRow{From: from, Step: width, Weights: s[2], Bias: s[3], Maps: maps})
			MaxLanes(s[4], s[5], from, n, width)
			ToLanes(s[6], s[7], n, n, width)
		})
	}
}

// TestMaxLanes compares maxima over windows with their definition, a NaN among the values.
func TestMaxLanes(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(2, 2))
		width := LaneWidth()
		for n := 1; n < 9; n++ {
			src := random(r, 2*(2*n+1)*width)
			src[r.IntN(len(src))] = float32(math.NaN())
			from := []int32{0, int32(width), int32((2*n + 1) * width), int32((2*n + 2) * width)}
			dst, check := guarded(n * width)
			MaxLanes(dst, src, from, n, 2*width)
			check(t)
			for x := range n {
				for l := range width {
					want := float32(math.Inf(-1))
					for _, f := range from {
						want = max(want, src[int(f)+x*2*width+l])
					}
					if got := dst[x*width+l]; got != want && (got == got || want == want) {
						t.Fatalf("position %d of %d, lane %d: %v, want %v", x, n, l, got, want)
					}
				}
			}
		}
	})
}

// TestLanes goes into lanes and back, with fewer pictures than lanes too.
func TestLanes(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 3))
		width := LaneWidth()
		for pictures := 1; pictures <= width; pictures++ {
			n, ld := 1+r.IntN(40), 50
			src := random(r, (pictures-1)*ld+n)
			lanes, check := guarded(n * width)
			ToLanes(lanes, src, n, ld, pictures)
			check(t)
			back, checkBack := guarded((pictures-1)*ld + n)
			FromLanes(back, lanes, n, ld, pictures)
			checkBack(t)
			for i := range n {
				for l := range width {
					if l >= pictures {
						if lanes[i*width+l] != 0 {
							t.Fatalf("lane %d of %d pictures holds %v", l, pictures,
								lanes[i*width+l])
						}
						continue
					}
					if want := src[l*ld+i]; lanes[i*width+l] != want || back[l*ld+i] != want {
						t.Fatalf("picture %d value %d: %v in its lane and %v back, want %v", l, i,
							lanes[i*width+l], back[l*ld+i], want)
					}
				}
			}
		}
	})
}
