package host

import (
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/wasm/wire"
)

// A plan describes the evaluator: its strategy, and every operator on the path to the scores once.
func TestPlan(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	p := get[wire.Planned](c, wire.Plan{Model: model, Bag: bag})
	m, err := onnxbackend.Open(testdata(t, "tiny.onnx"), onnxbackend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	taken := get[wire.BagOpened](c, wire.SelectInstances{Bag: bag, Instances: []int{0, 1}})
	for _, b := range []int{bag, taken.Handle} {
		held, err := c.host.bag(b)
		if err != nil {
			t.Fatal(err)
		}
		ev, err := m.Bind(t.Context(), held.bag)
		if err != nil {
			t.Fatal(err)
		}
		bound := ev.(*onnxbackend.Bound)
		got := get[wire.Planned](c, wire.Plan{Model: model, Bag: b})
		if got.Strategy != bound.Strategy() || got.Bytes != int(bound.Bytes()) {
			t.Errorf("%s of %d bytes, want %s of %d", got.Strategy, got.Bytes, bound.Strategy(),
				bound.Bytes())
		}
	}
	if len(p.Once) == 0 || len(p.Each) == 0 || len(p.Meet) == 0 || len(p.Why) == 0 {
		t.Errorf("incomplete: %+v", p)
	}
	for _, op := range p.Meet {
		if !slices.Contains(p.Each, op) {
			t.Errorf("instances meet at %s, which runs for no coalition", op)
		}
	}
	c.fails(kind.Setting, wire.Plan{Model: bag, Bag: model})
	c.fails(kind.Setting, wire.Plan{Model: model, Bag: bag, Without: []int{99}})
}
