package host

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

// A plan describes the evaluator: its strategy, and every operator on the path to the scores once.
func TestPlan(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	p := get[ask.Planned](c, wire.Plan{Model: model, Bag: bag})
	m := must.Get(onnxbackend.Open(testdata(t, "tiny.onnx"), onnxbackend.Options{}))(t)
	taken := get[wire.BagOpened](c, wire.SelectInstances{Bag: bag, Instances: []int{0, 1}})
	for _, b := range []int{bag, taken.Handle} {
		held := must.Get(c.host.bag(b))(t)
		ev := must.Get(m.Bind(t.Context(), held.bag))(t)
		bound := ev.(*onnxbackend.Bound)
		got := get[ask.Planned](c, wire.Plan{Model: model, Bag: b})
		must.Equal(t, got.Strategy, bound.Strategy())
		must.Equal(t, got.Bytes, int(bound.Bytes()))
	}
	if len(p.Once) == 0 || len(p.Each) == 0 || len(p.Meet) == 0 || len(p.Why) == 0 {
		t.Errorf("incomplete: %+v", p)
	}
	for _, op := range p.Meet {
		must.Equal(t, slices.Contains(p.Each, op), true, op)
	}
	c.fails(kind.Setting, wire.Plan{Model: bag, Bag: model})
	c.fails(kind.Setting, wire.Plan{Model: model, Bag: bag, Without: []int{99}})
}

// An explanation sends the prediction and the plan before its answer, those of Predict and Plan,
// whether or not the bag is encoded already. A function has no plan.
func TestEarly(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	for _, without := range [][]int{nil, {3, 5}} {
		r := wire.Explain{Model: model, Bag: bag, Without: without,
			Methods: new([]string{"single"}),
			Output:  "logit", Predict: true, Plan: true}
		first, again := c.send(r), c.send(r)
		want := []any{
			get[wire.Predicted](c, wire.Predict{Model: model, Bag: bag, Without: without,
				Output: "logit"}),
			get[ask.Planned](c, wire.Plan{Model: model, Bag: bag, Without: without}),
			get[wire.Explained](c, wire.Explain{Model: model, Bag: bag, Without: without,
				Methods: new([]string{"single"}), Output: "logit"}),
		}
		for _, id := range []uint32{first, again} {
			for _, want := range want {
				if got := c.next(id); !bytes.Equal(written(t, got), written(t, want)) {
					t.Errorf("without %v the message is %+v, want %+v", without, got, want)
				}
			}
		}
	}
	function, bag := c.openFunction(3)
	id := c.send(wire.Explain{Model: function, Bag: bag, Methods: new([]string{"single"}),
		Predict: true, Plan: true})
	var kinds []string
	for len(kinds) == 0 || kinds[len(kinds)-1] != "wire.Explained" {
		body := c.next(id)
		kinds = append(kinds, fmt.Sprintf("%T", body))
		if e, ok := body.(wire.EvaluateBags); ok {
			get[wire.Done](c, wire.BagScores{Request: int(id), Ticket: e.Ticket,
				Scores: make([]float64, 2*e.Count)})
		}
	}
	must.EqualSlices(t, kinds[:2], []string{"wire.EvaluateBags", "wire.Predicted"}, kinds)
	must.Equal(t, slices.Contains(kinds, "ask.Planned"), false, kinds)
}
