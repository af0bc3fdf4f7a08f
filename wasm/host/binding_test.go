package host

import (
	"testing"

	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/wasm/wire"
)

// A bag that is explained again is not encoded again, and has the same explanation.
func TestBinding(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	ask := func(c *client, model, bag int, seed uint64, without ...int) wire.Explained {
		return get[wire.Explained](c, wire.Explain{Model: model, Bag: bag,
			Methods: new([]string{"milli"}), Seed: seed, Without: without})
	}
	ask(c, model, bag, 1)
	first := c.host.bound.Load()
	must.Equal(t, first != nil, true, "nothing is bound after an explanation")
	again := ask(c, model, bag, 2)
	must.Equal(t, c.host.bound.Load(), first, "another seed encoded the bag again")
	fresh := newClient(t, nil)
	freshModel, freshBag := fresh.openTiny()
	want := ask(fresh, freshModel, freshBag, 2)
	for i := range want.Explanations {
		must.EqualSlices(t, again.Explanations[i].Scores, want.Explanations[i].Scores, i)
	}
	ask(c, model, bag, 2, 3)
	if b := c.host.bound.Load(); b == first || len(b.without) != 1 {
		t.Error("a bag without an instance is taken for the whole one")
	}
	get[wire.Done](c, wire.Release{Handle: bag})
	must.Equal(t, c.host.bound.Load() == nil, true, "a closed bag stays encoded")
}

// TestBagThatDoesNotBind has a bag with fewer features than the model takes. Every request that
// binds it says so, also one after another, and another bag is bound.
func TestBagThatDoesNotBind(t *testing.T) {
	c := newClient(t, nil)
	model, good := c.openTiny()
	set := get[wire.BagsRead](c, wire.ReadBags{Files: []wire.BagFile{{Name: "narrow.csv",
		Bytes: []byte("bag,a,b\nx,1,2\nx,3,4\n")}}})
	bag := get[wire.BagOpened](c, wire.OpenBag{Set: set.Handle}).Handle
	score := wire.ScoreCoalitions{Model: model, Bag: bag, Count: 1, Coalitions: []byte{1}}
	for range 2 {
		c.fails(kind.Bag, score)
		c.fails(kind.Bag, wire.Explain{Model: model, Bag: bag})
	}
	score.Bag, score.Coalitions = good, []byte{1, 0, 0}
	get[wire.CoalitionScores](c, score)
}
