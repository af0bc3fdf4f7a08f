package onnxbackend

import (
	"context"
	"testing"
)

// What is estimated before binding reaches for what the bound bag holds, whether it went in blocks or at once, and
// grows with the bag by as much an instance.
func TestNeeds(t *testing.T) {
	m, err := Open(attentionModel().Bytes(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	m.block = 8
	var before, step int64
	for _, k := range []int{100, 200, 300, 400} {
		bag := smallBag(k, 2)
		need, err := m.Needs(context.Background(), bag)
		if err != nil {
			t.Fatal(err)
		}
		ev, err := m.Bind(context.Background(), bag)
		if err != nil {
			t.Fatal(err)
		}
		if held := ev.(*Bound).Bytes(); held <= int64(4*len(bag.Values)) || need < held {
			t.Errorf("k=%d: %d bytes are estimated and %d held", k, need, held)
		}
		if k > 200 && need-before != step {
			t.Errorf("k=%d: %d more than before, and %d the time before", k, need-before, step)
		}
		before, step = need, need-before
	}
}
