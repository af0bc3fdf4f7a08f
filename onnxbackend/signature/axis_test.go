package signature_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// batchedModel pools input of three axes over its middle one and gives 5 scores for each bag of a
// batch.
func batchedModel(card string, input, output []any) ot.Model {
	w := make([]float32, 6*5)
	for i := range w {
		w[i] = float32(i%7) - 3
	}
	m := ot.Model{
		Opset:        13,
		Inputs:       []ot.Value{ot.In("bag", input...)},
		Outputs:      []ot.Value{ot.In("logits", output...)},
		Initializers: []ot.Tensor{ot.F("W", w, 6, 5)},
		Nodes: ot.Nodes(`pooled = ReduceMean<axes=[1], keepdims=0>(bag)
			logits = MatMul(pooled, W)`),
	}
	if card != "" {
		m.Metadata = map[string]string{"bagscope": card}
	}
	return m
}

// TestAxisIsFoundByRuns finds the axis of the instances before any bag, whatever names the file
// gives its open axes and whatever shape it declares for the output.
func TestAxisIsFoundByRuns(t *testing.T) {
	for _, c := range []struct {
		name          string
		input, output []any
	}{
		{"letters", []any{"B", "N", 6}, []any{1, 5}},
		{"letters, output follows the batch", []any{"B", "N", 6}, []any{"B", 5}},
		{"numbered", []any{"s77", "s12", 6}, []any{1, 5}},
		{"numbered alike", []any{"s77", "s12", 6}, []any{"s77", 5}},
		{"unnamed", []any{"", "", 6}, []any{"", 5}},
		{"misnamed", []any{"instances", "batch", 6}, []any{1, 5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := batchedModel("", c.input, c.output).Bytes()
			m := enginetest.Open(t, data, onnxbackend.Options{})
			if i := m.Info(); i.InstanceAxis != 1 ||
				!strings.Contains(strings.Join(i.Notes, " "), "axis 1 holds the instances") {
				t.Errorf("axis %d, notes %q", i.InstanceAxis, i.Notes)
			}
			bag := enginetest.SmallBag(4, 6)
			p := must.Get(m.Predict(context.Background(), bag))(t)
			must.Equal(t, len(p.Scores), 5)
			enginetest.CheckStrategyEqualsPlain(t, enginetest.Bind(t, m, bag, nil), data, bag)
		})
	}
}

// TestAxisOfFirstBag has scores of the first bag of a batch: their shape and values do not depend
// on the length of the batch.
func TestAxisOfFirstBag(t *testing.T) {
	m := batchedModel("", []any{"a", "b", 6}, []any{5})
	m.Initializers = append(m.Initializers, ot.I("zero", []int64{0}))
	m.Nodes[1].Out[0] = "all"
	m.Nodes = append(m.Nodes, enginetest.Binary("Gather", "all", "zero", "logits"))
	must.Equal(t, enginetest.Open(t, m.Bytes(), onnxbackend.Options{}).Info().InstanceAxis, 1)
}

// TestAxisBehindChannels has a sequence of channels, with the instances last, behind an open batch.
func TestAxisBehindChannels(t *testing.T) {
	m := batchedModel("", []any{"B", 6, "T"}, []any{"B", 5})
	m.Nodes[0] = ot.N("ReduceMean", []string{"bag"}, []string{"pooled"}, ot.Ints("axes", 2),
		ot.Int("keepdims", 0))
	o := enginetest.Open(t, m.Bytes(), onnxbackend.Options{})
	must.Equal(t, o.Info().InstanceAxis, 2)
	bag := enginetest.SmallBag(7, 6)
	enginetest.CheckStrategyEqualsPlain(t, enginetest.Bind(t, o, bag, nil), m.Bytes(), bag)
}

// TestAxisErrorsNameCardKey opens files that contradict their graph or card: the error must name
// the key that helps.
func TestAxisErrorsNameCardKey(t *testing.T) {
	for _, c := range []struct {
		name  string
		model ot.Model
		want  []string
	}{
		{"card names the batch", batchedModel(`{"instance_axis": 0}`, []any{"B", "N", 6},
			[]any{1, 5}), []string{"declares 5 scores", "shape [4 5]", `"instance_axis": 1`}},
		{"card names the batch, output follows it",
			batchedModel(`{"instance_axis": 0}`, []any{"B", "N", 6}, []any{"B", 5}),
			[]string{"whatever the number of instances along axis 0", `"instance_axis": 1`}},
		{"bags of one size", batchedModel("", []any{"B", 50, 6}, []any{"B", 5}),
			[]string{"exported for one number of instances, 50", "axis 1 dynamic"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, err := onnxbackend.Open(c.model.Bytes(), onnxbackend.Options{})
			shape := []int{1, 6}
			if c.name == "bags of one size" {
				shape = []int{50, 6}
			}
			bound := err
			if o != nil {
				_, err = o.Predict(context.Background(), enginetest.ShapedBag(4, shape...))
				_, bound = o.Bind(context.Background(), enginetest.ShapedBag(4, shape...))
			}
			var gap *onnxbackend.UnsupportedError
			for _, err := range []error{err, bound} {
				if !errors.As(err, &gap) {
					t.Errorf("%s: %v", c.name, err)
					continue
				}
				for _, want := range c.want {
					must.Fail(t, err, want)
				}
			}
		})
	}
	var gap *onnxbackend.UnsupportedError
	_, err := onnxbackend.Open(batchedModel("", []any{1, 50, 6}, []any{1, 5}).Bytes(),
		onnxbackend.Options{})
	must.As(t, err, &gap, "exported for one number of instances")
}

// TestAxisOfPicturesInBatches has pictures behind an open batch: height and width keep the shape of
// the scores as the instances do, and must not be taken for them.
func TestAxisOfPicturesInBatches(t *testing.T) {
	m := batchedModel("", []any{"B", "N", 6, "H", "W"}, []any{"B", 5})
	m.Nodes[0] = ot.N("ReduceMean", []string{"bag"}, []string{"pooled"}, ot.Ints("axes", 1, 3, 4),
		ot.Int("keepdims", 0))
	o := enginetest.Open(t, m.Bytes(), onnxbackend.Options{})
	must.Equal(t, o.Info().InstanceAxis, 1)
	must.Equal(t, len(must.Get(o.Predict(context.Background(), enginetest.ShapedBag(4, 6, 3,
		2)))(t).Scores), 5)
}
