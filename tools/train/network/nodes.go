package network

import (
	G "gorgonia.org/gorgonia"

	"github.com/bagscope/bagscope/onnxbackend/kernel"
	"github.com/bagscope/bagscope/tools/train/ops"
)

// Bag and the other methods implement Builder.
func (b *nodes) Bag() *G.Node { return b.variable("bag", b.k, b.network.values(), b.bag) }

func (b *nodes) Convolve(x *G.Node, name string, c ops.Convolution) *G.Node {
	n, err := ops.Convolve(&b.network.arena, x, b.parameters[name+".weight"],
		b.parameters[name+".bias"],
		c)
	return b.result(n, err, x)
}

// Flatten returns x, because pictures are rows already.
func (b *nodes) Flatten(x *G.Node) *G.Node { return x }

func (b *nodes) Linear(x *G.Node, l Layer) *G.Node {
	return b.Shifted(x, l, b.parameters[l.Name+".bias"])
}

func (b *nodes) Shifted(x *G.Node, l Layer, row *G.Node) *G.Node {
	n, err := ops.Linear(&b.network.arena, x, b.parameters[l.Name+".weight"], row, l.Act)
	return b.result(n, err, x)
}

// Dropout adds a mask only in training. The graph collects the masks, because each step draws them.
func (b *nodes) Dropout(x *G.Node, rate float64) *G.Node {
	if !b.training || rate == 0 {
		return x
	}
	n, mask, err := ops.Dropout(&b.network.arena, x, rate)
	b.masks = append(b.masks, mask)
	return b.result(n, err, x)
}

func (b *nodes) Pool(x *G.Node, how Pooling) *G.Node {
	pools := map[Pooling]func(*ops.Arena, *G.Node) (*G.Node, error){
		Mean: ops.Mean, Max: ops.Max, Sum: ops.Sum}
	n, err := pools[how](&b.network.arena, x)
	return b.result(n, err, x)
}

func (b *nodes) Weights(scores *G.Node) *G.Node {
	n, err := ops.Weights(&b.network.arena, scores)
	return b.result(n, err, scores)
}

// Sum is a matrix product: weights (1, k) times instances (k, n).
func (b *nodes) Sum(weights, x *G.Node) *G.Node {
	n, err := ops.Linear(&b.network.arena, weights, x, nil, kernel.ActNone)
	return b.result(n, err, x)
}
