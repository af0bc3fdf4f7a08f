package host

import (
	"slices"
	"testing"

	"github.com/bagscope/bagscope/wasm/wire"
)

// A bag that is explained again is not encoded again, and has the same explanation.
func TestBinding(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	ask := func(c *client, model, bag int, seed uint64, without ...int) wire.Explained {
		return get[wire.Explained](c, wire.Explain{Model: model, Bag: bag,
			Methods: []string{"milli"}, Seed: seed, Without: without})
	}
	ask(c, model, bag, 1)
	first := c.host.bound.Load()
	if first == nil {
		t.Fatal("nothing is bound after an explanation")
	}
	again := ask(c, model, bag, 2)
	if c.host.bound.Load() != first {
		t.Error("another seed encoded the bag again")
	}
	fresh := newClient(t, nil)
	freshModel, freshBag := fresh.openTiny()
	want := ask(fresh, freshModel, freshBag, 2)
	for i := range want.Explanations {
		if !slices.Equal(again.Explanations[i].Scores, want.Explanations[i].Scores) {
			t.Errorf("explanation %d is %v, and on a bag just encoded %v", i,
				again.Explanations[i].Scores, want.Explanations[i].Scores)
		}
	}
	ask(c, model, bag, 2, 3)
	if b := c.host.bound.Load(); b == first || len(b.without) != 1 {
		t.Error("a bag without an instance is taken for the whole one")
	}
	get[wire.Done](c, wire.Release{Handle: bag})
	if c.host.bound.Load() != nil {
		t.Error("a closed bag stays encoded")
	}
}
