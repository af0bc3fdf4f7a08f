package methods

import (
	"fmt"
	"math"
	"math/bits"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/internal/games"
	"github.com/bagscope/bagscope/core/internal/sampling"
	"github.com/bagscope/bagscope/core/internal/stats"
	"github.com/bagscope/bagscope/internal/must"
	"gonum.org/v1/gonum/stat/distuv"
)

// TestQuantile compares with gonum's Student distribution.
func TestQuantile(t *testing.T) {
	for _, freedom := range []float64{5, 15, 63, 500} {
		for _, p := range []float64{.05, 1e-3, 1e-6} {
			want := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(1 - p)
			coretest.Near(t, fmt.Sprintf("freedom %v, p %v", freedom, p),
				stats.Quantile(p, freedom), want, 1e-5*want)
		}
	}
}

// TestJoinFreedom joins an estimate with unknown errors and one with known errors.
func TestJoinFreedom(t *testing.T) {
	unknown := &estimate{squares: [][]float64{{math.Inf(1), math.Inf(1)}}}
	known := &estimate{squares: [][]float64{{1, 3}}, freedom: 63}
	for _, c := range []struct {
		parts []part
		want  float64
	}{{[]part{{unknown, 1}}, 0}, {[]part{{known, 1}}, 63}, {[]part{{known, .5}, {unknown, .5}}, 63},
		{[]part{{known, 1}, {known, 1}}, 126}} {
		if got := (join{0, c.parts}).freedom(); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%d parts have %v degrees of freedom, want %v", len(c.parts), got, c.want)
		}
	}
}

// TestPairedDifference checks that shared contexts make the error of a difference small: two
// instances whose effects vary together differ by a constant.
func TestPairedDifference(t *testing.T) {
	f := &games.Fake{
		Shape: core.Task{Instances: 16, Classes: 1, Scale: core.ScaleRaw, Negative: -1, Least: 0},
		Value: func(members []int) []float64 {
			set, sum := 0, 0.0
			for _, i := range members {
				set |= 1 << i
				sum += float64(i % 2)
			}
			first := float64(bits.OnesCount(uint(set & 3)))
			return []float64{first*sum + .1*float64(set&1)}
		},
	}
	g := games.New(t, &games.Sharing{Fake: f})
	order := make([]int, 16)
	for i := range order {
		order[i] = i
	}
	e := must.Get((&shared{g, g.Neighbours(), []int{0}}).estimate(t.Context(), "exam",
		sampling.Uniform(.5, order), 64))(t)
	j := join{0, []part{{e, 1}}}
	own, paired := math.Sqrt(e.squares[0][0]+e.squares[0][1]), math.Sqrt(j.difference(0, 1, 1, -1))
	if !(paired < own/2) {
		t.Errorf("the paired difference has an error of %v, two scores on their own %v", paired,
			own)
	}
}
