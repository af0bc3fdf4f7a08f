package methods

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/games"
	"github.com/bagscope/bagscope/core/internal/rows"
	"github.com/bagscope/bagscope/core/internal/surrogate"
	"github.com/bagscope/bagscope/internal/must"
)

// TestSampleSizeLimit checks that too many coalitions for memory are rejected before allocation,
// where only existing coalitions count.
func TestSampleSizeLimit(t *testing.T) {
	for _, c := range []struct {
		k    int
		s    Sampling
		fits bool
	}{
		{300, Sampling{Samples: 2_000_000}, true},
		{300, Sampling{Samples: 2_000_000_000}, false},
		{100_000, Sampling{}, true},
		{100_000, Sampling{Samples: 1_000_000}, false},
		{3, Sampling{Samples: math.MaxInt}, true},
		{3, Sampling{Samples: math.MaxInt, Repeats: true}, false},
		{30, Sampling{Samples: math.MaxInt}, false},
	} {
		err := c.s.validate(
			"milli",
			games.New(
				t,
				&games.Fake{
					Shape: core.Task{
						Instances: c.k,
						Classes:   1,
						Scale:     core.ScaleRaw,
						Negative:  -1,
					},
				},
			),
		)
		var setting *core.SettingError
		if c.fits != (err == nil) || err != nil &&
			(!errors.As(err, &setting) || setting.Setting != "samples") {
			t.Errorf("k=%d, %+v: error %v, want none %v", c.k, c.s, err, c.fits)
		}
	}
}

// TestDefaultSamples checks that the default of n determines the scores of bags up to 1,000
// instances, and that a note states the needed number if n is too small.
func TestDefaultSamples(t *testing.T) {
	for _, c := range []struct {
		k    int
		o    Options
		n    int
		note string
	}{
		{12, Options{}, 200, ""},
		{120, Options{}, 480, ""},
		{300, Options{}, 1200, ""},
		{300, Options{Preset: PresetReference}, 1000, ""},
		{300, Options{Preset: PresetPaper}, 1000, ""},
		{300, Options{Samples: 250}, 250,
			"250 coalitions are too few for 300 instances: at least 301 are needed, 1200 are " +
				"better"},
		{1001, Options{}, 1000, "1000 coalitions are too few for 1001 instances: at least 1002 " +
			"are needed, 4004 are better"},
		{9000, Options{Samples: 50}, 50, "explain a part of the bag"},
		{2, Options{}, 200, "the bag has no more coalitions"},
	} {
		for _, name := range []string{"random_lime", "guided_lime", "random_shap", "guided_shap",
			"milli"} {
			// The default does not depend on the method; large systems take seconds.
			if (c.k == 2 || c.k > 1000) && name != "random_lime" {
				continue
			}
			m := must.Get(New([]string{name}, c.o))(t)
			report := must.Get(core.Explain(t.Context(), games.Logits(c.k), core.Request{Methods: m,
				Classes: []int{1}}))(t)
			e := report.Explanations[0]
			if e.Settings[0] != (core.Setting{Name: "samples", Value: c.n}) {
				t.Errorf("%s of %d instances, %+v: %v", name, c.k, c.o, e.Settings[0])
			}
			if notes := strings.Join(e.Notes, " "); !strings.Contains(notes, c.note) ||
				c.note == "" && strings.Contains(notes, "too few") {
				t.Errorf("%s of %d instances, %+v: notes %q", name, c.k, c.o, notes)
			}
		}
	}
}

