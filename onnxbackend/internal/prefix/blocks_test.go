package prefix_test

import (
	"context"
	"testing"

	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// TestBlocks encodes a large bag in blocks: only one block of hidden layers may be held, and the
// plain strategy must read instances from the bag itself.
func TestBlocks(t *testing.T) {
	m, err := onnxbackend.Open(enginetest.AttentionModel().Bytes(), onnxbackend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	enginetest.EncoderOf(m).BlockValues = 6
	bag := enginetest.SmallBag(20, 2)
	fitted, err := enginetest.EncoderOf(m).Signature.Fit(bag)
	if err != nil {
		t.Fatal(err)
	}
	f, err := enginetest.EncoderOf(m).Forward(context.Background(), fitted, nil, nil, nil)
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
	if b := ev.(*onnxbackend.Bound); !enginetest.EvaluatorOf(b).InBlocks ||
		b.Strategy() != "attention" {
		t.Errorf("strategy %s from the bag %v", b.Strategy(),
			enginetest.EvaluatorOf(b).Fitted.Len())
	}
}
