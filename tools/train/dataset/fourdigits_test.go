package dataset

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestFourDigitsRecipe checks the class, the size and the share of key digits of bags, and that the
// position of an instance carries no information.
func TestFourDigitsRecipe(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 0))
	const bags = 2000
	for class := range FourClasses {
		var sizes, keys, firstHalf float64
		for range bags {
			digits := FourDigits(r, class)
			must.Equal(t, FourDigitsClass(digits), class, digits)
			sizes += float64(len(digits))
			for i, d := range digits {
				if d >= 8 {
					keys++
					if 2*i < len(digits) {
						firstHalf++
					}
				}
			}
		}
		must.Equal(t, math.Abs((sizes/bags)-30) <= .3, true, class)
		if class == neitherDigit {
			continue
		}
		// The share of key digits in 30 places, given that the bag is of its class.
		want := keyRate / (1 - math.Pow(1-keyRate, 30))
		if class == bothDigits {
			none, one := math.Pow(1-keyRate, 30), math.Pow(1-keyRate/2, 29)
			want = (keyRate - keyRate*one) / (1 - 2*one*(1-keyRate/2) + none)
		}
		must.Equal(t, math.Abs((keys/sizes)-want) <= .005, true, class, want)
		must.Equal(t, math.Abs((firstHalf/keys)-.5) <= .03, true, class)
	}
}
