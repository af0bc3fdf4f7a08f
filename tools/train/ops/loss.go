package ops

import (
	"fmt"
	"math"
	"slices"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/bagscope/bagscope/core"
)

// Loss returns the scalar loss of outputs (1, C), and the slice of targets (C), which the caller
// must set before each run. The loss is the cross entropy for core.ScaleLogits, the mean binary
// cross entropy over classes for core.ScaleSigmoidLogits, and the mean squared error for
// core.ScaleRaw.
//
// Errors: another scale.
func Loss(a *Arena, scale core.Scale, outputs *G.Node) (loss *G.Node, target []float32, err error) {
	n := columns(outputs)
	slope := slopes[scale]
	if slope == nil {
		return nil, nil, fmt.Errorf("there is no loss for outputs of scale %q", scale)
	}
	target = a.Floats(n)
	op := &operator{name: "loss", id: a.floats.next, in: []*G.Node{outputs},
		shape: tensor.ScalarShape()}
	op.run = func(dst []float32, in [][]float32) { dst[0] = float32(LossOf(scale, in[0], target)) }
	op.diff = map[int]gradient{0: func(_, grad *G.Node) (*G.Node, error) {
		return apply(a, "loss's gradient", 1, n, []*G.Node{outputs, grad}, nil,
			func(dst []float32, in [][]float32) {
				slope(dst, in[0], target)
				for j := range dst {
					dst[j] *= in[1][0]
				}
			})
	}}
	loss, err = G.ApplyOp(op, outputs)
	return loss, target, err
}

// LossOf returns the loss of outputs (C) and targets (C), computed in float64. The scale must be
// one that Loss accepts.
func LossOf(scale core.Scale, outputs, target []float32) float64 {
	sum, n := 0.0, float64(len(outputs))
	switch scale {
	case core.ScaleLogits:
		top := float64(slices.Max(outputs)) // subtracted, so that no exponential overflows
		total := 0.0
		for _, v := range outputs {
			total += math.Exp(float64(v) - top)
		}
		for j, v := range outputs {
			sum += float64(target[j]) * (math.Log(total) + top - float64(v))
		}
		return sum
	case core.ScaleSigmoidLogits:
		for j, v := range outputs {
			y := float64(v)
			// log(1 + exp(y)) - y·target, in a form that does not overflow
			sum += max(y, 0) - y*float64(target[j]) + math.Log1p(math.Exp(-math.Abs(y)))
		}
	default:
		for j, v := range outputs {
			d := float64(v) - float64(target[j])
			sum += d * d
		}
	}
	return sum / n
}

// slopes holds the derivative of each loss for the outputs y (C).
var slopes = map[core.Scale]func(dst, y, target []float32){
	core.ScaleLogits:        entropySlope,
	core.ScaleSigmoidLogits: sigmoidSlope,
	core.ScaleRaw:           squareSlope,
}

// entropySlope is softmax(y) - target.
func entropySlope(dst, y, target []float32) {
	softmax(dst, y)
	for j := range dst {
		dst[j] -= target[j]
	}
}

// sigmoidSlope is (sigmoid(y) - target) / C.
func sigmoidSlope(dst, y, target []float32) {
	for j, v := range y {
		dst[j] = (float32(1/(1+math.Exp(-float64(v)))) - target[j]) / float32(len(y))
	}
}

// squareSlope is 2 (y - target) / C.
func squareSlope(dst, y, target []float32) {
	for j, v := range y {
		dst[j] = 2 * (v - target[j]) / float32(len(y))
	}
}
