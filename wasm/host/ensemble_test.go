package host

import (
	"testing"

	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/wasm/wire"
)

// TestEnsemble opens a model twice as one, whose answers are those of the model.
func TestEnsemble(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	other, _ := c.openTiny()
	both := get[wire.ModelOpened](c, wire.OpenEnsemble{Models: []int{model, other}})
	must.Equal(t, len(both.Info.Folds), 2)
	for _, r := range []wire.Explain{
		{Methods: new([]string{"one_removed"}), Trace: true},
		{Methods: new([]string{"one_removed"}), Without: []int{2}},
		{Methods: new([]string{"consensus"})},
	} {
		r.Model, r.Bag = model, bag
		want := get[wire.Explained](c, r)
		r.Model = both.Handle
		got := get[wire.Explained](c, r)
		must.Equal(t, len(got.Folds), 2)
		must.EqualSlices(t, got.Folds[1].Prediction, want.Prediction)
		must.EqualSlices(t, got.Coalitions, want.Coalitions)
		if (*r.Methods)[0] == "one_removed" {
			must.Equal(t, got.Evaluations, want.Evaluations)
		}
		for n, e := range got.Explanations {
			must.EqualSlices(t, e.Scores, want.Explanations[n].Scores)
			must.EqualSlices(t, e.Folds.Scores[1], want.Explanations[n].Scores)
		}
	}
	p := get[wire.Predicted](c, wire.Predict{Model: both.Handle, Bag: bag})
	must.EqualSlices(t, p.Read.Values,
		get[wire.Predicted](c, wire.Predict{Model: model, Bag: bag}).Read.Values)
	must.Equal(t, len(p.Folds), 2)
	c.fails(kind.Unavailable, wire.Plan{Model: both.Handle, Bag: bag})
	c.fails(kind.Setting, wire.OpenEnsemble{Models: []int{model, bag}})
	c.fails(kind.Setting, wire.OpenEnsemble{Models: []int{model, other}, Mean: "x"})
	c.fails(kind.Unavailable, wire.OpenEnsemble{Models: []int{model, both.Handle}})
}

// TestModelsOfEnsembleShareEncodings explains a bag by an ensemble and by each of its models, which
// encode the bag once.
func TestModelsOfEnsembleShareEncodings(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	other, _ := c.openTiny()
	both := get[wire.ModelOpened](c, wire.OpenEnsemble{Models: []int{model, other}}).Handle
	explain := func(model int) *binding {
		get[wire.Explained](c, wire.Explain{Model: model, Bag: bag})
		return c.host.bound.Load()
	}
	alone := explain(other)
	together := explain(both)
	must.Equal(t, together.folds[1], alone.folds[0])
	for _, m := range []int{model, other, both} {
		must.EqualSlices(t, explain(m).folds, together.folds)
		must.Equal(t, c.host.encoded(m, bag), true)
	}
	get[wire.Explained](c, wire.Explain{Model: other, Bag: bag, Without: []int{0}})
	must.Equal(t, c.host.encoded(both, bag), false)
}
