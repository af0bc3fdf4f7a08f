package suffix_test

import (
	"context"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// TestWork counts the work behind a convolution over neighbouring instances, by which coalitions
// run by themselves.
func TestWork(t *testing.T) {
	m := ot.Model{
		Opset: 13, Inputs: []ot.Value{ot.In("bag", "k", 2)},
		Outputs: []ot.Value{ot.In("logits", 1, 2)},
		Nodes: ot.Nodes(`columns = Transpose(bag); batch = Unsqueeze(columns, axis)
			h = Conv<pads=[1, 1]>(batch, W); pool = ReduceMax<axes=[2], keepdims=0>(h)
			logits = MatMul(pool, V)`),
		Initializers: []ot.Tensor{ot.I("axis", []int64{0}, 1),
			ot.F("W", slices.Repeat([]float32{1, -2, 3}, 6), 3, 2, 3),
			ot.F("V", []float32{1, 2, 3, 4, 5, 6}, 3, 2)},
	}
	b := enginetest.OpenAndBind(t, m.Bytes(), onnxbackend.Options{}, enginetest.SmallBag(9, 2))
	w, err := b.Work(context.Background())
	must.Do(t, err, w)
	must.Equal(t, w != nil, true, w)
	units, sum := map[string]int{}, 0
	for i, o := range w.Operators {
		if i > 0 && o.Units > w.Operators[i-1].Units {
			t.Errorf("operators are not in order: %+v", w.Operators)
		}
		units[o.Op] = o.Units
		sum += o.Units
	}
	// Half of 9 instances are 5. A convolution also counts the elements that it copies.
	if w.Instances != 5 || units["MatMul"] != 3*2 || units["Conv"] < 5*3*2*3 ||
		units["Conv"] > 3*5*3*2*3 || sum != w.Units {
		t.Errorf("%+v", w)
	}
}

// TestWorkOfPooledCoalitions checks that there is none: pooled coalitions do not run by themselves.
func TestWorkOfPooledCoalitions(t *testing.T) {
	b := enginetest.OpenAndBind(t, enginetest.AttentionModel().Bytes(), onnxbackend.Options{},
		enginetest.SmallBag(9, 2))
	if w, err := b.Work(context.Background()); w != nil || err != nil {
		t.Errorf("%+v, %v", w, err)
	}
}