// TestGivenCoalitionsByNumber: an error names the first coalition that cannot be used.
func TestGivenCoalitionsByNumber(t *testing.T) {
	for want, given := range map[string][][]int{
		"number 2 is empty":        {{0, 1, 2}, {}, {0}},
		"number 1 is full":         {{0, 1, 2, 3}},
		"number 3 has 2 instances": {{0, 1, 2}, {1, 2, 3}, {0, 1}},
		"the bag has 4":            nil,
	} {
		z := core.NewCoalitions(4, 3)
		if given == nil {
			z = core.NewCoalitions(5, 3)
		}
		for _, members := range given {
			z.AppendMembers(members...)
		}
		err := RandomSHAP{Sampling: Sampling{Coalitions: z}}.Validate(games.New(t,
			games.AtLeast(games.Logits(4), 3)))
		must.Fail(t, err, want)
	}
}

// TestUndeterminedScoresAreNoted checks that there is a note if the coalitions do not determine
// every score.
func TestUndeterminedScoresAreNoted(t *testing.T) {
	for want, fits := range map[bool][]surrogate.Fit{false: {{}, {}}, true: {{}, {Short: true}}} {
		must.Equal(t, len(gather(fits, nil).Notes) > 0, want, fits)
	}
	must.Equal(t, len(gather([]surrogate.Fit{{Truncated: true}}, nil).Notes), 1)
}

// TestLargestSystem checks that the number of coalitions that the error advises is accepted.
func TestLargestSystem(t *testing.T) {
	g := games.New(t, games.Thrifty{Players: 20_000})
	err := RandomSHAP{Sampling: Sampling{Samples: 8193}}.Validate(g)
	must.Fail(t, err, "use at most 8192 coalitions")
	must.Do(t, RandomSHAP{Sampling: Sampling{Samples: 8192}}.Validate(g))
}

// TestSystemSizeLimit checks that a system too large for memory is rejected before any draw or
// evaluation.
func TestSystemSizeLimit(t *testing.T) {
	given := core.NewCoalitions(20_000, 9000)
	for j := range 9000 {
		given.AppendMembers(j)
	}
	for _, c := range []struct {
		k       int
		m       core.Method
		setting string // the invalid setting, "" for none
	}{
		{100, RandomSHAP{Sampling: Sampling{Samples: 50_000}}, ""},
		{20_000, RandomSHAP{Sampling: Sampling{Samples: 300}}, ""},
		{20_000, RandomSHAP{Sampling: Sampling{Samples: 9000}}, "samples"},
		{20_000, MILLI{Sampling: Sampling{Samples: 9000}}, "samples"},
		{20_000, GuidedLIME{Sampling: Sampling{Samples: 9000}}, "samples"},
		{20_000, RandomLIME{Sampling: Sampling{Coalitions: given}}, "samples"},
		{20_000, GuidedSHAP{Sampling: Sampling{Samples: 300, Preset: PresetReference}}, "preset"},
		{300, Shapley{Samples: 2_000_000_000}, "samples"},
	} {
		g, err := core.NewGame(games.Thrifty{Players: c.k}, core.GameOptions{})
		must.Do(t, err)
		_, err = c.m.Attribute(context.Background(), g, []int{0})
		var wrong *core.SettingError
		switch {
		case c.setting == "" && err != nil:
			t.Errorf("%s, k = %d: %v", c.m.Name(), c.k, err)
		case c.setting != "" && (!errors.As(err, &wrong) || wrong.Setting != c.setting):
			t.Errorf("%s, k = %d: error %v, want one of %s", c.m.Name(), c.k, err, c.setting)
		case c.setting != "" && g.Evaluations() > 0:
			t.Errorf("%s, k = %d: %d evaluations before it was refused", c.m.Name(), c.k,
				g.Evaluations())
		}
	}
}

// TestRarest compares with a count of each instance, over random coalitions.
func TestRarest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 200 {
		k, n := 1+rng.IntN(80), 1+rng.IntN(12)
		z, want := core.NewCoalitions(k, n), n
		often := rng.Float64()
		for range n {
			row := z.AppendEmpty()
			for i := range k {
				if rng.Float64() < often {
					rows.Toggle(row, i)
				}
			}
		}
		for i := range k {
			have := 0
			for j := range n {
				if z.Has(j, i) {
					have++
				}
			}
			want = min(want, have, n-have)
		}
		must.Equal(t, rarest(z), want, n, k)
	}
}

