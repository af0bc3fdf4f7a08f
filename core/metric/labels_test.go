package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// fourMNIST is the truth of 4-MNIST-Bags, as model cards state it.
var fourMNIST = []core.Truth{
	{Support: []int{0, 1, 2, 3, 4, 5, 6, 7}},
	{Support: []int{8}, Refute: []int{9}},
	{Support: []int{9}, Refute: []int{8}},
	{Support: []int{8, 9}},
}

func TestRelevances(t *testing.T) {
	labels := []int{3, 8, 9, -1, 12}
	const u = Unlabelled
	for _, c := range []struct {
		name   string
		class  int
		strict bool
		want   []Relevance
	}{
		{"negative class", 0, false, []Relevance{1, 0, 0, u, 0}},
		{"negative class, strict", 0, true, []Relevance{1, -1, -1, u, 0}},
		{"an 8", 1, false, []Relevance{0, 1, -1, u, 0}},
		{"an 8, strict", 1, true, []Relevance{0, 1, -1, u, 0}},
		{"a 9", 2, false, []Relevance{0, -1, 1, u, 0}},
		{"both, strict", 3, true, []Relevance{0, 1, 1, u, 0}},
		{"no row", 4, false, nil},
		{"no such class", -1, false, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			must.EqualSlices(t, Relevances(labels, fourMNIST, c.class, 0, c.strict), c.want)
		})
	}
	must.Equal(t, Relevances(nil, fourMNIST, 0, 0, false) == nil, true)
	must.EqualSlices(t, Relevances(labels, fourMNIST, 0, -1, true), []Relevance{1, 0, 0, u, 0},
		"strict without a negative class")
}

func TestNDCG(t *testing.T) {
	second := 1 / math.Log2(3)
	for _, c := range []struct {
		name  string
		order []int
		rel   []Relevance
		want  float64
		ok    bool
	}{
		{"both found", []int{0, 1, 2}, []Relevance{1, 1, 0}, 1, true},
		{"the second missed", []int{0, 2, 1}, []Relevance{1, 1, 0}, 1 / (1 + second), true},
		{"the first missed", []int{2, 0, 1}, []Relevance{1, 1, 0}, second / (1 + second), true},
		{"a refuting one first", []int{2, 0, 1}, []Relevance{1, 1, -1}, (second - 1) / (1 + second),
			true},
		{"the only place refuting", []int{1, 0}, []Relevance{1, -1}, -1, true},
		{"unlabelled ones take no place", []int{2, 3, 0, 1}, []Relevance{1, 0, 2, 2}, 1, true},
		{"nothing to find", []int{0, 1}, []Relevance{0, -1}, 0, false},
		{"no instance labelled", []int{0, 1}, []Relevance{2, 2}, 0, false},
		{"one instance", []int{0}, []Relevance{1}, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := NDCG(c.order, c.rel)
			must.Equal(t, ok, c.ok, got, c.want)
			must.Equal(t, math.Abs(got-c.want) <= exact, true, got, ok, c.want, c.ok)
		})
	}
}

// TestExpectedNDCG compares the closed form with the mean over all rankings.
func TestExpectedNDCG(t *testing.T) {
	for _, rel := range [][]Relevance{
		{1, 0, 0, 0}, {1, 1, 0, -1, 0}, {1, -1, -1, 2, 2}, {1, 1, 1, 2}, {1}, {1, 1, 1, 1, -1, 0},
	} {
		sum, n := 0.0, 0.0
		permutations(len(rel), func(order []int) {
			v, _ := NDCG(order, rel)
			sum += v
			n++
		})
		got, ok := expectedNDCG(rel)
		must.Equal(t, ok, true, rel, got, n, sum/n)
		must.Equal(t, math.Abs(got-sum/n) <= exact, true, rel, got, n, sum/n)
	}
	if _, ok := expectedNDCG([]Relevance{0, -1}); ok {
		t.Error("an expectation without supporting instances")
	}
}

func TestTrivial(t *testing.T) {
	for _, c := range []struct {
		rel  []Relevance
		want bool
	}{
		{[]Relevance{1, 1}, true}, {[]Relevance{1, 2}, true}, {[]Relevance{1, 0}, false},
		{[]Relevance{0, 0}, false}, {[]Relevance{2}, false}, {nil, false},
	} {
		must.Equal(t, Trivial(c.rel), c.want, c.rel, !c.want)
		worst := math.Inf(1)
		permutations(len(c.rel), func(order []int) {
			if v, ok := NDCG(order, c.rel); ok {
				worst = min(worst, v)
			}
		})
		must.Equal(t, worst == 1, c.want, c.rel, worst)
	}
}

func TestOrder(t *testing.T) {
	ties := []int{3, 1, 0, 2, 4}
	for _, c := range []struct {
		name   string
		scores []float64
		want   []int
	}{
		{"distinct", []float64{1, 5, 3, 4, 2}, []int{1, 3, 2, 4, 0}},
		{"all tied", []float64{1, 1, 1, 1, 1}, ties},
		{"some tied", []float64{1, 2, 1, 2, 2}, []int{3, 1, 4, 0, 2}},
		{"NaN last", []float64{math.NaN(), math.Inf(-1), 0, math.NaN(), math.Inf(1)},
			[]int{4, 2, 1, 3, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			must.EqualSlices(t, Order(c.scores, ties), c.want)
		})
	}
}

// TestAUPRCEqualsThresholds compares with the definition: the sum over thresholds of the precision
// times the increase in recall.
func TestAUPRCEqualsThresholds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		k := 1 + r.IntN(12)
		scores, rel := make([]float64, k), make([]Relevance, k)
		for i := range scores {
			scores[i], rel[i] = float64(r.IntN(4)), Relevance(r.IntN(4)-1)
		}
		supporting, _ := count(rel)
		want, before := 0.0, 0.0
		for threshold := 3.0; threshold >= 0 && supporting > 0; threshold-- {
			tp, seen := 0.0, 0.0
			for i, s := range scores {
				if s >= threshold && rel[i] != Unlabelled {
					seen++
					if rel[i] == Supporting {
						tp++
					}
				}
			}
			if seen > 0 {
				recall := tp / float64(supporting)
				want += (recall - before) * tp / seen
				before = recall
			}
		}
		if got, ok := AUPRC(scores, rel); ok != (supporting > 0) || !(math.Abs(got-want) <= exact) {
			t.Fatalf("%v %v: %v, want %v", scores, rel, got, want)
		}
	}
}

// expectedNDCG returns the mean of NDCG over all rankings. Each place then holds the mean relevance
// of the labelled instances, so that the discounts cancel and this mean is the answer. With n = 0
// ok is false.
func expectedNDCG(rel []Relevance) (value float64, ok bool) {
	sum, labelled := 0, 0
	for _, r := range rel {
		if r != Unlabelled {
			sum += int(r)
			labelled++
		}
	}
	return float64(sum) / float64(labelled), slices.Contains(rel, Supporting)
}
