package compute

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
)

// TestSoftmax32 compares softmax32 with softmax. They differ by what float32 rounds: differences to
// the largest element, of up to 40 here, and exponentials.
func TestSoftmax32(t *testing.T) {
	const tolerance = 1e-5 // relative to each element
	r := rand.New(rand.NewPCG(1, 2))
	m := machine.New(machine.Limits{Elements: 1 << 20, Bytes: 1 << 24})
	for _, c := range [][3]int{{1, 1, 1}, {3, 7, 1}, {2, 35, 1}, {5, 4100, 1}, {2, 5, 3},
		{1, 35, 64}, {4, 1, 9}, {0, 3, 1}, {3, 0, 1}} {
		outer, n, inner := c[0], c[1], c[2]
		src := make([]float32, outer*n*inner)
		for i := range src {
			src[i] = float32(r.NormFloat64() * 5)
		}
		got, want := make([]float32, len(src)), softmaxRows(src, outer, n, inner)
		must.Do(t, softmax32(m, got, src, outer, n, inner))
		for i, v := range got {
			if !(math.Abs(float64(v)-want[i]) <= tolerance*want[i]) {
				t.Fatalf("%v: element %d is %v, want %v", c, i, v, want[i])
			}
		}
		m.EndNode()
	}
}

// softmaxRows is softmax of each row of x along the middle one of three dimensions, in float64.
func softmaxRows(x []float32, outer, n, inner int) []float64 {
	y := make([]float64, len(x))
	for line := range outer * inner {
		row := make([]float64, n)
		place := func(j int) int { return (line/inner*n+j)*inner + line%inner }
		for j := range row {
			row[j] = float64(x[place(j)])
		}
		if n > 0 {
			softmax(row)
		}
		for j, v := range row {
			y[place(j)] = v
		}
	}
	return y
}

// TestSoftmax32Extremes checks NaN and infinities: the result equals that of softmax.
func TestSoftmax32Extremes(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	m := machine.New(machine.Limits{Elements: 1 << 20, Bytes: 1 << 24})
	for _, src := range [][]float32{{nan, 1, 2}, {1, nan, 2}, {inf, 1, 2}, {-inf, -inf, -inf},
		{-inf, 0, 0}, {3e38, -3e38, 3e38}} {
		for _, shape := range [][3]int{{1, 3, 1}, {1, 3, 2}} {
			x := src
			if shape[2] == 2 {
				x = []float32{src[0], src[0], src[1], src[1], src[2], src[2]}
			}
			got, want := make([]float32, len(x)), softmaxRows(x, shape[0], shape[1], shape[2])
			must.Do(t, softmax32(m, got, x, shape[0], shape[1], shape[2]))
			for i, v := range got {
				if float64(v) != want[i] && !(v != v && want[i] != want[i]) {
					t.Errorf("%v: %v, want %v", x, got, want)
					break
				}
			}
			m.EndNode()
		}
	}
}