// TestCheckFinite: the error of a neighbour without an answer names its coalition.
func TestCheckFinite(t *testing.T) {
	f := selecting(5) // instances 1 and 4 are selected
	w := newNeighbourhood(games.New(t, &games.Sharing{Fake: f}), []int{1})
	for _, c := range []struct {
		context int // the only instance of the context
		missing map[int]string
	}{
		{1, map[int]string{1: "00000"}},
		{2, map[int]string{0: "10100", 2: "00000", 3: "00110", 5: "00100"}},
	} {
		clear(w.context)
		rows.Toggle(w.context, c.context)
		must.Do(t, w.evaluate(t.Context(), w.g.Outputs))
		for i := range 6 {
			err := w.checkFinite(i)
			var bad *core.NonFiniteError
			want, missing := c.missing[i]
			switch {
			case !missing:
				must.Do(t, err)
			case !errors.As(err, &bad) || bad.Coalition != want || bad.Class != 0 ||
				!math.IsNaN(bad.Value):
				t.Errorf("neighbour %d: %#v, want coalition %s", i, err, want)
			}
		}
	}
}

// recorded returns a game and, in any order, the coalitions but for the whole bag that it
// evaluates.
func recorded(f *games.Fake) (*games.Fake, *core.Coalitions) {
	k := f.Shape.Instances
	z := core.NewCoalitions(k, 0)
	out := *f
	var mu sync.Mutex // for z, as batches are evaluated side by side
	out.Value = func(members []int) []float64 {
		if len(members) < k {
			mu.Lock()
			z.AppendMembers(members...)
			mu.Unlock()
		}
		return f.Value(members)
	}
	return &out, z
}

// TestRareInstances: errors need 3 coalitions that have each instance, and 3 that lack it. A note
// says how many there are if there are fewer.
func TestRareInstances(t *testing.T) {
	seen := map[int]bool{}
	for n := 10; n < 24; n++ {
		for seed := range uint64(4) {
			f, z := recorded(games.Steep(12))
			e := must.Get(core.Explain(t.Context(), f, core.Request{Classes: []int{1},
				Methods:     []core.Method{RandomSHAP{Sampling: Sampling{Samples: n}}},
				GameOptions: core.GameOptions{Seed: seed}}))(t).Explanations[0]
			rare := rarest(z)
			seen[rare] = true
			said := strings.Contains(strings.Join(e.Notes, " "),
				fmt.Sprintf("only %d of the coalitions have some instance", rare))
			// 13 terms need more than 13 coalitions.
			if said != (rare < 3) || (rare < 3 || n < 14) != math.IsInf(e.StdErr[0], 1) {
				t.Errorf("%d coalitions have some instance, or lack it: errors %v, notes %q", rare,
					e.StdErr, e.Notes)
			}
		}
	}
	must.Equal(t, seen[2], true, seen)
	must.Equal(t, seen[3], true, seen)
}

// TestReferenceListsInOrder: the preset of the published code takes the first coalitions of the
// last size; others take random ones.
func TestReferenceListsInOrder(t *testing.T) {
	for preset, want := range map[Preset]bool{PresetReference: true, PresetPaper: false,
		"": false} {
		f, z := recorded(games.Steep(8))
		s := Sampling{Samples: 20, Preset: preset}
		must.Get(core.Explain(t.Context(), f, core.Request{
			Methods: []core.Method{GuidedSHAP{Sampling: s}}}))(t)
		var pairs []string
		for j := range z.Len() {
			if z.Size(j) == 2 {
				pairs = append(pairs, z.String(j))
			}
		}
		slices.Sort(pairs)
		must.Equal(t, slices.Equal(pairs, []string{"10100000", "11000000"}), want, preset, pairs)
		must.Equal(t, len(pairs), 2, preset, pairs)
	}
}
