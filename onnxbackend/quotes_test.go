package onnxbackend_test

import (
	"context"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg/msgtest"
	. "github.com/bagscope/bagscope/onnxbackend"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// hostileNames returns models whose errors or notes quote a name of 8 MB.
func hostileNames() map[string][]byte {
	giant := strings.Repeat("\x01", 8<<20)
	model := func(change func(m *ot.Model)) []byte {
		m := ot.Model{Opset: 13, Inputs: []ot.Value{ot.In("x", "k", 2)},
			Outputs:      []ot.Value{ot.In("y", 2)},
			Initializers: []ot.Tensor{ot.F("w", []float32{1, 0, 0, 1}, 2, 2)},
			Nodes:        ot.Nodes(`h = MatMul(x, w); y = ReduceMax<axes=[0], keepdims=0>(h)`)}
		change(&m)
		return m.Bytes()
	}
	node := func(change func(n *ot.Node)) []byte {
		return model(func(m *ot.Model) { change(&m.Nodes[0]) })
	}
	card := func(text string) []byte {
		return model(func(m *ot.Model) { m.Metadata = map[string]string{"bagscope": text} })
	}
	escaped := strings.Repeat(`\u0001`, 1<<17)
	models := map[string][]byte{
		"operator":                  node(func(n *ot.Node) { n.Op = giant }),
		"operator of a node":        node(func(n *ot.Node) { n.Op, n.Name = giant, giant }),
		"domain":                    node(func(n *ot.Node) { n.Domain = giant }),
		"imported domain":           node(func(n *ot.Node) { n.Domain = giant }),
		"node that misses an input": node(func(n *ot.Node) { n.Name, n.In[1] = giant, giant }),
		"node with too few inputs":  node(func(n *ot.Node) { n.Name, n.In = giant, n.In[:1] }),
		"node that repeats an output": model(func(m *ot.Model) {
			m.Nodes[1].Name, m.Nodes[1].Out = giant, []string{"h"}
		}),
		"attribute": node(func(n *ot.Node) { n.Attributes = []ot.Attribute{ot.Int(giant, 1)} }),
		"text of an attribute": model(func(m *ot.Model) {
			m.Nodes[0] = ot.N("GridSample", []string{"x", "w"}, []string{"h"},
				ot.Text("mode", giant))
			m.Opset = 16
		}),
		"texts of an attribute": model(func(m *ot.Model) {
			m.Nodes[0] = ot.N("RNN", []string{"x", "w", "w"}, []string{"h"}, ot.Texts("activations",
				giant))
		}),
		"run of a node": model(func(m *ot.Model) {
			m.Initializers[0] = ot.F("w", make([]float32, 6), 3, 2)
			m.Inputs[0] = ot.In("x", "k", "d")
			m.Nodes[0].Name = giant
		}),
		"initializer": model(func(m *ot.Model) {
			m.Initializers = append(m.Initializers, ot.Tensor{Name: giant, Type: 1, Dims: []int{9}})
		}),
		"type of an initializer": model(func(m *ot.Model) {
			m.Initializers = append(m.Initializers, ot.Tensor{Name: giant, Type: 99,
				Dims: []int{1}})
		}),
		"file of an initializer": model(func(m *ot.Model) {
			m.Initializers[0] = ot.Tensor{Name: giant, Type: 1, Dims: []int{2, 2}, File: giant}
		}),
		"offset of an initializer": model(func(m *ot.Model) {
			m.Initializers[0] = ot.Tensor{Name: "w", Type: 1, Dims: []int{2, 2}, File: "f",
				Place: map[string]string{"offset": giant}}
		}),
		"input": model(func(m *ot.Model) {
			m.Inputs[0].Name, m.Nodes[0].In[0] = giant, giant
		}),
		"output": model(func(m *ot.Model) {
			m.Outputs[0].Name, m.Nodes[1].Out[0] = giant, giant
		}),
		"output that nothing computes": model(func(m *ot.Model) { m.Outputs[0].Name = giant }),
		"second input": model(func(m *ot.Model) {
			m.Inputs = append(m.Inputs, ot.In(giant, 7, 7))
			m.Nodes[0].In[1] = giant
		}),
		"second output": model(func(m *ot.Model) {
			m.Outputs = append(m.Outputs, ot.In(giant, 3))
			m.Nodes = append(m.Nodes, ot.N("ReduceMax", []string{"h"}, []string{giant}))
		}),
		"dimension": model(func(m *ot.Model) { m.Inputs[0].Dims = []any{giant, giant} }),
		"function": model(func(m *ot.Model) {
			m.Functions = []ot.Function{{Name: giant, Domain: giant, Opset: 13,
				In: []string{giant}, Out: []string{giant},
				Nodes: []ot.Node{ot.N(giant, []string{giant}, []string{giant})}}}
			m.Domains = map[string]int{giant: 1}
			m.Nodes[0].Op, m.Nodes[0].Domain = giant, giant
		}),
		"card":              card(giant),
		"key of a card":     card(`{"` + escaped + `":1}`),
		"value of a card":   card(`{"unit":"` + escaped + `"}`),
		"classes of a card": card(`{"classes":["` + escaped + `","` + escaped + `","c"]}`),
		"output of a card":  card(`{"output":"` + escaped + `"}`),
		"encoder of a card": card(`{"encoder":"` + escaped + `/a"}`),
		"number of a card":  card(`{"instance_axis":` + strings.Repeat("9", 1<<19) + `}`),
		"repeated key":      card(`{"` + escaped + `":1,"` + escaped + `":1}`),
		"scale of a card":   card(`{"scale":"` + escaped + `"}`),
		"inputs of a card":  card(`{"inputs":{"` + escaped + `":1}}`),
	}
	return models
}

// TestErrorsAreShort: whatever names a model has, its errors and notes have at most 4 kB and no
// control characters.
func TestErrorsAreShort(t *testing.T) {
	for name, data := range hostileNames() {
		t.Run(name, func(t *testing.T) {
			m, err := Open(data, Options{})
			if err == nil {
				for _, note := range m.Info().Notes {
					msgtest.Short(t, note)
				}
				bag := &core.Bag{Name: name, Shape: []int{2}, Values: make([]float32, 4)}
				_, err = m.Bind(context.Background(), bag)
			}
			if err != nil {
				msgtest.Short(t, err.Error())
			}
			t.Logf("%.300v", err)
		})
	}
}
