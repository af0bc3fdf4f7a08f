package metric

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// morf returns the curve of class 0 for a ranking.
func morf(t *testing.T, g *core.Game, order []int) []float64 {
	t.Helper()
	values := must.Get(Removal(t.Context(), g, order))(t)
	return column(values, g.Classes(), 0)
}

func reversed(order []int) []int {
	out := slices.Clone(order)
	slices.Reverse(out)
	return out
}

func TestRemoval(t *testing.T) {
	g := play(t, additive(1, 2, 4, 8))
	if got, want := morf(t, g, []int{3, 0, 2, 1}), []float64{15, 7, 6, 2}; !slices.Equal(got,
		want) {
		t.Errorf("the curve is %v, want %v", got, want)
	}
	must.Equal(t, g.Evaluations(), 4)
	morf(t, g, []int{3, 0, 1, 2}) // shares all but its last bag
	must.Equal(t, g.Evaluations(), 5)
}

func TestRemovalOfManyWords(t *testing.T) {
	weights := make([]float64, 130)
	for i := range weights {
		weights[i] = float64(i)
	}
	order := rand.New(rand.NewPCG(3, 4)).Perm(130)
	curve := morf(t, play(t, additive(weights...)), order)
	want := 129.0 * 130 / 2
	for m, got := range curve {
		must.Equal(t, got, want, m)
		want -= float64(order[m])
	}
}

func TestRemovalRejectsHugeBags(t *testing.T) {
	g := play(t, formula{maxInstances + 1, func([]int) float64 { return 0 }})
	_, err := Removal(t.Context(), g, upTo(maxInstances+1))
	var bag *core.BagError
	must.As(t, err, &bag)
}

func TestRemovalStopsAtTheLeastBag(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	must.Is(t, must.Err(Removal(ctx, play(t, additive(1, 2)), upTo(2))), context.Canceled)
}

func TestAreas(t *testing.T) {
	curve := []float64{10, 6, 4, 2}
	lerf := []float64{10, 9, 9, 5}
	for _, c := range []struct {
		name  string
		area  func() (float64, bool)
		want  float64
		valid bool
	}{
		{"AOPC, printed", func() (float64, bool) { return AOPC(curve, false) }, (4.0 + 6 + 8) / 3,
			true},
		{"AOPC, as coded", func() (float64, bool) { return AOPC(curve, true) }, (4.0 + 6 + 8) / 4,
			true},
		{"AOPC of one instance", func() (float64, bool) { return AOPC(curve[:1], true) }, 0, false},
		{"SRG", func() (float64, bool) { return SRG(curve, lerf) }, (3.0 + 5 + 3) / 3, true},
		{"SRG does not read the whole bag", func() (float64, bool) {
			return SRG([]float64{9, 1}, []float64{0, 3})
		}, 2, true},
		{"SRG of one instance", func() (float64, bool) { return SRG(curve[:1], lerf[:1]) }, 0,
			false},
		{"SRG without LeRF", func() (float64, bool) { return SRG(curve, nil) }, 0, false},
		{"deletion", func() (float64, bool) { return Deletion(curve) }, (8.0 + 5 + 3) / 3, true},
		{"insertion", func() (float64, bool) { return Insertion(lerf) }, (9.5 + 9 + 7) / 3, true},
		{"deletion of two instances", func() (float64, bool) { return Deletion(curve[:2]) }, 8,
			true},
		{"deletion of one instance", func() (float64, bool) { return Deletion(curve[:1]) }, 0,
			false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := c.area()
			must.Equal(t, ok, c.valid, got, c.want)
			must.Equal(t, math.Abs(got-c.want) <= exact, true, got, ok, c.want, c.valid)
		})
	}
}

// TestAOPCOfAdditiveGame compares with the closed form: without its first m instances, the ranking
// by weight loses the sum of the m highest weights, and the mean loss over all rankings is m times
// the mean weight.
func TestAOPCOfAdditiveGame(t *testing.T) {
	weights := []float64{5, 3, 1, -1, -2}
	g := play(t, additive(weights...))
	best, _ := AOPC(morf(t, g, upTo(5)), false)
	must.Equal(t, math.Abs(best-((5.0+8+9+8)/4)) <= exact, true, best)
	sum, n := 0.0, 0.0
	permutations(5, func(order []int) {
		area, _ := AOPC(morf(t, g, order), false)
		must.Equal(t, area <= best+exact, true, order, area)
		sum += area
		n++
	})
	must.Equal(t, math.Abs(sum/n-(6.0/5*2.5)) <= exact, true, sum/n)
}

func TestBaseline(t *testing.T) {
	g := play(t, highest(1, 4, 2, 8))
	orders := [][]int{{0, 1, 2, 3}, {3, 1, 2, 0}}
	for _, byK := range []bool{false, true} {
		b := must.Get(NewBaseline(t.Context(), g, orders, byK))(t)
		n := 3.0
		if byK {
			n = 4
		}
		// Losses of the orders 0, 0, 0 and 4, 6, 7; the ranking judged is the second.
		for class, sign := range []float64{1, -1} {
			curve := morf(t, g, orders[1])
			for m := range curve {
				curve[m] *= sign
			}
			got, ok := b.AOPCR(curve, class)
			if want := sign * (17 - 17.0/2) / n; !ok || !(math.Abs(got-want) <= exact) {
				t.Errorf("byK %v class %d: %v, want %v", byK, class, got, want)
			}
		}
	}
	// Judged by all rankings, a ranking's AOPC-R averages 0 over all rankings.
	var all [][]int
	permutations(4, func(order []int) { all = append(all, slices.Clone(order)) })
	b := must.Get(NewBaseline(t.Context(), g, all, false))(t)
	sum := 0.0
	for _, order := range all {
		v, _ := b.AOPCR(morf(t, g, order), 0)
		sum += v
	}
	must.Equal(t, math.Abs(sum) <= exact, true, sum)
}

func TestMillet(t *testing.T) {
	// 40 instances of weight 1: the ten steps lose 2, 4, ... 20, over eleven points.
	ones := make([]float64, 40)
	for i := range ones {
		ones[i] = 1
	}
	g := play(t, additive(ones...))
	got, err := MilletAOPC(t.Context(), g, upTo(40), 0)
	must.Do(t, err, got)
	must.Equal(t, math.Abs(got-(110.0/11)) <= exact, true, got)
	must.Equal(t, g.Evaluations(), 11)
	// 7 instances: 5 % steps remove 0 0 1 1 1 2 2 2 3 3 of them.
	g = play(t, additive(4, 2, 1, 0, 0, 0, 0))
	got, err = MilletAOPC(t.Context(), g, upTo(7), 0)
	must.Do(t, err, got)
	must.Equal(t, math.Abs(got-((3*4+3*6+2*7)/11.0)) <= exact, true, got)
	random := [][]int{upTo(7), reversed(upTo(7))}
	got, err = MilletAOPCR(t.Context(), g, upTo(7), random, 1)
	must.Do(t, err, got)
	must.Equal(t, math.Abs(got-(-44.0/11/2)) <= exact, true, got)
}
