package compute

import (
	"context"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
)

// TestFourier compares transforms of every length up to 70, and of a large prime, with the sums
// that define them, forth and back.
func TestFourier(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	m := machine.New(machine.Limits{Bytes: 1 << 24, Elements: 1 << 20})
	m.Begin(context.Background())
	lengths := []int{1009}
	for n := 1; n <= 70; n++ {
		lengths = append(lengths, n)
	}
	for _, n := range lengths {
		f := must.Get(newFourier(m, n))(t)
		line := make([]complex128, n)
		for i := range line {
			f.re[i], f.im[i] = r.NormFloat64(), r.NormFloat64()
			line[i] = complex(f.re[i], f.im[i])
		}
		// Both errors grow with the root of the length; sums of 1,000 numbers have some 1e-14.
		const tolerance = 1e-12
		f.transform()
		for k, want := range sumsOf(line) {
			if got := complex(f.re[k], f.im[k]); !(cmplx.Abs(got-want) <= tolerance*float64(n)) {
				t.Fatalf("frequency %d of %d is %v, want %v", k, n, got, want)
			}
		}
		f.inverse()
		for i, want := range line {
			if got := complex(f.re[i], f.im[i]); !(cmplx.Abs(got-want) <= tolerance) {
				t.Fatalf("number %d of %d came back as %v, want %v", i, n, got, want)
			}
		}
		m.EndNode()
	}
}

// sumsOf returns the transform of a line by its definition.
func sumsOf(line []complex128) []complex128 {
	n := len(line)
	out := make([]complex128, n)
	for k := range out {
		for j, x := range line {
			out[k] += x * cmplx.Rect(1, -2*math.Pi*float64(j*k%n)/float64(n))
		}
	}
	return out
}
