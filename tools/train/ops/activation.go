package ops

import (
	"math"

	G "gorgonia.org/gorgonia"

	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// gated is the gradient before the activation of a layer, of which the gradients of all its inputs
// are made: one node serves them all.
type gated struct {
	act  kernel.Activation
	node *G.Node
}

// then returns a gradient that is made of the one before the activation.
func (s *gated) then(a *Arena, next func(g *G.Node) (*G.Node, error)) gradient {
	return func(out, grad *G.Node) (*G.Node, error) {
		if s.node == nil {
			var err error
			if s.node, err = gate(a, s.act, out, grad); err != nil {
				return nil, err
			}
		}
		return next(s.node)
	}
}

// gate is the gradient of act(x) for x, told from y = act(x): the derivative of the rectifier is 0
// at 0.
func gate(a *Arena, act kernel.Activation, y, grad *G.Node) (*G.Node, error) {
	if act == kernel.ActNone {
		return grad, nil
	}
	run := throughRelu
	if act == kernel.ActTanh {
		run = throughTanh
	}
	return apply(a, "activation's gradient", rows(y), columns(y), []*G.Node{y, grad}, nil, run)
}

func throughRelu(dst []float32, in [][]float32) {
	y, grad := in[0][:len(dst)], in[1][:len(dst)]
	for i := range dst {
		dst[i] = passed(y[i], grad[i])
	}
}

// passed is the gradient g where y, a value of the rectifier, is above 0, and else 0. It has no
// branch, which would be guessed wrong every other time.
func passed(y, g float32) float32 {
	magnitude := int32(math.Float32bits(y) &^ (1 << 31))
	return math.Float32frombits(math.Float32bits(g) & uint32(-magnitude>>31))
}

func throughTanh(dst []float32, in [][]float32) {
	y, grad := in[0][:len(dst)], in[1][:len(dst)]
	for i := range dst {
		dst[i] = grad[i] * (1 - y[i]*y[i])
	}
}
