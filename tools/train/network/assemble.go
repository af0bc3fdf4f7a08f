package network

import (
	"fmt"

	"github.com/bagscope/bagscope/onnxbackend/kernel"
	"github.com/bagscope/bagscope/tools/train/ops"
)

// A Layer is a matrix of weights and what follows it. Its parameters are NAME.weight (In, Out) and,
// where it has one, NAME.bias (1, Out).
type Layer struct {
	Name    string
	In, Out int
	Bias    bool
	Act     kernel.Activation
}

// A Builder is told a network and makes something of it, T being its word for a matrix (rows,
// columns). Errors are kept until the end, so that the telling is not interrupted.
type Builder[T any] interface {
	Bag() T // (k, values of an instance)
	// pool(relu(convolution)), NAME.weight (maps, taps), NAME.bias (1, maps)
	Convolve(x T, name string, c ops.Convolution) T
	Flatten(x T) T         // pictures to rows
	Linear(x T, l Layer) T // act(x·w + b)
	// act(x·w + row), row (1, l.Out) serving all rows
	Shifted(x T, l Layer, row T) T
	Dropout(x T, rate float64) T // drops values in training only
	Pool(x T, how Pooling) T     // (k, n) to (1, n)
	// softmax of (k, 1) over the instances, as (1, k)
	Weights(scores T) T
	Sum(weights, x T) T // (1, k) and (k, n) to (1, n)
}

// Told is what a network returns: logits (1, classes) and what it says of its instances, if
// anything.
type Told[T any] struct {
	Logits      T
	Attention   *T // weights (1, k): mi-attn's attention, mi-gnn's clustering where it pools by it
	Predictions *T // logits of each instance (k, classes): mi-net-instance
}

// Assemble tells an architecture that Check accepts to a builder.
func Assemble[T any](a Architecture, b Builder[T]) Told[T] {
	s := &storey[T]{a, b}
	h, width := s.encoder()
	switch a.Kind {
	case MINet:
		return Told[T]{Logits: s.head(b.Pool(h, a.Pool), width)}
	case MINetInstance:
		p := s.head(h, width)
		return Told[T]{Logits: b.Pool(p, a.Pool), Predictions: &p}
	case MIAttn:
		hidden := b.Linear(h, Layer{Name: "attention.hidden", In: width, Out: a.Attention,
			Act: kernel.ActTanh})
		w := b.Weights(b.Linear(hidden, Layer{Name: "attention.score", In: a.Attention, Out: 1}))
		return Told[T]{Logits: s.head(b.Dropout(b.Sum(w, h), a.Dropout), width), Attention: &w}
	default:
		return s.graph(h, width)
	}
}

// A storey is one telling.
type storey[T any] struct {
	a Architecture
	b Builder[T]
}

// encoder embeds each instance alone, and returns the width.
func (s *storey[T]) encoder() (T, int) {
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

// head classifies rows.
func (s *storey[T]) head(h T, width int) T {
	for i, n := range s.a.Head {
		h = s.full(h, fmt.Sprintf("head.%d", i), width, n)
		width = n
	}
	return s.b.Linear(h, Layer{Name: "classifier", In: width, Out: s.a.Classes, Bias: true})
}

// full is a fully connected layer with rectifier and dropout.
func (s *storey[T]) full(h T, name string, in, out int) T {
	return s.b.Dropout(s.b.Linear(h, Layer{Name: name, In: in, Out: out, Bias: true,
		Act: kernel.ActRelu}), s.a.Dropout)
}

// message is SAGEConv over the complete graph with self loops: w_n·mean(h) + b + w_r·h_i.
func (s *storey[T]) message(h T, l Layer) T {
	row := s.b.Linear(s.b.Pool(h, Mean), Layer{Name: l.Name + ".neighbours", In: l.In, Out: l.Out,
		Bias: true})
	return s.b.Shifted(h, Layer{Name: l.Name + ".own", In: l.In, Out: l.Out, Act: l.Act}, row)
}

// graph passes messages between the instances, and pools them by its clustering unless the
// architecture says how.
func (s *storey[T]) graph(h T, width int) Told[T] {
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
		return Told[T]{Logits: s.head(s.b.Pool(h, s.a.Pool), width)}
	}
	return Told[T]{Logits: s.head(s.b.Sum(*weights, h), width), Attention: weights}
}
