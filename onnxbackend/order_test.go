package onnxbackend_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// pooling is a model of attention; arrange orders its nodes.
func pooling(arrange func([]ot.Node)) ot.Model {
	m := enginetest.AttentionModel()
	arrange(m.Nodes)
	return m
}

// branching is a model whose If reads a value of the graph around it in both of its bodies, of two
// nodes each. arrange orders the nodes of all three graphs.
func branching(arrange func([]ot.Node)) ot.Model {
	body := func(op string) ot.Model {
		nodes := []ot.Node{
			ot.N("Tanh", []string{"h"}, []string{"inner"}),
			ot.N(op, []string{"inner", "axes"}, []string{"chosen"}, ot.Int("keepdims", 0)),
		}
		arrange(nodes)
		return ot.Model{Outputs: []ot.Value{ot.In("chosen", 2)}, Nodes: nodes,
			Initializers: []ot.Tensor{ot.I("axes", []int64{0}, 1)}}
	}
	nodes := []ot.Node{
		ot.N("Shape", []string{"bag"}, []string{"shape"}),
		ot.N("Gather", []string{"shape", "zero"}, []string{"count"}),
		ot.N("Less", []string{"count", "three"}, []string{"few"}),
		ot.N("MatMul", []string{"bag", "W"}, []string{"h"}),
		ot.N("If", []string{"few"}, []string{"pool"}, ot.Body("then_branch", body("ReduceMax")),
			ot.Body("else_branch", body("ReduceMean"))),
		ot.N("Neg", []string{"pool"}, []string{"logits"}),
	}
	arrange(nodes)
	return ot.Model{
		Opset: 18, Inputs: []ot.Value{ot.In("bag", "k", 2)},
		Outputs: []ot.Value{ot.In("logits", 2)}, Nodes: nodes,
		Initializers: []ot.Tensor{ot.F("W", []float32{1, -1, .5, 2}, 2, 2),
			ot.I("zero", []int64{0}), ot.I("three", []int64{3})},
	}
}

// TestNodesInAnyOrder opens files whose nodes are in other orders than they run in, as converters
// to 16-bit floats write them. All give the same bits.
func TestNodesInAnyOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	shuffle := func(n []ot.Node) {
		random.Shuffle(len(n), func(i, j int) { n[i], n[j] = n[j], n[i] })
	}
	for name, model := range map[string]func(arrange func([]ot.Node)) ot.Model{
		"attention": pooling, "bodies": branching,
	} {
		t.Run(name, func(t *testing.T) {
			bag := enginetest.SmallBag(4, 2)
			scores := func(arrange func([]ot.Node)) []float64 {
				m := must.Get(Open(model(arrange).Bytes(), Options{}))(t)
				p := must.Get(m.Predict(context.Background(), bag))(t)
				return p.Scores
			}
			want := scores(func([]ot.Node) {})
			must.EqualSlices(t, scores(slices.Reverse), want)
			for range 20 {
				must.EqualSlices(t, scores(shuffle), want)
			}
		})
	}
}
