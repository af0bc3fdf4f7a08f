package onnxbackend_test

import (
	"context"
	"errors"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// The evaluator of an extended bag has the scores of the joined bag, bound at once.
func TestExtendEqualsBind(t *testing.T) {
	enginetest.EachZooBag(t, func(
		t *testing.T, m *onnxbackend.Model, _, _ string, bag *core.Bag,
	) {
		checkExtended(t, m, bag, 3)
	})
	for _, trained := range enginetest.TrainedModels {
		t.Run(trained.Name, func(t *testing.T) {
			m := trained.Open(t, onnxbackend.Options{})
			checkExtended(t, m, enginetest.SetBag(t, trained.Bags(t), 0), 40)
		})
	}
}

// checkExtended compares the extension of a bag by n of its instances, in reverse order, with the
// joined bag. Both are skipped where the model takes no such bag.
func checkExtended(t *testing.T, m *onnxbackend.Model, bag *core.Bag, n int) {
	t.Helper()
	n = min(n, bag.Len())
	last := make([]int, n)
	for i := range last {
		last[i] = bag.Len() - 1 - i
	}
	more := bag.Select(last)
	joined := must.Get(bag.With(more))(t)
	want, err := m.Bind(context.Background(), joined)
	ev, wrong := enginetest.Bind(t, m, bag, nil).Extend(context.Background(), more)
	if err != nil || wrong != nil {
		must.Equal(t, err == nil, wrong == nil, wrong)
		return
	}
	z := enginetest.RandomCoalitions(joined.Len(), 20)
	task := want.Task()
	x, y := make([]float64, 20*task.Classes), make([]float64, 20*task.Classes)
	err = want.Evaluate(context.Background(), y, z)
	wrong = ev.Evaluate(context.Background(), x, z)
	if err != nil || wrong != nil {
		must.Equal(t, err == nil, wrong == nil, wrong)
		return
	}
	// Sums of float32 numbers run in another order if the bag is encoded in other blocks.
	enginetest.CheckNear(t, "score", x, y, 1e-5)
	if got, want := ev.(*onnxbackend.Bound).Strategy(),
		want.(*onnxbackend.Bound).Strategy(); got != want {
		t.Errorf("the extended bag is evaluated by %s, want %s", got, want)
	}
}

// The instances of the bag are not encoded again.
func TestExtendEncodesTheOthersOnly(t *testing.T) {
	m := enginetest.TrainedModels[0].Open(t, onnxbackend.Options{})
	bag := enginetest.SetBag(t, enginetest.DigitBags(t), 0)
	bound := enginetest.Bind(t, m, bag, nil)
	clear(bag.Values) // what Extend reads of them would change the scores
	ev := must.Get(bound.Extend(context.Background(), bag.Select([]int{0, 1})))(t)
	z := core.NewCoalitions(bag.Len()+2, 1)
	z.AppendWithout(bag.Len(), bag.Len()+1)
	got, want := make([]float64, ev.Task().Classes), make([]float64, ev.Task().Classes)
	full := core.NewCoalitions(bag.Len(), 1)
	full.AppendWithout()
	must.Do(t, errors.Join(ev.Evaluate(context.Background(), got, z),
		bound.Evaluate(context.Background(), want, full)))
	enginetest.CheckNear(t, "score", got, want, 1e-5)
}

// Instances of another shape are refused as bags of another shape are.
func TestExtendRefusesOtherShapes(t *testing.T) {
	m := enginetest.TrainedModels[0].Open(t, onnxbackend.Options{})
	bag := enginetest.SetBag(t, enginetest.DigitBags(t), 0)
	bound := enginetest.Bind(t, m, bag, nil)
	var refused *core.BagError
	must.As(t, must.Err(bound.Extend(context.Background(), enginetest.SmallBag(2, 3))), &refused)
}
