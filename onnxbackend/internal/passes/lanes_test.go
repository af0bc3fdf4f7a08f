package passes_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// planesModel runs nodes from "bag" (k, 2, 9, 8) to "y", the logits being its mean over instances
// and places.
func planesModel(nodes ...ot.Node) ot.Model {
	r := rand.New(rand.NewPCG(4, 3))
	random := func(name string, dims ...int) ot.Tensor {
		return enginetest.RandomTensor(r, name, dims...)
	}
	return ot.Model{
		Opset: 13,
		Initializers: []ot.Tensor{
			random("K", 3, 2, 3, 3), random("b", 3), random("L", 3, 3, 2, 2), random("G", 3, 1, 2,
				2), random("scale", 3), random("shift", 3), random("mean", 3),
			ot.F("variance", []float32{.5, 1, 2}, 3),
		},
		Nodes: append(slices.Clone(nodes), ot.N("ReduceMean", []string{"y"}, []string{"logits"},
			ot.Ints("axes", 0, 2, 3), ot.Int("keepdims", 0))),
		Inputs:  []ot.Value{ot.In("bag", "k", 2, 9, 8)},
		Outputs: []ot.Value{ot.In("logits", 3)},
	}
}

func conv(in, w, out string, a ...ot.Attribute) ot.Node {
	return ot.N("Conv", []string{in, w, "b"}, []string{out}, a...)
}

func maxPool(in, out string, a ...ot.Attribute) ot.Node {
	return ot.N("MaxPool", []string{in}, []string{out}, append(a, ot.Ints("kernel_shape", 2, 2))...)
}

// TestChains names what is merged into chains and what must not be. Bags of fewer and of more
// pictures than lanes give the numbers of the file's nodes.
func TestChains(t *testing.T) {
	halves := ot.Ints("strides", 2, 2)
	for _, c := range []struct {
		name  string
		nodes []ot.Node
		want  int // nodes that are merged into others
	}{
		{"one", []ot.Node{conv("bag", "K", "y")}, 0},
		{"usual", []ot.Node{conv("bag", "K", "a"), enginetest.Unary("Relu", "a", "c"),
			maxPool("c", "d", halves),
			conv("d", "L", "e"), enginetest.Unary("Relu", "e", "f"), maxPool("f", "y")}, 3},
		{"pool before its activation", []ot.Node{conv("bag", "K", "a"), maxPool("a", "c", halves),
			enginetest.Unary("Relu", "c", "d"), enginetest.Unary("Tanh", "d", "y")}, 3},
		{"other activations", []ot.Node{conv("bag", "K", "a"), enginetest.Unary("Tanh", "a", "c"),
			enginetest.Unary("LeakyRelu", "c", "d"), conv("d", "L", "e"),
			enginetest.Unary("Sigmoid", "e", "y")}, 2},
		{"normalizations", []ot.Node{conv("bag", "K", "a"), enginetest.Normalizer("a", "c"),
			enginetest.Unary("Relu", "c", "d"), conv("d", "L", "e"),
			enginetest.Normalizer("e", "y")}, 1},
		{"padding", []ot.Node{conv("bag", "K", "a", ot.Ints("pads", 1, 2, 0, 1)),
			maxPool("a", "c", ot.Ints("pads", 1, 0, 1, 1), halves, ot.Int("ceil_mode", 1)),
			conv("c", "L", "y", ot.Text("auto_pad", "SAME_LOWER"))}, 2},
		{"pool first", []ot.Node{maxPool("bag", "a"), conv("a", "K", "y")}, 0},
		{"read twice", []ot.Node{conv("bag", "K", "a"), enginetest.Unary("Tanh", "a", "c"),
			conv("c", "L", "d", ot.Text("auto_pad", "SAME_UPPER")), enginetest.Unary("Relu", "d",
				"e"),
			enginetest.Binary("Add", "c", "e", "f"), enginetest.Unary("Relu", "f", "y")}, 0},
		{"output between", []ot.Node{conv("bag", "K", "out"), maxPool("out", "y")}, 0},
		{"groups", []ot.Node{conv("bag", "K", "a"), conv("a", "G", "c", ot.Int("group", 3)),
			maxPool("c", "y")}, 2},
		{"places of maxima", []ot.Node{conv("bag", "K", "a"),
			ot.N("MaxPool", []string{"a"}, []string{"y", "places"}, ot.Ints("kernel_shape", 2, 2))},
			0},
		{"bias of the bag", []ot.Node{ot.N("ReduceMean", []string{"bag"}, []string{"m"},
			ot.Ints("axes", 0, 2, 3), ot.Int("keepdims", 0)),
			enginetest.Binary("Concat", "m", "scale", "n"),
			ot.N("Slice", []string{"n", "one", "four"}, []string{"o"}), ot.N("Conv",
				[]string{"bag", "K", "o"}, []string{"a"}), maxPool("a", "y")}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := planesModel(c.nodes...)
			m.Initializers = append(m.Initializers, ot.I("one", []int64{1}, 1),
				ot.I("four", []int64{4}, 1))
			for i, n := range m.Nodes {
				if n.Op == "Concat" {
					m.Nodes[i] = ot.N("Concat", n.In, n.Out, ot.Int("axis", 0))
				}
				if n.Out[0] == "out" {
					m.Outputs = append(m.Outputs, ot.In("out", "k", 3, 7, 6))
				}
			}
			data := m.Bytes()
			with := enginetest.Open(t, data, onnxbackend.Options{})
			without := enginetest.Open(t, data, onnxbackend.Options{Plain: true})
			must.Equal(t, changes(with)["lanes"], c.want)
			width := kernel.LaneWidth()
			for _, k := range []int{1, width/2 - 1, width / 2, width, 2*width + 3} {
				passesKeep(t, with, without, enginetest.ShapedBag(k, 2, 9, 8))
			}
			enginetest.CheckStrategyEqualsPlain(t,
				enginetest.OpenAndBind(t, data, onnxbackend.Options{},
					enginetest.ShapedBag(7, 2, 9, 8)), data,
				enginetest.ShapedBag(7, 2, 9, 8))
		})
	}
}

