package signature

import (
	"math"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
)

// TestWhereNamesFeature names a feature of a picture by channel, row and column.
func TestWhereNamesFeature(t *testing.T) {
	picture := &core.Bag{Shape: []int{2, 3, 4}, Values: make([]float32, 24)}
	picture.Values[23] = float32(math.NaN())
	if at := where(picture, 23); !strings.Contains(at, "feature [1 2 3]") {
		t.Error(at)
	}
}
