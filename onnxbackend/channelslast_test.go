package onnxbackend_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// lastEncoder is pictureEncoder with its channels last, as Keras exports it: the graph centres the
// pixels, then transposes them. first is its twin with channels first.
func lastEncoder(first bool) ot.Model {
	m := pictureEncoder("n")
	m.Nodes[0].In[0] = "turned"
	m.Initializers = append(m.Initializers, ot.F("mean", []float32{100, 120, 90}, 3),
		ot.F("means", []float32{100, 120, 90}, 3, 1, 1))
	if first {
		m.Nodes = slices.Insert(m.Nodes, 0, enginetest.Binary("Sub", "pictures", "means", "turned"))
		return m
	}
	m.Inputs[0] = ot.In("pictures", "n", 4, 4, 3)
	m.Nodes = slices.Insert(m.Nodes, 0, enginetest.Binary("Sub", "pictures", "mean", "centred"),
		ot.N("Transpose", []string{"centred"}, []string{"turned"}, ot.Ints("perm", 0, 3, 1, 2)))
	return m
}

// pooledPictures is lastEncoder with the mean of the features over the bag as scores.
func pooledPictures(first bool) ot.Model {
	m := lastEncoder(first)
	m.Outputs = []ot.Value{ot.In("scores", 2)}
	m.Nodes = append(m.Nodes, ot.Nodes(`scores = ReduceMean<axes=[0], keepdims=0>(features)`)...)
	return m
}

// withChannelsLast returns a copy of smallPictures with their channels last.
func withChannelsLast(bag *core.Bag) *core.Bag {
	out := &core.Bag{Name: bag.Name, Raw: true, Shape: []int{4, 4, 3}}
	for i := range bag.Len() {
		for p := range 16 {
			for c := range 3 {
				out.Values = append(out.Values, bag.Instance(i)[c*16+p])
			}
		}
	}
	return out
}

// TestChannelsLast compares a model and an encoder of pictures with channels last with their twins
// with channels first, and gives the model bags in both layouts.
func TestChannelsLast(t *testing.T) {
	ctx, bag := context.Background(), smallPictures(5)
	last := pooledPictures(false).Bytes()
	m := enginetest.Open(t, last, onnxbackend.Options{})
	twin := enginetest.Open(t, pooledPictures(true).Bytes(), onnxbackend.Options{})
	must.EqualSlices(t, m.Info().InstanceShape(), []int{3, 4, 4}, "an instance has shape")
	must.Contain(t, strings.Join(m.Info().Notes, " "), "channels first")
	want := must.Get(twin.Predict(ctx, bag))(t).Scores
	for layout, b := range map[string]*core.Bag{"first": bag, "last": withChannelsLast(bag)} {
		enginetest.CheckNear(t, "channels "+layout, must.Get(m.Predict(ctx, b))(t).Scores, want,
			1e-6)
		bound := enginetest.Bind(t, m, b, nil)
		enginetest.CheckStrategyEqualsPlain(t, bound, last, b)
	}
	encoder := must.Get(onnxbackend.OpenEncoder(lastEncoder(false).Bytes(),
		onnxbackend.Options{}))(t)
	other := must.Get(onnxbackend.OpenEncoder(lastEncoder(true).Bytes(), onnxbackend.Options{}))(t)
	got := must.Get(encoder.Encode(ctx, bag))(t)
	expected := must.Get(other.Encode(ctx, bag))(t)
	must.EqualSlices(t, got.Values, expected.Values)
}

// TestOtherInputsKeepTheirLayout checks that a model keeps its layout if the graph does not
// transpose its input: its last axis may be of any meaning.
func TestOtherInputsKeepTheirLayout(t *testing.T) {
	m := enginetest.Open(t, enginetest.SumModel("", "k", 4, 4, 3).Bytes(), onnxbackend.Options{})
	must.EqualSlices(t, m.Info().InstanceShape(), []int{4, 4, 3}, "an instance has shape")
}
