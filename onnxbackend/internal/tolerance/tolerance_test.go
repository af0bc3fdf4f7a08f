package tolerance

import (
	"math"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestWithinBesideNonFinite compares scores beside others that are NaN or infinite in both.
func TestWithinBesideNonFinite(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for near, want := range map[float64]bool{2: true, 2 + 1e-6: true, 2.1: false} {
			must.Equal(t, Within([]float64{v, 1, near}, []float64{v, 1, 2}, 1e-5), want, near, v)
		}
		must.Equal(t, Within([]float64{v, 1}, []float64{2, 1}, 1e-5), false, v)
	}
}

// TestNonFiniteFindsEveryPlace puts NaN and infinities at every place of slices around the block
// length.
func TestNonFiniteFindsEveryPlace(t *testing.T) {
	for _, n := range []int{1, 2, 3, 1023, 1024, 1025, 2051} {
		values := make([]float32, n)
		for i := range values {
			values[i] = math.MaxFloat32
		}
		must.Equal(t, NonFinite(values), -1, n)
		for i := range values {
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				values[i] = float32(bad)
				must.Equal(t, NonFinite(values), i, n)
			}
			values[i] = 0
		}
	}
}
