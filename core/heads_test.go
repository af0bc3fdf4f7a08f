package core_test

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/games"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
)

// headed is a fake whose classes belong to heads.
type headed struct {
	*games.Fake
	heads []core.Head
}

func (h *headed) Heads() []core.Head { return h.heads }

// headedSharing is a headed fake that evaluates neighbours.
type headedSharing struct {
	*games.Sharing
	heads []core.Head
}

func (h *headedSharing) Heads() []core.Head { return h.heads }

// months is a game of one raw class, which interacts.
func months(k int) *games.Fake {
	return &games.Fake{
		Shape: core.Task{Instances: k, Classes: 1, Scale: core.ScaleRaw, Negative: -1, Least: 0},
		Value: func(members []int) []float64 {
			sum := 0.0
			for _, i := range members {
				sum += math.Cos(float64(2*i)) / float64(k)
			}
			return []float64{30 + 12*math.Tanh(3*sum)}
		},
	}
}

// side is a game with the classes of several games.
func side(parts ...*games.Fake) (*games.Fake, []core.Head) {
	all := &games.Fake{
		Shape: core.Task{Instances: parts[0].Shape.Instances, Scale: core.ScaleRaw, Negative: -1},
	}
	var heads []core.Head
	for _, g := range parts {
		h := core.Head{Classes: g.Shape.Classes, Scale: g.Shape.Scale, Negative: g.Shape.Negative}
		if h.Negative >= 0 {
			h.Negative += all.Shape.Classes
		}
		if all.Shape.Classes += h.Classes; h.Scale == core.ScaleRaw {
			h.Unit = "months"
		}
		all.Shape.Least = max(all.Shape.Least, g.Shape.Least)
		heads = append(heads, h)
	}
	all.Value = func(members []int) (out []float64) {
		for _, g := range parts {
			out = append(out, g.Value(members)...)
		}
		return out
	}
	return all, heads
}

// TestHeadsAreExplainedAsModelsOfTheirOwn compares a game of three heads with the games of the
// single heads, for all methods that need no option. All numbers are equal.
func TestHeadsAreExplainedAsModelsOfTheirOwn(t *testing.T) {
	var names []string
	for _, m := range methods.All() {
		if m.Name != "inherent" {
			names = append(names, m.Name)
		}
	}
	methods := must.Get(methods.New(names, methods.Options{Samples: 60}))(t)
	for _, c := range []struct {
		name  string
		least int
		k     int
		wrap  func(f *games.Fake, heads []core.Head) core.Evaluator
	}{
		{"gathered", 0, 16, func(f *games.Fake, heads []core.Head) core.Evaluator {
			return &headed{f, heads}
		}},
		{"enumerated", 0, 8, func(f *games.Fake, heads []core.Head) core.Evaluator {
			return &headed{f, heads}
		}},
		{"with companions", 3, 16,
			func(f *games.Fake, heads []core.Head) core.Evaluator { return &headed{f, heads} }},
		{"with neighbours", 0, 16, func(f *games.Fake, heads []core.Head) core.Evaluator {
			return &headedSharing{&games.Sharing{Fake: f}, heads}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			parts := []*games.Fake{games.Steep(c.k), months(c.k), games.Logits(c.k)}
			for _, g := range parts {
				g.Shape.Least = c.least
			}
			all, heads := side(parts...)
			request := core.Request{
				Methods:     methods,
				GameOptions: core.GameOptions{Seed: 3, Workers: 1},
				SkipMissing: c.least > 1, // Shapley values need bags of one instance
			}
			got := must.Get(core.Explain(context.Background(), c.wrap(all, heads), request))(t)
			first := 0
			for n, g := range parts {
				var alone []core.Head
				if g.Shape.Scale == core.ScaleRaw { // a game of its own does not know the unit
					alone = heads[n : n+1]
				}
				want := must.Get(core.Explain(context.Background(), c.wrap(g, alone), request))(t)
				compareHead(t, got, want, first, g.Shape.Classes)
				first += g.Shape.Classes
			}
		})
	}
}

// compareHead compares the explanations of classes from first on with those of a model that has
// these alone.
func compareHead(t *testing.T, got, want *core.Report, first, classes int) {
	t.Helper()
	if g, w := got.Prediction[first:first+classes], want.Prediction; !slices.Equal(g, w) {
		t.Errorf("prediction %v, alone %v", g, w)
	}
	if g, w := got.Units[first:first+classes], want.Units; !slices.Equal(g, w) {
		t.Errorf("units %v, alone %v", g, w)
	}
	for _, w := range want.Explanations {
		at := slices.IndexFunc(got.Explanations, func(e core.Explanation) bool {
			return e.Method == w.Method && e.Class == w.Class+first
		})
		g := got.Explanations[at]
		g.Class, g.Evaluations = w.Class, w.Evaluations // the cache serves all heads
		if math.IsNaN(g.R2) && math.IsNaN(w.R2) {
			g.R2, w.R2 = 0, 0
		}
		must.Equal(t, reflect.DeepEqual(g, w), true, w.Method, w.Class, g, w)
	}
}

// TestMixedOutputs checks the outputs and units of a prediction of several heads.
func TestMixedOutputs(t *testing.T) {
	all, heads := side(games.Steep(4), months(4))
	scores := all.Value([]int{0, 1})
	for _, c := range []struct {
		requested, output core.Output
		units             []core.Unit
	}{
		{"", core.OutputMixed, []core.Unit{core.UnitProbability, core.UnitProbability, "months"}},
		{core.OutputLogit, core.OutputMixed, []core.Unit{core.UnitLogit, core.UnitLogit, "months"}},
	} {
		read, err := core.Read(heads, core.ScaleRaw, slices.Clone(scores), c.requested)
		if err != nil || read.Output != c.output || !slices.Equal(read.Units, c.units) {
			t.Errorf("%q: %+v, %v", c.requested, read, err)
		}
		must.Equal(t, read.Values[2], scores[2], c.requested)
	}
	all.Shape.Classes++
	must.Fail(t, must.Err(core.NewGame(&headed{all, heads}, core.GameOptions{})))
}
