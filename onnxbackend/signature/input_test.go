package signature_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

func TestFitMatchesShapes(t *testing.T) {
	for _, c := range []struct {
		name  string
		card  string
		dims  []any
		shape []int // shape of an instance
		want  []int // shape of the input for 4 instances, nil when it must not fit
		axis  int
	}{
		{"vectors", "", []any{"k", 6}, []int{6}, []int{4, 6}, 0},
		{"wrong width", "", []any{"k", 6}, []int{5}, nil, 0},
		{"batch of one", "", []any{1, "k", 6}, []int{6}, []int{1, 4, 6}, 1},
		{"open batch", "", []any{"batch", "k", 6}, []int{6}, []int{1, 4, 6}, 1},
		{"open batch by rank alone", "", []any{"a", "k", 6}, []int{6}, []int{1, 4, 6}, 1},
		{"open sides", "", []any{"N", 3, "H", "W"}, []int{3, 2, 5}, []int{4, 3, 2, 5}, 0},
		{"open sides, wrong channels", "", []any{"N", 3, "H", "W"}, []int{1, 2, 5}, nil, 0},
		{"open batch of pictures", "", []any{"b", "k", 3, "H", 2}, []int{3, 7, 2},
			[]int{1, 4, 3, 7, 2}, 1},
		{"open sides, no channels", "", []any{"N", 3, "H", "W"}, []int{2, 5}, nil, 0},
		{"open batch, flat pictures", "", []any{"b", "k", 2, 3}, []int{6}, nil, 0},
		{"missing channel", "", []any{"k", 1, 2, 3}, []int{2, 3}, []int{4, 1, 2, 3}, 0},
		{"flat pictures", "", []any{"k", 1, 2, 3}, []int{6}, []int{4, 1, 2, 3}, 0},
		{"pictures for a flat input", "", []any{"k", 6}, []int{1, 2, 3}, []int{4, 6}, 0},
		{"turned pictures", "", []any{"k", 1, 2, 3}, []int{1, 3, 2}, nil, 0},
		{"card", `{"instance_axis": 1}`, []any{"a", "k", 6}, []int{6}, []int{1, 4, 6}, 1},
		{"card counted from the end", `{"instance_axis": -2}`, []any{1, "k", 6}, []int{6},
			[]int{1, 4, 6}, 1},
		{"instances last", "", []any{6, "k"}, []int{6}, []int{6, 4}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := must.Get(onnxbackend.Open(sumModelFor(c.card, c.dims).Bytes(),
				onnxbackend.Options{}))(t)
			at, err := enginetest.EncoderOf(m).Signature.Fit(enginetest.ShapedBag(4, c.shape...))
			var no *core.BagError
			switch {
			case c.want == nil && !errors.As(err, &no):
				t.Errorf("it fits as %v, %v", at.Layout, err)
			case c.want == nil && !strings.Contains(err.Error(), "bag"):
				t.Errorf("error %q", err)
			case c.want != nil && (err != nil || !slices.Equal(at.Shape, c.want) ||
				at.Axis != c.axis):
				t.Errorf("%v %v, want %v along %d", at.Layout, err, c.want, c.axis)
			}
		})
	}
}

// sumModelFor ends in one score whatever the input's shape is.
func sumModelFor(card string, dims []any) ot.Model {
	m := enginetest.SumModel(card, dims...)
	m.Outputs[0].Dims = []any{1}
	m.Initializers = nil
	m.Nodes = ot.Nodes(`sum = ReduceSum<keepdims=0>(bag); scores = Unsqueeze(sum, zero)`)
	m.Initializers = []ot.Tensor{ot.I("zero", []int64{0}, 1)}
	return m
}

// TestInstancesInTheMiddle lays instances along an axis with others before it.
func TestInstancesInTheMiddle(t *testing.T) {
	m := ot.Model{
		Opset:        13,
		Initializers: []ot.Tensor{ot.I("axes", []int64{1}, 1), ot.I("to", []int64{6}, 1)},
		Inputs:       []ot.Value{ot.In("bag", 2, "k", 3)},
		Outputs:      []ot.Value{ot.In("scores", 6)},
		Nodes:        ot.Nodes(`sum = ReduceSum(bag, axes); scores = Reshape(sum, to)`),
	}
	bag := &core.Bag{Shape: []int{2, 3}, Values: []float32{1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50,
		60}}
	o := must.Get(onnxbackend.Open(m.Bytes(), onnxbackend.Options{}))(t)
	p := must.Get(o.Predict(context.Background(), bag))(t)
	must.EqualSlices(t, p.Scores, []float64{11, 22, 33, 44, 55, 66})
}

func TestPreprocess(t *testing.T) {
	model := enginetest.SumModel(`{"preprocess": {"scale": 0.5, "mean": [1, 2], "std": [2, 4]}}`,
		"k", 2, 1, 1)
	model.Initializers[0] = ot.I("axes", []int64{0, 2, 3}, 3)
	model.Outputs[0].Dims = []any{2}
	m := must.Get(onnxbackend.Open(model.Bytes(), onnxbackend.Options{}))(t)
	bag := &core.Bag{Shape: []int{2, 1, 1}, Values: []float32{10, 20}, Raw: true}
	for _, c := range []struct {
		raw  bool
		want []float64
	}{{true, []float64{2, 2}}, {false, []float64{10, 20}}} {
		bag.Raw = c.raw
		p := must.Get(m.Predict(context.Background(), bag))(t)
		must.EqualSlices(t, p.Scores, c.want, c.raw)
	}
	bag.Raw = true
	bag.Shape = []int{1, 2, 1}
	var no *core.BagError
	must.As(t, must.Err(m.Predict(context.Background(), bag)), &no)
	model.Metadata = nil
	m = must.Get(onnxbackend.Open(model.Bytes(), onnxbackend.Options{}))(t)
	bag.Shape = []int{2, 1, 1}
	p, err := m.Predict(context.Background(), bag)
	must.Do(t, err, p.Notes)
	must.Equal(t, strings.Contains(strings.Join(p.Notes, " "), "raw pixels"), true, p.Notes)
}

func TestInputTypes(t *testing.T) {
	for _, typ := range []int{ot.Float64, ot.Int64, ot.Uint8, ot.Float16} {
		m := enginetest.SumModel("", "k", 2)
		m.Inputs[0].Type, m.Outputs[0].Type = typ, ot.Float32
		m.Nodes[0].In[0] = "x"
		m.Nodes = append([]ot.Node{ot.N("Cast", []string{"bag"}, []string{"x"}, ot.Int("to", 1))},
			m.Nodes...)
		o := must.Get(onnxbackend.Open(m.Bytes(), onnxbackend.Options{}))(t)
		p, err := o.Predict(context.Background(),
			&core.Bag{Shape: []int{2}, Values: []float32{1, 2, 3, 4}})
		must.Do(t, err)
		must.EqualSlices(t, p.Scores, []float64{4, 6}, typ, p)
	}
}
