package signature_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// TestStaticAxisIsNamed: the advice for a model without an open axis names the axis that probably
// holds the instances. A first axis of 1 is a batch, unless the shape is one vector or picture.
func TestStaticAxisIsNamed(t *testing.T) {
	for _, c := range []struct {
		dims []any
		want int
	}{
		{[]any{5, 4}, 0},
		{[]any{1, 4}, 0},
		{[]any{1, 5, 4}, 1},
		{[]any{2, 5, 4}, 0},
		{[]any{1, 3, 8, 8}, 0},
		{[]any{1, 1, 8, 8}, 0},
		{[]any{1, 5, 8, 8}, 1},
		{[]any{1, 2, 8, 8}, 1},
		{[]any{1, 5, 3, 8, 8}, 1},
	} {
		t.Run(fmt.Sprint(c.dims), func(t *testing.T) {
			_, err := onnxbackend.Open(enginetest.SumModel("", c.dims...).Bytes(),
				onnxbackend.Options{})
			var gap *onnxbackend.UnsupportedError
			must.As(t, err, &gap, fmt.Sprintf(`{%d: "instances"}`, c.want))
		})
	}
}

// TestOneScorePerInstance: the model's own scores of a single class are read as they are, and not
// as logits of a softmax over one class, which would all be 1.
func TestOneScorePerInstance(t *testing.T) {
	m := ot.Model{
		Opset:        13,
		Metadata:     map[string]string{"bagscope": `{"inherent": "each", "output": "logits"}`},
		Initializers: []ot.Tensor{ot.F("w", []float32{1, -2}, 2, 1)},
		Inputs:       []ot.Value{ot.In("bag", "k", 2)},
		Outputs:      []ot.Value{ot.In("logit", 1), ot.In("each", "k", 1)},
		Nodes: ot.Nodes(`each = MatMul(bag, w)
			logit = ReduceMean<axes=[0], keepdims=0>(each)`),
	}
	bag := enginetest.SmallBag(3, 2)
	b := enginetest.OpenAndBind(t, m.Bytes(), onnxbackend.Options{}, bag)
	got := must.Get(b.Attention(context.Background(), 0))(t)
	var want []float64
	for i := range 3 {
		x := bag.Instance(i)
		want = append(want, float64(x[0])-2*float64(x[1]))
	}
	enginetest.CheckNear(t, "scores of instances", got, want, 1e-6)
}

// hazardsModel returns a model of two bins whose hazards are the means of two features.
func hazardsModel(edges string) ot.Model {
	m := ot.MeanHead(2)
	m.Metadata = map[string]string{"bagscope": `{"output": {"kind": "hazards", "scale": ` +
		`"probabilities", "edges": ` + edges + `, "unit": "months"}}`}
	return m
}

// TestSurvivalUpToFirstEdge: everyone survives up to the first edge, which counts in the expected
// time. With hazards of 1/2 and 1/4, survival is 1, 1/2 and 3/8 at the edges.
func TestSurvivalUpToFirstEdge(t *testing.T) {
	bag := enginetest.ShapedBag(1, 2)
	copy(bag.Values, []float32{.5, .25})
	for edges, want := range map[string]float64{
		"[0, 4, 12]":   4*(1+.5)/2 + 8*(.5+.375)/2,
		"[10, 14, 22]": 10 + 4*(1+.5)/2 + 8*(.5+.375)/2,
	} {
		m := enginetest.Open(t, hazardsModel(edges).Bytes(), onnxbackend.Options{})
		p := must.Get(m.Predict(context.Background(), bag))(t)
		must.Equal(t, math.Abs(p.Scores[0]-want) <= 1e-6, true, edges, p.Scores[0], want)
	}
}
