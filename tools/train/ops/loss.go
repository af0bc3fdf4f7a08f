package ops

import (
	"fmt"
	"math"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/bagscope/bagscope/core"
)

// Loss returns the scalar loss of outputs (1, C), and the targets of the classes, which are set
// before each run. What the outputs are decides: cross entropy of one class for ScaleLogits, mean
// cross entropy of each class alone for ScaleSigmoidLogits, mean squared error for ScaleRaw.
func Loss(a *Arena, scale core.Scale, outputs *G.Node) (loss *G.Node, target []float32, err error) {
	n := columns(outputs)
	var slope func(dst, y, target []float32)
	switch scale {
	case core.ScaleLogits:
		slope = entropySlope
	case core.ScaleSigmoidLogits:
		slope = sigmoidSlope
	case core.ScaleRaw:
		slope = squareSlope
	default:
		return nil, nil, fmt.Errorf("there is no loss for outputs that are %q", scale)
	}
	target = a.Take(n)
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

// LossOf is the loss of outputs beside targets, (C) each, in float64. The scale is one that Loss
// takes.
func LossOf(scale core.Scale, outputs, target []float32) float64 {
	sum, n := 0.0, float64(len(outputs))
	switch scale {
	case core.ScaleLogits:
		top := float64(outputs[0])
		for _, v := range outputs {
			top = max(top, float64(v))
		}
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

func entropySlope(dst, y, target []float32) {
	softmax(dst, y)
	for j := range dst {
		dst[j] -= target[j]
	}
}

func sigmoidSlope(dst, y, target []float32) {
	for j, v := range y {
		dst[j] = (float32(1/(1+math.Exp(-float64(v)))) - target[j]) / float32(len(y))
	}
}

func squareSlope(dst, y, target []float32) {
	for j, v := range y {
		dst[j] = 2 * (v - target[j]) / float32(len(y))
	}
}
