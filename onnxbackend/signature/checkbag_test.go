package signature

import (
	"math"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// TestWhereNamesFeature names a feature of a picture by channel, row and column.
func TestWhereNamesFeature(t *testing.T) {
	picture := &core.Bag{Shape: []int{2, 3, 4}, Values: make([]float32, 24)}
	picture.Values[23] = float32(math.NaN())
	must.Contain(t, where(picture, 23), "feature [1 2 3]")
}
