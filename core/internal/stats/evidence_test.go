package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestTailsOfStudent compares with printed tables of Student's t (two-sided).
func TestTailsOfStudent(t *testing.T) {
	for _, c := range []struct{ t, freedom, p float64 }{
		{12.7062, 1, .05}, {4.302653, 2, .05}, {2.570582, 5, .05}, {2.228139, 10, .05},
		{2.042272, 30, .05}, {1.959964, 0, .05}, {1.959964, 1e9, .05}, {63.65674, 1, .01},
		{3.169273, 10, .01}, {.816497, 2, .5}, {0, 7, 1}, {0, 0, 1}, {math.Inf(1), 3, 0},
	} {
		must.Equal(t, math.Abs(Tails(c.t, c.freedom)-c.p) <= 2e-7, true, c.t, c.freedom, c.p)
	}
	must.Equal(t, Tails(math.NaN(), 3), 1, "a t that is not a number rejects")
}

func TestEvidenceOfSampledScores(t *testing.T) {
	one := []float64{1, 1, 1, 1}
	inf := math.Inf(1)
	for _, c := range []struct {
		name            string
		scores, errors  []float64
		freedom, middle float64
		unit            float64
		want            []bool
	}{
		{"two errors", []float64{1.9, 2, -2, -1.9}, one, 0, 0, 1, []bool{false, true, true, false}},
		{"few degrees of freedom", []float64{2.5, 2.6, -2.6, 0}, one, 5, 0, 1,
			[]bool{false, true, true, false}},
		{"from the neutral point", []float64{2, 4, 1, -1}, one, 0, 2, 1,
			[]bool{false, true, false, true}},
		{"exact", []float64{.5, 2e-6, 9e-7, 0}, nil, 0, 0, 1, []bool{true, true, false, false}},
		{"everything tiny", []float64{5e-12, -5e-12, 1e-13, 0}, nil, 0, 0, 1, make([]bool, 4)},
		{"tiny with tiny errors", []float64{5e-12, 5e-12, 5e-12, 5e-12}, make([]float64, 4), 0, 0,
			1, make([]bool, 4)},
		{"beside the largest", []float64{1e6, .5, 2, -2}, nil, 0, 0, 1,
			[]bool{true, false, true, true}},
		{"unknown errors", []float64{9, 9, 9, 9}, []float64{inf, inf, inf, 1}, 0, 0, 1,
			[]bool{false, false, false, true}},
		{"not finite", []float64{math.NaN(), inf, 1, 0}, nil, 0, 0, 1,
			[]bool{false, true, true, false}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Evident(c.unit, Estimate{Values: c.scores, StdErr: c.errors,
				Freedom: c.freedom, Neutral: c.middle})[0]
			for i, want := range c.want {
				must.Equal(t, got[i], want, c.name, i, c.scores, !want)
			}
		})
	}
}

// TestTriflesAreNoEvidence checks that a share is one of the largest value of all estimates, even
// below the unit.
func TestTriflesAreNoEvidence(t *testing.T) {
	got := Evident(1, Estimate{Values: []float64{.4, .03, -.01}, Trifle: .05},
		Estimate{Values: []float64{-.021, .019}, Trifle: .05})
	must.EqualSlices(t, got[0], []bool{true, true, false}, got)
	must.EqualSlices(t, got[1], []bool{true, false}, got)
}

// TestEvidenceSharesScale checks that the scale of tiny values is that of the other estimates.
func TestEvidenceSharesScale(t *testing.T) {
	got := Evident(1, Estimate{Values: []float64{1e4, -1e4}},
		Estimate{Values: []float64{5e-3, -5e-3}})
	if !got[0][0] || !got[0][1] || got[1][0] || got[1][1] {
		t.Errorf("evident %v", got)
	}
}

// TestEvidenceOfLargeBags checks that few of many null instances are evidence, and that true
// effects are.
func TestEvidenceOfLargeBags(t *testing.T) {
	const k, effects = 20000, 50
	rng := rand.New(rand.NewPCG(3, 0))
	e := Estimate{Values: make([]float64, k), StdErr: make([]float64, k)}
	for i := range k {
		e.Values[i], e.StdErr[i] = rng.NormFloat64(), 1
		if i < effects {
			e.Values[i] += 8
		}
	}
	found, false0 := 0, 0
	for i, evident := range Evident(1, e)[0] {
		if evident && i < effects {
			found++
		} else if evident {
			false0++
		}
	}
	must.Equal(t, found >= effects-1, true, found, effects, false0)
	must.Equal(t, false0 <= 10, true, found, effects, false0)
}
