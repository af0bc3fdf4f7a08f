package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestConvLanes compares a convolution in lanes, of two strides and odd sizes, with its definition.
func TestConvLanes(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 1))
		width := LaneWidth()
		for trial := range 40 {
			maps, channels, side, kernel, stride := 1+r.IntN(30), 1+r.IntN(5), 5+r.IntN(9), 1+r.IntN(4), 1+r.IntN(2)
			out := (side-kernel)/stride + 1
			k := channels * kernel * kernel
			src, w := random(r, channels*side*side*width), random(r, maps*k)
			c := ConvRow{Step: stride * width, Maps: maps, Relu: trial%2 == 0, Weights: make([]float32, maps*k)}
			if trial%3 > 0 {
				c.Bias = random(r, maps)
			}
			PackMaps(c.Weights, w, maps, k)
			for ch := range channels {
				for ky := range kernel {
					for kx := range kernel {
						c.From = append(c.From, int32(((ch*side+ky)*side+kx)*width))
					}
				}
			}
			mapStride := out*width + 3
			dst, check := guarded((maps-1)*mapStride + out*width)
			ConvLanes(dst, mapStride, src, out, &c)
			check(t)
			for m := range maps {
				for x := range out {
					for l := range width {
						var want float32
						for p, f := range c.From {
							v := src[int(f)+x*c.Step+l]
							if current.fused() {
								want = fma(w[m*k+p], v, want)
							} else {
								want += w[m*k+p] * v
							}
						}
						if c.Bias != nil {
							want += c.Bias[m]
						}
						if c.Relu {
							want = max(want, 0)
						}
						if got := dst[m*mapStride+x*width+l]; got != want {
							t.Fatalf("maps %d channels %d side %d kernel %d stride %d: map %d position %d lane %d is %v, want %v", maps, channels, side, kernel, stride, m, x, l, got, want)
						}
					}
				}
			}
		}
	})
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
							t.Fatalf("lane %d of %d pictures holds %v", l, pictures, lanes[i*width+l])
						}
						continue
					}
					if want := src[l*ld+i]; lanes[i*width+l] != want || back[l*ld+i] != want {
						t.Fatalf("picture %d value %d: %v in its lane and %v back, want %v", l, i, lanes[i*width+l], back[l*ld+i], want)
					}
				}
			}
		}
	})
}
