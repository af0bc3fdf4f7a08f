package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// A layer is a convolution without padding over square pictures.
type layer struct{ channels, side, kernel, maps int }

func (y layer) out() int { return y.side - y.kernel + 1 }
func (y layer) k() int   { return y.channels * y.kernel * y.kernel }

// from is where each (channel, tap) of the first position lies, for ConvRow.
func (y layer) from(width int) (from []int32) {
	for c := range y.channels {
		for i := range y.kernel * y.kernel {
			from = append(from, int32(((c*y.side+i/y.kernel)*y.side+i%y.kernel)*width))
		}
	}
	return from
}

// benchmarkLevels runs a benchmark at every level that this machine has.
func benchmarkLevels(b *testing.B, run func(b *testing.B)) {
	best := current
	defer func() { current = best }()
	for l := portable; l <= best; l++ {
		current = l
		b.Run(l.String(), run)
	}
}

// BenchmarkConvLanes computes layers in lanes and, beside them, the products that they are with
// columns that are packed already.
func BenchmarkConvLanes(b *testing.B) {
	for _, y := range []layer{{3, 27, 4, 36}, {36, 12, 3, 48}, {1, 28, 5, 20}, {20, 12, 5, 50}} {
		b.Run(fmt.Sprintf("%dx%dx%d,%dx%dx%d", y.channels, y.side, y.side, y.maps, y.kernel,
			y.kernel), func(b *testing.B) {
			benchmarkLevels(b, y.benchmark)
		})
	}
}

func (y layer) benchmark(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	width, out, k := LaneWidth(), y.out(), y.k()
	flops := 2 * float64(out*out*y.maps*k)
	w, bias := random(r, y.maps*k), random(r, y.maps)
	b.Run("lanes", func(b *testing.B) {
		src, dst := random(r, y.channels*y.side*y.side*width), make([]float32, y.maps*out*width)
		c := ConvRow{From: y.from(width), Step: width, Weights: make([]float32, y.maps*k),
			Bias: bias, Maps: y.maps, Relu: true}
		PackMaps(c.Weights, w, y.maps, k)
		for b.Loop() {
			for row := range out {
				ConvLanes(dst, out*width, src[row*y.side*width:], out, &c)
			}
		}
		b.ReportMetric(flops*float64(width*b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
	})
	b.Run("gemm", func(b *testing.B) {
		n := out * out
		packed, c := random(r, PackedLen(k, n)), make([]float32, y.maps*n)
		for b.Loop() {
			Gemm(c, n, w, k, packed, y.maps, n, k, Epilogue{RowBias: bias, Act: ActRelu})
		}
		b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
	})
}

// BenchmarkMoveLanes spreads a row of each picture over lanes, brings it back, and takes maxima of
// 2 x 2 places.
func BenchmarkMoveLanes(b *testing.B) {
	const n = 27
	benchmarkLevels(b, func(b *testing.B) {
		width := LaneWidth()
		pictures, lanes := make([]float32, n*width), make([]float32, 2*n*width)
		from := []int32{0, int32(width), int32(n * width), int32((n + 1) * width)}
		for _, move := range []struct {
			name   string
			values int
			do     func()
		}{
			{"to", n * width, func() { ToLanes(lanes, pictures, n, n, width) }},
			{"from", n * width, func() { FromLanes(pictures, lanes, n, n, width) }},
			{"max", n / 2 * width, func() { MaxLanes(pictures, lanes, from, n/2, 2*width) }},
		} {
			b.Run(move.name, func(b *testing.B) {
				for b.Loop() {
					move.do()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*move.values),
					"ns/value")
			})
		}
	})
}
