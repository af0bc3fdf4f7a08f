package ask

import (
	"math"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
)

// missed explains a formula by methods and returns what is missed of instances of a bag without its
// first instance.
func missed(t *testing.T, f formula, by ...core.Method) []Missed {
	t.Helper()
	k := f.task.Instances
	in := &Input{Bag: &core.Bag{Shape: []int{1}, Values: make([]float32, k+1)}}
	in.Whole = in.Bag
	rest := make([]int, k)
	for i := range rest {
		rest[i] = i + 1
	}
	in.Select(rest)
	g := must.Get(core.NewGame(f, core.GameOptions{}))(t)
	x := &Explained{Input: in, Classes: ClassNames(nil, f.task.Classes),
		Report: must.Get(g.Explain(t.Context(), core.Request{Methods: by}))(t)}
	must.Do(t, x.summarise(t.Context(), g))
	return x.Missed
}

// TestMissed checks both quantities of a bag in which either of two instances suffices, and one
// lowers the value: numbers of the whole bag, in the unit of the scores, for each method.
func TestMissed(t *testing.T) {
	f := formula{task: core.Task{Instances: 6, Classes: 1, Scale: core.ScaleLogits, Negative: -1},
		scores: func(has func(int) bool) []float64 { return []float64{on(has(1) || has(3))} }}
	got := missed(t, f, methods.Consensus{}, methods.OneRemoved{}, methods.Single{})
	if len(got) != 7 || got[0].Method != "consensus" || got[0].Unit != core.UnitLogOdds ||
		got[2].Method != "single" || got[2].Unit != core.UnitProbability {
		t.Fatalf("%+v, want two instances of Consensus, none of One Removed, five of Single", got)
	}
	for _, m := range got[:4] {
		if m.Instance != 2 && m.Instance != 4 || m.MissedHere != 0 || m.ByItself <= 0 ||
			m.Sentence != "" {
			t.Errorf("%+v: either of instances 2 and 4 suffices, so that neither is missed", m)
		}
	}
	f.scores = func(has func(int) bool) []float64 { return []float64{on(has(5))} }
	got = missed(t, f, methods.Consensus{})
	p := 1 / (1 + math.Exp(-4))
	want := 2 * math.Log((p+1e-4)/(1-p+1e-4)) // METHODS section 4
	must.Equal(t, len(got), 1, got, want)
	must.Equal(t, got[0].Instance, 6, got, want)
	must.Equal(t, math.Abs(float64(got[0].MissedHere)-want) <= 1e-9, true, got, want)
}

// TestMissedOpposed checks the sentence about an instance that raises many mixtures and lowers this
// bag: it counts for itself, and spoils what the others have together.
func TestMissedOpposed(t *testing.T) {
	spoiled := func(has func(int) bool) float64 {
		if has(1) && has(2) && has(3) && has(4) && has(5) {
			return 6 - 4*one(has(0))
		}
		return 2 * one(has(0))
	}
	f := formula{task: core.Task{Instances: 6, Classes: 1, Scale: core.ScaleRaw, Negative: -1},
		scores: func(has func(int) bool) []float64 { return []float64{spoiled(has)} }}
	got := missed(t, f, methods.Single{})
	want := "By itself instance 2 raises the value, but this bag without it has a higher value."
	if len(got) == 0 || got[0].Sentence != want || got[0].MissedHere != -4 {
		t.Errorf("%+v, want %q", got, want)
	}
	f.task = core.Task{Instances: 6, Classes: 2, Scale: core.ScaleLogits, Negative: -1}
	f.scores = func(has func(int) bool) []float64 { return []float64{spoiled(has), 0} }
	got = missed(t, f, methods.Single{})
	want = "By itself instance 2 supports “0”, but this bag without it has a higher value."
	must.Equal(t, len(got) != 0, true, got, want)
	must.Equal(t, got[0].Sentence, want, got)
}

// one returns 1 for true.
func one(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}
