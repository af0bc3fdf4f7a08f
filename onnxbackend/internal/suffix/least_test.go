package suffix_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// spreadModel divides by the deviation of the instances, which is 0/0 for one.
func spreadModel() ot.Model {
	m := ot.Model{
		Opset:        13,
		Inputs:       []ot.Value{ot.In("bag", "k", 4)},
		Outputs:      []ot.Value{ot.In("logits", 4)},
		Initializers: []ot.Tensor{ot.I("axis0", []int64{0}, 1)},
		Nodes: ot.Nodes(`mean = ReduceMean<axes=[0]>(bag); off = Sub(bag, mean)
			square = Mul(off, off); sum = ReduceSum<keepdims=0>(square, axis0)
			deviation = Sqrt(sum); high = ReduceMax<axes=[0], keepdims=0>(off)
			logits = Div(high, deviation)`),
	}
	return m
}

// TestLeastBagIsFound finds the number of instances that the graph needs, under every strategy.
// Every method that can explain such a bag must do so.
func TestLeastBagIsFound(t *testing.T) {
	for _, c := range []struct {
		name  string
		model ot.Model
		k     int
		want  int
	}{
		{"one", enginetest.ScoreModel("", 3, enginetest.Unary("Identity", "l", "scores")), 9, 1},
		{"top 2", enginetest.TopModel(2), 9, 2}, {"top 5", enginetest.TopModel(5), 12, 5},
		{"top 50", enginetest.TopModel(50), 60, 50}, {"top 9 of 9", enginetest.TopModel(9), 9, 9},
		{"deviation", spreadModel(), 7, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, plain := range []bool{false, true} {
				m := enginetest.Open(t, c.model.Bytes(), onnxbackend.Options{Plain: plain})
				ev := must.Get(m.Bind(context.Background(), enginetest.SmallBag(c.k, 4)))(t)
				must.Equal(t, ev.Task().LeastBag(), c.want, c.name, plain)
				for _, row := range methods.All() {
					if row.Name == "inherent" {
						continue
					}
					report, err := core.Explain(context.Background(), ev,
						core.Request{Methods: []core.Method{row.New(methods.Options{})}})
					var missing *core.UnavailableError
					if c.want == c.k || c.want > 1 && row.Name == "shapley" {
						if !errors.As(err, &missing) {
							t.Errorf("%s, %s: %v", c.name, row.Name, err)
						}
						continue
					}
					if err != nil {
						t.Errorf("%s, plain %v, %s: %v", c.name, plain, row.Name, err)
					} else if notes := strings.Join(report.Notes, " "); strings.Contains(notes,
						"bags of at least") != (c.want > 1) {
						t.Errorf("%s, %s: notes %q", c.name, row.Name, notes)
					}
				}
			}
		})
	}
}

// TestRareSelectionIsNoSize finds that a model takes single instances which has an answer for one
// of 40 alone, and explains it.
func TestRareSelectionIsNoSize(t *testing.T) {
	for chosen := range 4 {
		bag := enginetest.SmallBag(40, 4)
		for i := range 40 {
			bag.Values[4*i] = 0
		}
		for i := range 3 {
			bag.Values[4*(7*chosen+5*i)] = 1
		}
		ev := must.Get(enginetest.Open(t, weightedModel().Bytes(), onnxbackend.Options{}).Bind(
			t.Context(), bag))(t)
		must.Equal(t, ev.Task().LeastBag(), 1)
		report := must.Get(core.Explain(t.Context(), ev,
			core.Request{Methods: []core.Method{methods.RandomSHAP{}}}))(t)
		notes := strings.Join(report.Explanations[0].Notes, " ")
		must.Contain(t, notes, "coalitions have no answer")
	}
}

// weightedModel returns a mean weighted by the first feature, which is 0/0 where that is 0.
func weightedModel() ot.Model {
	return ot.Model{
		Opset:   13,
		Inputs:  []ot.Value{ot.In("bag", "k", 4)},
		Outputs: []ot.Value{ot.In("logits", 4)},
		Initializers: []ot.Tensor{ot.I("axis0", []int64{0}, 1), ot.I("axis1", []int64{1}, 1),
			ot.I("i0", []int64{0}, 1)},
		Nodes: ot.Nodes(`gate = Gather<axis=1>(bag, i0); gated = Mul(gate, bag)
			sum = ReduceSum<keepdims=0>(gated, axis0); weight = ReduceSum<keepdims=0>(gate, axis0)
			logits = Div(sum, weight)`),
	}
}

// TestOneInstanceIsNaN explains a model that is NaN for single instances: methods leave those
// without a score.
func TestOneInstanceIsNaN(t *testing.T) {
	m := weightedModel()
	bag := enginetest.SmallBag(6, 4)
	for i := range 6 {
		bag.Values[4*i] = float32(math.Abs(float64(bag.Values[4*i]))) + 1
	}
	bag.Values[4*3] = 0
	model := enginetest.Open(t, m.Bytes(), onnxbackend.Options{})
	ev := must.Get(model.Bind(context.Background(), bag))(t)
	must.Equal(t, ev.Task().LeastBag(), 1)
	e := must.Get(core.Explain(context.Background(), ev,
		core.Request{Methods: []core.Method{methods.Single{}}}))(t).Explanations[0]
	for i := range 6 {
		must.Equal(t, math.IsInf(e.StdErr[i], 1), i == 3, i)
	}
	must.Equal(t, strings.Contains(strings.Join(e.Notes, " "), "1 of 6 instances have no score"),
		true, e.Notes)
	must.Get(core.Explain(context.Background(), ev,
		core.Request{Methods: []core.Method{methods.OneRemoved{}}}))(t)
}
