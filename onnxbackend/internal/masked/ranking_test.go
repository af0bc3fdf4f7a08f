package masked

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// Counting digits gives the order that a stable sort by comparisons does.
func TestRankingEqualsAStableSort(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	special := []float32{0, float32(math.Copysign(0, -1)), float32(math.Inf(1)),
		float32(math.Inf(-1)), math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32,
		-math.SmallestNonzeroFloat32}
	for _, k := range []int{1, 2, 3, 100, 5000} {
		for _, draw := range []func() float32{
			func() float32 { return float32(rng.NormFloat64()) },
			func() float32 { return float32(rng.IntN(7) - 3) },
			func() float32 { return special[rng.IntN(len(special))] },
			func() float32 { return 1.5 },
		} {
			const step = 3
			values := make([]float32, k*step)
			for i := range values {
				values[i] = draw()
			}
			r := newRanking(k)
			for col := range step {
				for _, less := range []bool{true, false} {
					got, want := make([]int32, k), make([]int32, k)
					r.column(got, values[col:], step, less)
					for i := range want {
						want[i] = int32(i)
					}
					slices.SortStableFunc(want, func(a, b int32) int {
						x, y := values[int(a)*step+col], values[int(b)*step+col]
						if less {
							return cmp.Compare(x, y)
						}
						return cmp.Compare(y, x)
					})
					must.EqualSlices(t, got, want, k, less)
				}
			}
		}
	}
}
