package stats

import (
	"math"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestErrorOfInfluences compares with degrees of freedom computed by hand, and with the printed
// table of c4 for samples of one value more.
func TestErrorOfInfluences(t *testing.T) {
	for _, c := range []struct {
		name       string
		influences []float64
		most, want float64 // degrees of freedom
		c4         float64
	}{
		{"equal squares", []float64{2, -2, 2, 2}, 30, 30, .9917},
		{"2 * 6² / (18 - 6²/3)", []float64{1, 1, 2}, 30, 12, .9794},
		{"no more than most", []float64{1, 1, 2}, 7, 7, .9650},
		{"one of two", []float64{5, 0}, 30, 4, .9400},
		{"nothing", []float64{0, 0}, 5, 5, .9515},
	} {
		squares, fourths := 0.0, 0.0
		for _, v := range c.influences {
			squares += v * v
			fourths += v * v * v * v
		}
		got, freedom := ErrorOfInfluences(squares, fourths, float64(len(c.influences)), c.most)
		must.Equal(t, math.Abs(freedom-c.want) <= 1e-12*c.want, true, c.name, freedom, c.want)
		if want := math.Sqrt(squares) / c.c4; !(math.Abs(got-want) <= 6e-5*want) {
			t.Errorf("%s: the error is %v, want %v", c.name, got, want)
		}
	}
}
