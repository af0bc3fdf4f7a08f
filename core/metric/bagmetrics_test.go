package metric

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// TestBagMetricsEqualEvaluate checks that BagMetrics.Row for each explanation gives the rows of
// Evaluate.
func TestBagMetricsEqualEvaluate(t *testing.T) {
	bag, ev := numbers(4, 1, 0, 1, -1), additive(8, 1, 4, 2)
	e := []core.Explanation{explanation("single", 0, 8, 1, 4, 2),
		explanation("other", 1, 1, 1, 3, 2)}
	o := Options{Seed: 3}
	want := evaluate(t, ev, bag, twoClasses, o, e...)
	g := play(t, ev)
	j := must.Get(NewBagMetrics(t.Context(), g, bag, twoClasses, o))(t)
	var got []Row
	for _, e := range slices.Concat(e, j.References(e)) {
		row := must.Get(j.Row(t.Context(), e))(t)
		got = append(got, row)
	}
	must.Equal(t, reflect.DeepEqual(got, want), true, got, want)
	var bad *ScoresError
	must.As(t, must.Err(j.Row(t.Context(), explanation("short", 0, 1, 2))), &bad)
}

// TestBaselineSpread checks that the spread and the mean curve are those of the curves of the
// random orders.
func TestBaselineSpread(t *testing.T) {
	g := play(t, additive(5, 1, 3, -2, 4))
	orders := perms(stream(1, numbers(5), "test"), 7, 5)
	b := must.Get(NewBaseline(t.Context(), g, orders, false))(t)
	for class := range g.Classes() {
		var areas []float64
		curves := make([][]float64, 5) // (m, order)
		for _, order := range orders {
			values := must.Get(Removal(t.Context(), g, order))(t)
			curve := column(values, g.Classes(), class)
			area, _ := AOPC(curve, false)
			areas = append(areas, area)
			for m, v := range curve {
				curves[m] = append(curves[m], v)
			}
		}
		if got, ok := b.Spread(class); !ok || got <= 0 ||
			!(math.Abs(got-deviation(areas)) <= exact) {
			t.Errorf("class %d spreads by %v, %v, want %v", class, got, ok, deviation(areas))
		}
		mean, dev := b.Curve(class)
		for m := range curves {
			average, _ := meanSEM(curves[m])
			if !(math.Abs(mean[m]-average) <= exact) ||
				!(math.Abs(dev[m]-deviation(curves[m])) <= exact) {
				t.Errorf("class %d without %d: %v ± %v, want %v ± %v", class, m, mean[m], dev[m],
					average, deviation(curves[m]))
			}
		}
	}
}

// deviation returns the standard deviation in two passes: the mean, then the squares.
func deviation(values []float64) float64 {
	_, sem := meanSEM(values)
	return sem * math.Sqrt(float64(len(values)))
}

func TestBaselineOfOneOrder(t *testing.T) {
	one := must.Get(NewBaseline(t.Context(), play(t, additive(1, 2, 3)), [][]int{{2, 0, 1}},
		false))(t)
	if _, ok := one.Spread(0); ok {
		t.Error("one order has a spread")
	}
	if mean, dev := one.Curve(0); !slices.Equal(mean, []float64{6, 3, 2}) || dev != nil {
		t.Errorf("one order has the curve %v ± %v", mean, dev)
	}
	single := must.Get(NewBaseline(t.Context(), play(t, additive(1)), [][]int{{0}, {0}}, false))(t)
	if mean, dev := single.Curve(0); mean != nil || dev != nil {
		t.Errorf("a bag of one has the curve %v ± %v", mean, dev)
	}
}

// TestEvaluations checks that no set of metrics exceeds the stated number of evaluations, which
// orders with only their ends in common reach.
func TestEvaluations(t *testing.T) {
	const k = 40
	weights, scores := make([]float64, k), make([]float64, k)
	for i := range weights {
		weights[i], scores[i] = float64(i%7), float64(i*17%k)
	}
	for _, m := range append(Metrics(), Info{}) {
		o := Options{Orders: 3}
		if m.Name != "" {
			o.Metrics = []string{m.Name}
		}
		g := play(t, additive(weights...))
		e := explanation("m", 0, scores...)
		must.Get(Evaluate(t.Context(), g, numbers(k), nil, []core.Explanation{e}, o))(t)
		most, err := o.Evaluations(k, 2) // includes the random row
		must.Do(t, err)
		if n := g.Evaluations(); n > most || n < most*8/10 {
			t.Errorf("%q needs %d evaluations, more than the stated %d", m.Name, n, most)
		}
	}
	var setting *core.SettingError
	must.As(t, must.Err((Options{Metrics: []string{"x"}}).Evaluations(k, 1)), &setting)
}

// sizes is an evaluator without memory of its own: the size of a coalition is its score.
type sizes struct{ k int }

func (s sizes) Task() core.Task {
	return core.Task{Instances: s.k, Classes: 1, Scale: core.ScaleRaw, Negative: -1}
}

func (s sizes) Evaluate(_ context.Context, dst []float64, z *core.Coalitions) error {
	for j := range z.Len() {
		dst[j] = float64(z.Size(j))
	}
	return nil
}

// TestRemovalDoesNotAllocatePerCoalition checks that a further coalition allocates no memory.
func TestRemovalDoesNotAllocatePerCoalition(t *testing.T) {
	allocations := func(k int) float64 {
		r := stream(1, numbers(k), "test")
		return testing.AllocsPerRun(5, func() {
			must.Get(Removal(t.Context(), play(t, sizes{k}), r.Perm(k)))(t)
		})
	}
	const k = 1000
	more := allocations(2*k) - allocations(k)
	must.Equal(t, more <= k/8, true, "allocations of further coalitions: ", more)
}
