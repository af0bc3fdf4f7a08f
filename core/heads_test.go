package core

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"
)

// headed is a fake whose classes belong to heads.
type headed struct {
	*fake
	heads []Head
}

func (h *headed) Heads() []Head { return h.heads }

// headedSharing is a headed fake that evaluates neighbours.
type headedSharing struct {
	*sharing
	heads []Head
}

func (h *headedSharing) Heads() []Head { return h.heads }

// months is a game of one raw class, which interacts.
func months(k int) *fake {
	return &fake{Task{k, 1, ScaleRaw, -1, 0}, func(members []int) []float64 {
		sum := 0.0
		for _, i := range members {
			sum += math.Cos(float64(2*i)) / float64(k)
		}
		return []float64{30 + 12*math.Tanh(3*sum)}
	}}
}

// side is a game with the classes of several games.
func side(games ...*fake) (*fake, []Head) {
	all := &fake{task: Task{Instances: games[0].task.Instances, Scale: ScaleRaw, Negative: -1}}
	var heads []Head
	for _, g := range games {
		h := Head{Classes: g.task.Classes, Scale: g.task.Scale, Negative: g.task.Negative}
		if h.Negative >= 0 {
			h.Negative += all.task.Classes
		}
		if all.task.Classes += h.Classes; h.Scale == ScaleRaw {
			h.Unit = "months"
		}
		all.task.Least = max(all.task.Least, g.task.Least)
		heads = append(heads, h)
	}
	all.value = func(members []int) (out []float64) {
		for _, g := range games {
			out = append(out, g.value(members)...)
		}
		return out
	}
	return all, heads
}

// TestHeadsAreExplainedAsModelsOfTheirOwn compares a game of three heads with the games of the
// single heads, for all methods that need no option. All numbers are equal.
func TestHeadsAreExplainedAsModelsOfTheirOwn(t *testing.T) {
	var names []string
	for _, m := range Methods() {
		if m.Name != "inherent" {
			names = append(names, m.Name)
		}
	}
	methods, err := NewMethods(names, Options{Samples: 60})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		least int
		k     int
		wrap  func(f *fake, heads []Head) Evaluator
	}{
		{"gathered", 0, 16, func(f *fake, heads []Head) Evaluator { return &headed{f, heads} }},
		{"enumerated", 0, 8, func(f *fake, heads []Head) Evaluator { return &headed{f, heads} }},
		{"with companions", 3, 16,
			func(f *fake, heads []Head) Evaluator { return &headed{f, heads} }},
		{"with neighbours", 0, 16, func(f *fake, heads []Head) Evaluator {
			return &headedSharing{&sharing{fake: f}, heads}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			games := []*fake{steep(c.k), months(c.k), logits(c.k)}
			for _, g := range games {
				g.task.Least = c.least
			}
			all, heads := side(games...)
			request := Request{Methods: methods, GameOptions: GameOptions{Seed: 3, Workers: 1}}
			got, err := Explain(context.Background(), c.wrap(all, heads), request)
			if err != nil {
				t.Fatal(err)
			}
			first := 0
			for n, g := range games {
				var alone []Head
				if g.task.Scale == ScaleRaw { // a game of its own does not know the unit
					alone = heads[n : n+1]
				}
				want, err := Explain(context.Background(), c.wrap(g, alone), request)
				if err != nil {
					t.Fatal(err)
				}
				compareHead(t, got, want, first, g.task.Classes)
				first += g.task.Classes
			}
		})
	}
}

// compareHead compares the explanations of classes from first on with those of a model that has
// these alone.
func compareHead(t *testing.T, got, want *Report, first, classes int) {
	t.Helper()
	if g, w := got.Prediction[first:first+classes], want.Prediction; !slices.Equal(g, w) {
		t.Errorf("prediction %v, alone %v", g, w)
	}
	if g, w := got.Units[first:first+classes], want.Units; !slices.Equal(g, w) {
		t.Errorf("units %v, alone %v", g, w)
	}
	for _, w := range want.Explanations {
		at := slices.IndexFunc(got.Explanations, func(e Explanation) bool {
			return e.Method == w.Method && e.Class == w.Class+first
		})
		g := got.Explanations[at]
		g.Class, g.Evaluations = w.Class, w.Evaluations // the cache serves all heads
		if math.IsNaN(g.R2) && math.IsNaN(w.R2) {
			g.R2, w.R2 = 0, 0
		}
		if !reflect.DeepEqual(g, w) {
			t.Errorf("%s of class %d:\n%+v, alone\n%+v", w.Method, w.Class, g, w)
		}
	}
}

// TestMixedOutputs checks the outputs and units of a prediction of several heads.
func TestMixedOutputs(t *testing.T) {
	all, heads := side(steep(4), months(4))
	scores := all.value([]int{0, 1})
	for _, c := range []struct {
		requested, output Output
		units             []Unit
	}{
		{"", OutputMixed, []Unit{UnitProbability, UnitProbability, "months"}},
		{OutputLogit, OutputMixed, []Unit{UnitLogit, UnitLogit, "months"}},
	} {
		read, err := Read(heads, ScaleRaw, slices.Clone(scores), c.requested)
		if err != nil || read.Output != c.output || !slices.Equal(read.Units, c.units) {
			t.Errorf("%q: %+v, %v", c.requested, read, err)
		}
		if read.Values[2] != scores[2] {
			t.Errorf("%q: months became %g", c.requested, read.Values[2])
		}
	}
	all.task.Classes++
	if _, err := NewGame(&headed{all, heads}, GameOptions{}); err == nil {
		t.Error("heads of 3 classes pass for a model of 4")
	}
}
