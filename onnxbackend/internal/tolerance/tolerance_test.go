package tolerance

import (
	"math"
	"testing"
)

// TestWithinBesideNonFinite compares scores beside others that are NaN or infinite in both.
func TestWithinBesideNonFinite(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for near, want := range map[float64]bool{2: true, 2 + 1e-6: true, 2.1: false} {
			if got := Within([]float64{v, 1, near}, []float64{v, 1, 2}, 1e-5); got != want {
				t.Errorf("%v and 2 agree beside %v: %v", near, v, got)
			}
		}
		if Within([]float64{v, 1}, []float64{2, 1}, 1e-5) {
			t.Errorf("%v and 2 agree", v)
		}
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
		if at := NonFinite(values); at != -1 {
			t.Fatalf("NonFinite of %d finite values is %d", n, at)
		}
		for i := range values {
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				values[i] = float32(bad)
				if at := NonFinite(values); at != i {
					t.Fatalf("NonFinite of %d values is %d instead of %d", n, at, i)
				}
			}
			values[i] = 0
		}
	}
}
