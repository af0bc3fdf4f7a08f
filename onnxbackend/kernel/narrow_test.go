package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// narrowNaive is the slow twin of Narrow.
func narrowNaive(
	y []float32, ldy int, x []float32, ldx, lines int, w []float32, inner, outputs int,
	bias []float32,
) {
	for l := range lines {
		for o := range outputs {
			sum := 0.0
			for i := range inner {
				sum += float64(w[i*outputs+o]) * float64(x[l*ldx+i])
			}
			if bias != nil {
				sum += float64(bias[o])
			}
			y[l*ldy+o] = float32(sum)
		}
	}
}

func eachNarrow(f func(lines, inner, outputs int)) {
	for _, lines := range []int{0, 1, 3, 4, 9} {
		for _, inner := range []int{1, 2, 17} {
			for outputs := 1; outputs <= 5; outputs++ {
				f(lines, inner, outputs)
			}
		}
	}
}

func TestNarrowEqualsNaive(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(71, 72))
		eachNarrow(func(lines, inner, outputs int) {
			ldx, ldy := inner+1, outputs+2
			x, w := random(r, lines*ldx), random(r, inner*outputs)
			turned := make([]float32, len(w))
			for i := range inner {
				for o := range outputs {
					turned[o*inner+i] = w[i*outputs+o]
				}
			}
			for _, bias := range [][]float32{nil, random(r, outputs)} {
				for transposed, w2 := range map[bool][]float32{false: w, true: turned} {
					got, check := guarded(lines * ldy)
					want := append([]float32(nil), got...)
					NewNarrow(w2, inner, outputs, transposed, bias).Apply(got, ldy, x, ldx, lines)
					narrowNaive(want, ldy, x, ldx, lines, w, inner, outputs, bias)
					sameBits(t, fmt.Sprintf("%d lines of %d, %d outputs, transposed %v", lines,
						inner, outputs, transposed), got, want)
					check(t)
				}
			}
		})
	})
}

func BenchmarkNarrow(b *testing.B) {
	const lines, inner, outputs = 31, 64, 4
	r := rand.New(rand.NewPCG(73, 74))
	n := NewNarrow(random(r, inner*outputs), inner, outputs, false, nil)
	x, y := random(r, lines*inner), make([]float32, lines*outputs)
	for b.Loop() {
		n.Apply(y, outputs, x, inner, lines)
	}
}
