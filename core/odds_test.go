package core

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/core/internal/stats"
)

// TestSoftmaxOdds compares with the definition, the log-odds of the probabilities of a softmax.
func TestSoftmaxOdds(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for classes := 2; classes <= 4; classes++ {
		g := &Game{task: Task{Classes: classes, Scale: ScaleLogits}, output: OutputProbability}
		for round := range 1000 {
			row := make([]float64, classes)
			for c := range row {
				row[c] = random.NormFloat64() * float64(round%50)
			}
			if round%10 == 0 {
				row[0] = math.Inf(-1)
			}
			want := append([]float64{}, row...)
			softmax(want)
			g.LogOdds(want)
			explained := random.Perm(classes)[:1+random.IntN(classes)]
			got := make([][]float64, len(explained))
			for n := range got {
				got[n] = make([]float64, 2)
			}
			g.Odds(got, append(row, row...), explained)
			for n, class := range explained {
				for _, v := range got[n] {
					// 1 - F is rounded to 1e-16, beside e = 1e-4
					if !(math.Abs(v-want[class]) <= 3e-12) {
						t.Errorf("log-odds %v, want %v", v, want[class])
					}
				}
			}
		}
	}
}

// TestOddsNotFinite checks that a row with a logit or output that is not finite is NaN, and that
// the row still holds that value.
func TestOddsNotFinite(t *testing.T) {
	for _, scale := range []Scale{ScaleLogits, ScaleSigmoidLogits, ScaleRaw} {
		for _, v := range []float64{math.NaN(), math.Inf(1)} {
			if scale == ScaleSigmoidLogits && v > 0 {
				continue // its probability is 1
			}
			g := &Game{task: Task{Classes: 3, Scale: scale}, output: OutputProbability}
			if scale == ScaleRaw {
				g.output = OutputRaw
			}
			rows, dst := []float64{1, 2, 3, 1, 2, v}, [][]float64{make([]float64, 2)}
			g.Odds(dst, rows, []int{0})
			if bad := stats.NonFinite(rows); math.IsNaN(dst[0][0]) || !math.IsNaN(dst[0][1]) ||
				bad != 5 {
				t.Errorf("%s with %v: odds %v, rows %v", scale, v, dst, rows)
			}
		}
	}
	g := &Game{task: Task{Classes: 2, Scale: ScaleLogits}, output: OutputProbability}
	rows, dst := []float64{math.Inf(-1), math.Inf(-1)}, [][]float64{make([]float64, 1)}
	if g.Odds(dst, rows, []int{0}); !math.IsNaN(dst[0][0]) || stats.NonFinite(rows) != 0 {
		t.Errorf("logits that are all -Inf: odds %v, rows %v", dst, rows)
	}
}
