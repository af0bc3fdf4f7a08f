package study

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"

	"github.com/bagscope/bagscope/core"
)

// An oracle is a model that reads the labels of the instances: its score of a class is how many of
// them support the class less how many refute it. It counts the bags it was bound to.
type oracle struct {
	truth []core.Truth
	scale core.Scale
	bound atomic.Int32
	bind  func(n int32) // called with that count, or nil
}

func (m *oracle) Info() core.ModelInfo {
	return core.ModelInfo{Classes: make([]string, len(m.truth))}
}

func (m *oracle) Bind(_ context.Context, bag *core.Bag) (core.Evaluator, error) {
	n := m.bound.Add(1)
	if m.bind != nil {
		m.bind(n)
	}
	return &boundOracle{m.truth, cmp.Or(m.scale, core.ScaleLogits), bag.Labels}, nil
}

type boundOracle struct {
	truth  []core.Truth
	scale  core.Scale
	labels []int
}

func (k *boundOracle) Task() core.Task {
	task := core.Task{Instances: len(k.labels), Classes: len(k.truth), Scale: k.scale}
	if task.Classes == 1 {
		task.Negative = -1
	}
	return task
}

func (k *boundOracle) Evaluate(_ context.Context, dst []float64, z *core.Coalitions) error {
	for j := range z.Len() {
		for c, t := range k.truth {
			v := 0.
			for _, i := range z.Members(nil, j) {
				if slices.Contains(t.Support, k.labels[i]) {
					v++
				} else if slices.Contains(t.Refute, k.labels[i]) {
					v--
				}
			}
			dst[j*len(k.truth)+c] = v / 4
		}
	}
	return nil
}
