package ops

import (
	"math"

	G "gorgonia.org/gorgonia"

	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// preActivation is the gradient of a layer before its activation. The gradients of all inputs of
// the layer derive from this one node, which is created on first use.
type preActivation struct {
	act  kernel.Activation
	node *G.Node
}

// then returns the gradient of an input, which next derives from the one before the activation.
func (s *preActivation) then(a *Arena, next func(g *G.Node) (*G.Node, error)) gradient {
	return func(out, grad *G.Node) (*G.Node, error) {
		if s.node == nil {
			var err error
			if s.node, err = activationGradient(a, s.act, out, grad); err != nil {
				return nil, err
			}
		}
		return next(s.node)
	}
}

// activationGradient returns the gradient for x of y = act(x), computed from y. The derivative of
// the rectifier at 0 is 0, as in PyTorch.
func activationGradient(a *Arena, act kernel.Activation, y, grad *G.Node) (*G.Node, error) {
	if act == kernel.ActNone {
		return grad, nil
	}
	run := reluGradient
	if act == kernel.ActTanh {
		run = tanhGradient
	}
	return apply(a, "activation's gradient", rows(y), columns(y), []*G.Node{y, grad}, nil, run)
}

// reluGradient computes the gradient before the rectifier from in: y and the gradient of y.
func reluGradient(dst []float32, in [][]float32) {
	y, grad := in[0][:len(dst)], in[1][:len(dst)]
	for i := range dst {
		dst[i] = passed(y[i], grad[i])
	}
}

// passed returns the gradient g if y, an output of the rectifier, is above 0, and else 0. It has no
// branch, because the processor would mispredict half of them.
func passed(y, g float32) float32 {
	magnitude := int32(math.Float32bits(y) &^ (1 << 31))
	return math.Float32frombits(math.Float32bits(g) & uint32(-magnitude>>31))
}

// tanhGradient computes the gradient before tanh from in: y and the gradient of y. It uses
// tanh'(x) = 1 - tanh(x)².
func tanhGradient(dst []float32, in [][]float32) {
	y, grad := in[0][:len(dst)], in[1][:len(dst)]
	for i := range dst {
		dst[i] = grad[i] * (1 - y[i]*y[i])
	}
}
