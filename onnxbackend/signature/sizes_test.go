package signature_test

import (
	"context"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// TestBagOfWrongSize checks the errors of bags below the least size, and of another size than the
// only one that the file takes.
func TestBagOfWrongSize(t *testing.T) {
	square := ot.Model{ // adds a constant of 7 rows
		Opset:   13,
		Inputs:  []ot.Value{ot.In("bag", "k", 4)},
		Outputs: []ot.Value{ot.In("logits", 4)},
		Initializers: []ot.Tensor{ot.F("rows", make([]float32, 28), 7, 4),
			ot.F("mix", make([]float32, 7), 1, 7)},
		Nodes: ot.Nodes(`pooled = MatMul(mix, bag)
			logits = ReduceMean<axes=[0], keepdims=0>(pooled)`),
	}
	fixed := square
	fixed.Nodes = ot.Nodes(`sum = Add(bag, rows); logits = ReduceMean<axes=[0], keepdims=0>(sum)`)
	pseudo := square // averages pseudo-bags of 4
	pseudo.Initializers = []ot.Tensor{ot.I("shape", []int64{-1, 4, 4}, 3)}
	pseudo.Nodes = ot.Nodes(`bags = Reshape(bag, shape)
		logits = ReduceMean<axes=[0, 1], keepdims=0>(bags)`)
	for _, c := range []struct {
		model ot.Model
		k     int
		want  string
	}{
		{pseudo, 3, "3 instances, and the model takes multiples of 4"},
		{pseudo, 67, "67 instances, and the model takes multiples of 4"},
		{enginetest.TopModel(4), 1,
			"1 instance, and the model takes bags of at least 4; use a larger bag"},
		{enginetest.TopModel(5), 3, "3 instances, and the model takes bags of at least 5"},
		{enginetest.TopModel(200), 100, "100 instances, and the model takes bags of at least 200"},
		{fixed, 12, "bags of 7 instances alone: the file was exported for one number of instances"},
		{square, 12,
			"bags of 7 instances alone: the file was exported for one number of instances"},
	} {
		m := enginetest.Open(t, c.model.Bytes(), onnxbackend.Options{})
		_, predicted := m.Predict(context.Background(), enginetest.SmallBag(c.k, 4))
		_, bound := m.Bind(context.Background(), enginetest.SmallBag(c.k, 4))
		for _, err := range []error{predicted, bound} {
			var small *core.BagError
			must.As(t, err, &small, c.want)
		}
	}
	ev, err := enginetest.Open(t, fixed.Bytes(), onnxbackend.Options{}).Bind(context.Background(),
		enginetest.SmallBag(7, 4))
	must.Do(t, err, ev.Task())
	must.Equal(t, ev.Task().LeastBag(), 7, ev.Task())
	must.Equal(t, strings.Contains(ev.Task().Why, "cut tables of positions"), true, ev.Task())
	of := enginetest.Open(t, pseudo.Bytes(), onnxbackend.Options{})
	for _, k := range []int{24, 20, 12} { // the first bag finds the sizes, later ones know them
		ev, err := of.Bind(context.Background(), enginetest.SmallBag(k, 4))
		if err != nil || ev.Task().Least != 4 || ev.Task().Step != 4 ||
			!strings.Contains(ev.Task().Why, "shape [5 4] cannot become [-1 4 4]") {
			t.Errorf("pseudo-bags of %d: %+v, %v", k, ev.Task(), err)
		}
	}
	ev, err = enginetest.Open(t, enginetest.TopModel(7).Bytes(), onnxbackend.Options{}).Bind(
		context.Background(), enginetest.SmallBag(7, 4))
	if err != nil || ev.Task().Least != 7 || ev.Task().Step != 0 || ev.Task().Why != "" {
		t.Errorf("a bag of the least size: %+v, %v", ev.Task(), err)
	}
}
