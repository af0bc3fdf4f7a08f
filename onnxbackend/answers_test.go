package onnxbackend_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/internal/must"
	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// A knownAnswer is what testdata/answers/export.py computes from PyTorch's outputs: what is read of
// a bag, and for each class of the reading the exact Shapley values, One Removed and its AOPC.
type knownAnswer struct {
	Values  []float32
	Read    []float64
	Shapley [][]float64
	Removed [][]float64
	AOPC    []float64
}

// answersTolerance is relative to the largest number: PyTorch computes in float32.
const answersTolerance = 2e-6

// eachAnswer opens each model of testdata/answers.
func eachAnswer(t *testing.T, f func(t *testing.T, name string, m *Model, bag *core.Bag,
	want knownAnswer)) {
	data := must.Get(os.ReadFile("testdata/answers/answers.json"))(t)
	var all map[string]knownAnswer
	must.Do(t, json.Unmarshal(data, &all))
	must.Equal(t, len(all), 5)
	for name, want := range all {
		t.Run(name, func(t *testing.T) {
			model := must.Get(os.ReadFile("testdata/answers/" + name + ".onnx"))(t)
			bag := &core.Bag{Name: name, Shape: []int{4}, Values: want.Values}
			f(t, name, enginetest.Open(t, model, Options{}), bag, want)
		})
	}
}

// TestAnswersAreThoseOfTheirDefinition compares predictions and explanations with numbers that
// were computed over all coalitions by the definitions of METHODS section 6.
func TestAnswersAreThoseOfTheirDefinition(t *testing.T) {
	ctx := context.Background()
	eachAnswer(t, func(t *testing.T, _ string, m *Model, bag *core.Bag, want knownAnswer) {
		p := must.Get(m.Predict(ctx, bag))(t)
		read := must.Get(core.Read(p.Heads, p.Scale, slices.Clone(p.Scores), ""))(t)
		enginetest.CheckNear(t, "predicted", read.Values, want.Read, answersTolerance)
		var alike *Prediction
		predicted := func(p *Prediction) error { alike = p; return nil }
		ev := must.Get(m.BindPredicted(ctx, bag, nil, nil, predicted))(t)
		if !reflect.DeepEqual(alike, p) {
			t.Errorf("bound, the bag is predicted as %+v, want %+v", alike, p)
		}
		report := must.Get(core.Explain(ctx, ev,
			core.Request{Methods: []core.Method{methods.OneRemoved{},
				methods.RandomSHAP{Sampling: methods.Sampling{Samples: 100},
					Efficiency: methods.EmptyZero}}}))(t)
		enginetest.CheckNear(t, "explained", report.Prediction, want.Read, answersTolerance)
		must.EqualSlices(t, report.Units, read.Units)
		classes := len(want.Read)
		for c := range classes {
			removed, shap := report.Explanations[c], report.Explanations[classes+c]
			checkScores(t, removed.Scores, want.Removed[c], want.Read[c])
			checkScores(t, shap.Scores, want.Shapley[c], want.Read[c])
			if u := report.Units[c]; removed.Unit != u || shap.Unit != u {
				t.Errorf("class %d: units %q and %q, want %q", c, removed.Unit, shap.Unit, u)
			}
			checkDrop(t, ev, removed.Scores, c, want)
		}
	})
}

// checkScores compares scores, whose rounding errors are those of values as large as the reading.
func checkScores(t *testing.T, got, want []float64, read float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 2e-5*max(1, math.Abs(read))) {
			t.Errorf("scores %.7g, want %.7g", got, want)
			return
		}
	}
}

// checkDrop compares the AOPC of an order, in the unit of the reading.
func checkDrop(t *testing.T, ev core.Evaluator, scores []float64, class int, want knownAnswer) {
	t.Helper()
	g := must.Get(core.NewGame(ev, core.GameOptions{}))(t)
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	// The script sorts in the same way. No two scores are equal.
	slices.SortFunc(order, func(i, j int) int {
		if scores[i] > scores[j] {
			return -1
		}
		return 1
	})
	curve := must.Get(metric.Removal(context.Background(), g, order))(t)
	var of []float64
	for at := class; at < len(curve); at += len(want.Read) {
		of = append(of, curve[at])
	}
	got, _ := metric.AOPC(of, false)
	must.Equal(t, math.Abs(got-want.AOPC[class]) <= 2e-5*max(1, math.Abs(want.Read[class])), true,
		class, got, want.AOPC[class])
}

// TestAnswersKeepTheirStrategy checks that heads do not change how coalitions are evaluated, and
// that pooled coalitions have the values of single ones.
func TestAnswersKeepTheirStrategy(t *testing.T) {
	ctx := context.Background()
	eachAnswer(t, func(t *testing.T, name string, m *Model, bag *core.Bag, _ knownAnswer) {
		ev := must.Get(m.Bind(ctx, bag))(t)
		b := ev.(*Bound)
		must.Equal(t, b.Strategy(), map[bool]string{true: "sum",
			false: "attention"}[name == "hazards_linear"])
		k, classes := bag.Len(), b.Task().Classes
		z := []uint64{0b101101}
		all := make([]float64, (k+1)*classes)
		must.Do(t, b.EvaluateNeighbours(ctx, all, z))
		one := make([]float64, len(all))
		must.Do(t, b.Evaluate(ctx, one, core.NeighbourCoalitions(k, z)))
		enginetest.CheckNear(t, "neighbours", all, one, 1e-5)
		alone, few := make([]float64, k*classes), make([]float64, k*classes)
		must.Do(t, b.EvaluateInstances(ctx, alone, false, 0, k))
		must.Do(t, b.Evaluate(ctx, few, core.InstanceCoalitions(k, false, 0, k)))
		enginetest.CheckNear(t, "instances", alone, few, 1e-5)
	})
}

// TestSurvivalCurve checks the curve of a model of constant hazards by hand.
func TestSurvivalCurve(t *testing.T) {
	eachAnswer(t, func(t *testing.T, name string, m *Model, bag *core.Bag, want knownAnswer) {
		p := must.Get(m.Predict(context.Background(), bag))(t)
		if hazards := name == "heads" || strings.HasPrefix(name, "hazards"); !hazards {
			if p.Curves != nil {
				t.Errorf("it has the curves %v", p.Curves)
			}
			return
		}
		c, area := p.Curves[0], 0.0
		for j, s := range c.Survival[1:] {
			area += (c.Edges[j+1] - c.Edges[j]) * (c.Survival[j] + s) / 2
			if s > c.Survival[j] {
				t.Errorf("survival rises: %v", c.Survival)
			}
		}
		at := slices.Index(p.Classes, c.Class)
		if !(math.Abs(area-want.Read[at]) <= 1e-4) || c.Unit != "months" || c.Survival[0] != 1 {
			t.Errorf("%+v has the area %g, want %g", c, area, want.Read[at])
		}
	})
}
