package prefix_test

import (
	"context"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// TestBlocks encodes a large bag in blocks: only one block of hidden layers may be held, and the
// plain strategy must read instances from the bag itself.
func TestBlocks(t *testing.T) {
	m := must.Get(onnxbackend.Open(enginetest.AttentionModel().Bytes(), onnxbackend.Options{}))(t)
	enginetest.EncoderOf(m).BlockValues = 6
	bag := enginetest.SmallBag(20, 2)
	fitted := must.Get(enginetest.EncoderOf(m).Signature.Fit(bag))(t)
	f := must.Get(enginetest.EncoderOf(m).Forward(context.Background(), fitted, nil, nil, nil))(t)
	must.Equal(t, f.InBlocks(), true, f)
	must.Equal(t, f.Whole().Bag.Len(), 3, f)
	ev := must.Get(m.Bind(context.Background(), bag))(t)
	if b := ev.(*onnxbackend.Bound); !enginetest.EvaluatorOf(b).InBlocks ||
		b.Strategy() != "attention" {
		t.Errorf("strategy %s from the bag %v", b.Strategy(),
			enginetest.EvaluatorOf(b).Fitted.Len())
	}
}
