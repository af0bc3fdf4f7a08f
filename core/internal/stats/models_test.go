package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestStudentInvertsTails compares with printed tables, and with Tails.
func TestStudentInvertsTails(t *testing.T) {
	for _, c := range []struct{ freedom, t float64 }{{1, 12.7062}, {4, 2.776445}, {9, 2.262157}} {
		if got := Student(.95, c.freedom); !(math.Abs(got-c.t) < 1e-4) {
			t.Errorf("%v degrees of freedom: %v, want %v", c.freedom, got, c.t)
		}
	}
	if got := Tails(Student(.5, 3), 3); !(math.Abs(got-.5) < 1e-9) {
		t.Errorf("half of the values: %v", got)
	}
}

// TestEvidenceOverModels draws means of models, with a sampling error, of values that are nothing:
// about 5 % must be called evidence, whichever of the two errors is larger. Without the spread of
// the models far more are.
func TestEvidenceOverModels(t *testing.T) {
	const draws, n = 4000, 5
	rng := rand.New(rand.NewPCG(4, 0))
	for _, c := range []struct{ between, sampled float64 }{{1, 0}, {1, .05}, {1, .5}, {.2, 1}} {
		found, alone := 0, 0
		for range draws {
			e := Estimate{Between: make([]float64, 1), Models: n}
			shared, of := c.sampled*rng.NormFloat64(), make([]float64, n)
			for j := range of {
				of[j] = c.between*rng.NormFloat64() + shared
			}
			e.Values = []float64{Mean(of)}
			e.Between[0] = math.Sqrt(Variance(of) * n / (n - 1))
			if c.sampled > 0 {
				e.StdErr = []float64{c.sampled}
			}
			if Evident(1, e)[0][0] {
				found++
			}
			e.Between = nil
			if Evident(1, e)[0][0] {
				alone++
			}
		}
		if share := float64(found) / draws; !(share > .02 && share < .065) {
			t.Errorf("%+v: %.3f of values that are nothing are evidence", c, share)
		}
		must.Equal(t, c.between > c.sampled, 2*found < alone, c)
	}
}
