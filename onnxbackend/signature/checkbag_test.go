package signature

import (
	"math"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
)

// TestWhere names a feature of a picture by channel, row and column.
func TestWhere(t *testing.T) {
	picture := &core.Bag{Shape: []int{2, 3, 4}, Values: make([]float32, 24)}
	picture.Values[23] = float32(math.NaN())
	if at := where(picture, nonFinite(picture.Values)); !strings.Contains(at, "feature [1 2 3]") {
		t.Error(at)
	}
}

// TestNonFinite finds a value that is not finite at every place of a bag.
func TestNonFinite(t *testing.T) {
	for _, n := range []int{1, 2, 3, 1023, 1024, 1025, 2051} {
		values := make([]float32, n)
		for i := range values {
			values[i] = math.MaxFloat32
		}
		if at := nonFinite(values); at != -1 {
			t.Fatalf("of %d finite values, %d", n, at)
		}
		for i := range values {
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				values[i] = float32(bad)
				if at := nonFinite(values); at != i {
					t.Fatalf("of %d values, %d instead of %d", n, at, i)
				}
			}
			values[i] = 0
		}
	}
}
