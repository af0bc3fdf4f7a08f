package onnxbackend_test

import (
	"context"
	"math"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/whatif"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// boundOnly hides that a Bound can be extended, so that each changed bag is bound.
type boundOnly struct {
	core.Evaluator
	core.HeadsEvaluator
	core.NeighbourEvaluator
}

// Maps of changed instances that are encoded alone equal those of whole bags that are encoded
// again.
func TestInsideEqualsBoundBags(t *testing.T) {
	for _, trained := range enginetest.TrainedModels {
		t.Run(trained.Name, func(t *testing.T) {
			m := trained.Open(t, onnxbackend.Options{})
			bag := enginetest.SetBag(t, trained.Bags(t), 0).Select([]int{0, 1, 2, 3, 4, 5, 6, 7})
			b := enginetest.Bind(t, m, bag, nil)
			q := whatif.InsideQuestion{Class: 1, Instance: 3, Cell: 7, Samples: 60}
			fast := insideOf(t, b, m, bag, q)
			must.Equal(t, len(fast.Notes) <= 0, true, fast.Notes)
			slow := insideOf(t, boundOnly{b, b, b}, m, bag, q)
			must.Equal(t, len(slow.Notes), 1, slow.Notes)
			// Float32 sums run in another order, and log-odds near 1 amplify it.
			enginetest.CheckNear(t, "score", fast.Scores, slow.Scores, 1e-3)
			enginetest.CheckNear(t, "standard error", fast.StdErr, slow.StdErr, 1e-3)
			enginetest.CheckNear(t, "Without", fast.Without, slow.Without, 1e-4)
		})
	}
}

// A cell that hides nothing has no effect: its score is evident as seldom as tests at 5 % allow.
func TestInsideOfBlankCells(t *testing.T) {
	trained := enginetest.TrainedModels[0]
	m := trained.Open(t, onnxbackend.Options{})
	bag := enginetest.SetBag(t, trained.Bags(t), 0)
	b := enginetest.Bind(t, m, bag, nil)
	blank, evident, strongest := 0, 0, 0
	for i := range 8 {
		in := insideOf(t, b, m, bag, whatif.InsideQuestion{Class: 3, Instance: i,
			Hidden: whatif.HiddenZero})
		ink := make([]bool, in.Grid.Cells())
		for at, v := range bag.Instance(i) {
			if v > 0 {
				ink[in.Grid.At(at%28, at/28)] = true
			}
		}
		top := 0
		for cell, inked := range ink {
			if math.Abs(in.Scores[cell]) > math.Abs(in.Scores[top]) {
				top = cell
			}
			if !inked {
				blank++
				if in.Evident[cell] {
					evident++
				}
			}
		}
		if ink[top] {
			strongest++
		}
	}
	must.Equal(t, blank >= 200, true, evident, blank)
	must.Equal(t, float64(evident) <= .08*float64(blank), true, evident, blank)
	must.Equal(t, strongest >= 8, true, strongest)
}

// insideOf returns the map of an instance.
func insideOf(
	t *testing.T, ev core.Evaluator, m core.Model, bag *core.Bag, q whatif.InsideQuestion,
) *whatif.InsideMap {
	t.Helper()
	g := must.Get(core.NewGame(ev, core.GameOptions{Seed: 1}))(t)
	return must.Get(q.Answer(context.Background(), g, m, bag))(t)
}
