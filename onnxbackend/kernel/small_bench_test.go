package kernel

import (
	"math/rand/v2"
	"testing"
)

// A smallCall is a call of a kernel on operands that fit the first-level cache, and how many units
// of work it does: products of a matrix or a convolution, else elements.
type smallCall struct {
	name  string
	units int
	// prepare returns the call, with operands for the current level.
	prepare func(r *rand.Rand) func()
}

// smallCalls has a call of each kernel. Its numbers of columns and places are no multiples of a
// vector only where the kernel's caller cannot choose them.
func smallCalls() []smallCall {
	const n, m, k = 256, 16, 64
	calls := []smallCall{
		{"gemm", m * 32 * k, func(r *rand.Rand) func() {
			a, b, c := random(r, m*k), random(r, k*32), make([]float32, m*32)
			packed := make([]float32, PackedLen(k, 32))
			Pack(packed, b, k, 32, 32, false)
			return func() { Gemm(c, 32, a, k, packed, m, 32, k, Epilogue{}) }
		}},
		{"gemv", n * m, func(r *rand.Rand) func() {
			a, b, c := random(r, m), random(r, m*n), make([]float32, n)
			return func() { Gemv(c, a, b, n, n) }
		}},
		{"convolution in lanes", 12 * 9 * n, func(r *rand.Rand) func() {
			c, src := smallConvolution(r, 12, n)
			dst := make([]float32, 12*n)
			return func() { ConvLanes(dst, n, src, n/LaneWidth(), &c) }
		}},
		{"depthwise convolution", 9 * n, func(r *rand.Rand) func() {
			c, src := smallConvolution(r, 1, n)
			dst := make([]float32, n)
			return func() { DepthFlat(dst, src, n, &c) }
		}},
		{"maximum of 9", 9 * n, func(r *rand.Rand) func() {
			c, src := smallConvolution(r, 1, n)
			dst := make([]float32, n)
			return func() { MaxLanes(dst, src, c.From, n/LaneWidth(), LaneWidth()) }
		}},
		{"to lanes", n * 4, func(r *rand.Rand) func() {
			src, dst := random(r, 4*n), make([]float32, n*LaneWidth())
			return func() { ToLanes(dst, src, n, n, 4) }
		}},
		{"clamp", n, func(r *rand.Rand) func() {
			x, y := random(r, n), make([]float32, n)
			return func() { Clamp(y, x, -1, 1) }
		}},
		{"masked sum", 64 * 64 * 16, func(r *rand.Rand) func() {
			z, h, dst := coalitions(r, 64, 64, 1, 0.5), random(r, 64*16), make([]float32, 64*16)
			return func() { MaskedSum(dst, z, 1, 64, h, 64, 16) }
		}},
		{"overlap of words", n, func(r *rand.Rand) func() {
			x, y, dst := coalitions(r, 1, 64*n, n, 0.5), coalitions(r, 1, 64*n, n, 0.5),
				make([]float64, 1)
			return func() { Overlaps(dst, x, 1, y, 1, n) }
		}},
		{"subtract", m * 32 * k, func(r *rand.Rand) func() {
			a, b, c := make([]float64, m*k), make([]float64, k*32), make([]float64, m*32)
			return func() { Subtract(c, 32, a, k, 1, b, 32, m, 32, k) }
		}},
	}
	for _, f := range functions {
		calls = append(calls, smallCall{f.name, n, func(r *rand.Rand) func() {
			x, y := random(r, n), make([]float32, n)
			return func() { f.kernel(y, x) }
		}})
	}
	for _, p := range pairings {
		calls = append(calls, smallCall{p.name, n, func(r *rand.Rand) func() {
			x, y, z := random(r, n), random(r, n), make([]float32, n)
			return func() { p.kernel(z, x, y) }
		}})
	}
	return calls
}

// smallConvolution returns a convolution of nine taps, and a source for n floats.
func smallConvolution(r *rand.Rand, maps, n int) (ConvRow, []float32) {
	c := ConvRow{Step: LaneWidth(), Maps: maps, Weights: make([]float32, maps*9)}
	PackMaps(c.Weights, random(r, maps*9), maps, 9)
	for p := range 9 {
		c.From = append(c.From, int32(p*LaneWidth()))
	}
	return c, random(r, n+9*LaneWidth())
}

// BenchmarkSmall calls each kernel at each level. tools/dev/instructions counts what it executes.
func BenchmarkSmall(b *testing.B) {
	best := current
	defer func() { current = best }()
	for _, c := range smallCalls() {
		for l := portable; l <= best; l++ {
			b.Run(c.name+"/"+l.String(), func(b *testing.B) {
				current = l
				call := c.prepare(rand.New(rand.NewPCG(1, 2)))
				for b.Loop() {
					call()
				}
				b.ReportMetric(float64(c.units), "units")
			})
		}
	}
}
