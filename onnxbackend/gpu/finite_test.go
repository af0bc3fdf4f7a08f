//go:build gpu

package gpu

import (
	"fmt"
	"math"
	"testing"
)

// TestFinite puts a value that is not finite at the ends of the parts that goroutines read.
func TestFinite(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 7, 100, finiteFrom + 1} {
		values := make([]float32, n)
		for _, parts := range []int{1, 2, 3, 8} {
			t.Run(fmt.Sprintf("%d in %d", n, parts), func(t *testing.T) {
				if !finiteIn(values, parts) || !finite(values) {
					t.Error("zeros are not finite")
				}
				for i := range parts {
					for _, at := range []int{n * i / parts, n*(i+1)/parts - 1} {
						if at < 0 || at >= n {
							continue
						}
						for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
							values[at] = float32(v)
							if finiteIn(values, parts) || finite(values) {
								t.Errorf("%v at %d is finite", v, at)
							}
						}
						values[at] = math.MaxFloat32
					}
				}
			})
		}
	}
}