// TestPlanOfChain checks that a plan shows a chain as one node that treats instances alone, with
// its operators.
func TestPlanOfChain(t *testing.T) {
	m := planesModel(conv("bag", "K", "a"), maxPool("a", "c"), conv("c", "L", "d"),
		enginetest.Unary("Relu", "d", "y"))
	p := enginetest.OpenAndBind(t, m.Bytes(), onnxbackend.Options{},
		enginetest.ShapedBag(5, 2, 9, 8)).Plan()
	must.Equal(t, len(p.Prefix), 1, p)
	n := p.Prefix[0]
	if n.Op != "Conv" || !slices.Equal(n.Then, []string{"MaxPool", "Conv+Relu"}) ||
		n.Outputs[0].Name != "y" || n.Outputs[0].Depends != onnxbackend.DependsInstance ||
		n.Outputs[0].Axis != 0 {
		t.Errorf("%+v", n)
	}
}

// TestErrorInChainNamesNode gives a chain pictures that its second convolution cannot take: the
// error must name that convolution.
func TestErrorInChainNamesNode(t *testing.T) {
	m := planesModel(conv("bag", "K", "a"), maxPool("a", "c", ot.Ints("strides", 2, 2)),
		conv("c", "L", "y"))
	m.Nodes[2].Name = "second"
	m.Inputs = []ot.Value{ot.In("bag", "k", 2, "height", "width")}
	for _, o := range []onnxbackend.Options{{}, {Plain: true}} {
		for _, k := range []int{1, 40} {
			_, err := enginetest.Open(t, m.Bytes(), o).Predict(context.Background(),
				enginetest.ShapedBag(k, 2, 4, 5))
			var run *onnxbackend.RunError
			if !errors.As(err, &run) || run.Node != "second" || run.Op != "Conv" {
				t.Errorf("%v", err)
			}
		}
	}
}

// TestChainCancellation cancels chains at every step: they must end within the promised number of
// checks of their context.
func TestChainCancellation(t *testing.T) {
	m := planesModel(conv("bag", "K", "a", ot.Text("auto_pad", "SAME_UPPER")), maxPool("a", "c"),
		conv("c", "L", "d"), enginetest.Unary("Tanh", "d", "y"))
	m.Inputs = []ot.Value{ot.In("bag", "k", 2, "height", "width")}
	model := enginetest.Open(t, m.Bytes(), onnxbackend.Options{})
	bag := enginetest.ShapedBag(40, 2, 120, 121)
	for _, end := range []int{0, 1, 5} {
		w := &counted{Context: context.Background(), end: end}
		must.Is(t, must.Err(model.Predict(w, bag)), context.Canceled, w.looks, end)
		must.Equal(t, w.looks <= end+8, true, w.looks, end)
	}
}

// counted is a context that ends after a number of looks.
type counted struct {
	context.Context
	end, looks int
}

func (c *counted) Err() error {
	if c.looks++; c.looks > c.end {
		return context.Canceled
	}
	return nil
}

// BenchmarkEncode is a forward pass with passes, among them chains, and without.
func BenchmarkEncode(b *testing.B) {
	enginetest.EachBenchModel(b, func(name string, c enginetest.TrainedModel, bag *core.Bag) {
		for _, o := range []onnxbackend.Options{{}, {Plain: true}} {
			m := c.Open(b, o)
			b.Run(fmt.Sprintf("%s/plain=%v", name, o.Plain), func(b *testing.B) {
				for b.Loop() {
					must.Get(m.Predict(context.Background(), bag))(b)
				}
			})
		}
	})
}
