package onnxbackend

import (
	"context"
	"testing"
)

// A model whose instances are encoded holds no more of a large bag than one block of its hidden
// layers, and the plain way takes instances from the bag itself.
func TestBlocks(t *testing.T) {
	m, err := Open(attentionModel().Bytes(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	encoderOf(m).BlockValues = 6
	bag := smallBag(20, 2)
	fitted, err := encoderOf(m).Signature.Fit(bag)
	if err != nil {
		t.Fatal(err)
	}
	f, err := encoderOf(m).Forward(context.Background(), fitted, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !f.InBlocks() || f.Whole().Bag.Len() != 3 {
		t.Fatalf("a bag of 20 went at once: %+v", f)
	}
	ev, err := m.Bind(context.Background(), bag)
	if err != nil {
		t.Fatal(err)
	}
	if b := ev.(*Bound); !evaluatorOf(b).InBlocks || b.Strategy() != "attention" {
		t.Errorf("strategy %s from the bag %v", b.Strategy(), evaluatorOf(b).Fitted.Len())
	}
}
