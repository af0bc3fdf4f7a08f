package network

import (
	"fmt"

	"github.com/bagscope/bagscope/onnxbackend/kernel"
	"github.com/bagscope/bagscope/tools/train/ops"
)

// A Layer is a matrix of weights with an optional bias and an activation. Its parameters are
// NAME.weight (In, Out) and, if Bias is true, NAME.bias (1, Out).
type Layer struct {
	Name    string
	In, Out int
	Bias    bool
	Act     kernel.Activation
}

// A Builder builds something from the operators of a network: a Gorgonia graph, an ONNX file or the
// list of parameters. T represents a matrix (rows, columns). A Builder stores its first error
// itself, so that Assemble needs no error handling.
type Builder[T any] interface {
	// Bag returns the input (k, values of an instance).
	Bag() T
	// Convolve returns pool(relu(convolution)), with NAME.weight (maps, taps) and NAME.bias
	// (1, maps).
	Convolve(x T, name string, c ops.Convolution) T
	// Flatten converts pictures to rows.
	Flatten(x T) T
	// Linear returns act(x·w + b).
	Linear(x T, l Layer) T
	// Shifted returns act(x·w + row) with the same row (1, l.Out) for all instances.
	Shifted(x T, l Layer, row T) T
	// Dropout drops values in training, and returns x otherwise.
	Dropout(x T, rate float64) T
	// Pool combines (k, n) to (1, n).
	Pool(x T, how Pooling) T
	// Weights returns the softmax of scores (k, 1) over the instances as (1, k).
	Weights(scores T) T
	// Sum returns the weighted sum (1, n) of weights (1, k) and x (k, n).
	Sum(weights, x T) T
}

// Outputs are the outputs of a network. Attention or Predictions is nil if the network has none.
type Outputs[T any] struct {
	Logits      T  // (1, classes)
	Attention   *T // weights (1, k): mi-attn's attention, or mi-gnn's clustering
	Predictions *T // logits of each instance (k, classes) of mi-net-instance
}

// Assemble calls the methods of a builder for each operator of a network, in the order of the data.
// The architecture must be one that Check accepts.
func Assemble[T any](a Architecture, b Builder[T]) Outputs[T] {
	s := &assembler[T]{a, b}
	h, width := s.encoder()
	switch a.Kind {
	case MINet:
		return Outputs[T]{Logits: s.head(b.Pool(h, a.Pool), width)}
	case MINetInstance:
		p := s.head(h, width)
		return Outputs[T]{Logits: b.Pool(p, a.Pool), Predictions: &p}
	case MIAttn:
		hidden := b.Linear(h, Layer{Name: "attention.hidden", In: width, Out: a.Attention,
			Act: kernel.ActTanh})
		w := b.Weights(b.Linear(hidden, Layer{Name: "attention.score", In: a.Attention, Out: 1}))
		return Outputs[T]{Logits: s.head(b.Dropout(b.Sum(w, h), a.Dropout), width), Attention: &w}
	default:
		return s.graph(h, width)
	}
}

// An assembler is one call of Assemble.
type assembler[T any] struct {
	a Architecture
	b Builder[T]
}

// encoder returns the embeddings of the instances, each computed from one instance, and their
// width.
func (s *assembler[T]) encoder() (T, int) {
	h, width := s.b.Bag(), s.a.values()
	for i, c := range s.a.convolutions() {
		h = s.b.Dropout(s.b.Convolve(h, fmt.Sprintf("convolution.%d", i), c), s.a.Dropout)
		width = c.Values()
	}
	if len(s.a.Shape) > 1 {
		h = s.b.Flatten(h)
	}
	for i, n := range s.a.Encoder {
		h = s.full(h, fmt.Sprintf("encoder.%d", i), width, n)
		width = n
	}
	return h, width
}

// head returns the logits (rows, classes) of rows of the given width.
func (s *assembler[T]) head(h T, width int) T {
	for i, n := range s.a.Head {
		h = s.full(h, fmt.Sprintf("head.%d", i), width, n)
		width = n
	}
	return s.b.Linear(h, Layer{Name: "classifier", In: width, Out: s.a.Classes, Bias: true})
}

// full returns a fully connected layer with rectifier and dropout.
func (s *assembler[T]) full(h T, name string, in, out int) T {
	return s.b.Dropout(s.b.Linear(h, Layer{Name: name, In: in, Out: out, Bias: true,
		Act: kernel.ActRelu}), s.a.Dropout)
}

// message returns SAGEConv (Hamilton et al., 2017) over the complete graph with self loops:
// w_n·mean(h) + b + w_r·h_i for each instance i.
func (s *assembler[T]) message(h T, l Layer) T {
	row := s.b.Linear(s.b.Pool(h, Mean), Layer{Name: l.Name + ".neighbours", In: l.In, Out: l.Out,
		Bias: true})
	return s.b.Shifted(h, Layer{Name: l.Name + ".own", In: l.In, Out: l.Out, Act: l.Act}, row)
}

// graph returns mi-gnn's outputs: it passes messages between instances, and pools them by the
// weights of a clustering, or as the architecture's Pool says.
func (s *assembler[T]) graph(h T, width int) Outputs[T] {
	var weights *T
	if s.a.Pool == "" {
		w := s.b.Weights(s.message(h, Layer{Name: "cluster", In: width, Out: 1}))
		weights = &w
	}
	for i, n := range s.a.Graph {
		h = s.b.Dropout(s.message(h, Layer{Name: fmt.Sprintf("graph.%d", i), In: width, Out: n,
			Act: kernel.ActRelu}), s.a.Dropout)
		width = n
	}
	if weights == nil {
		return Outputs[T]{Logits: s.head(s.b.Pool(h, s.a.Pool), width)}
	}
	return Outputs[T]{Logits: s.head(s.b.Sum(*weights, h), width), Attention: weights}
}
