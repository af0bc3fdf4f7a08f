package ops

import (
	"fmt"

	G "gorgonia.org/gorgonia"

	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// Weights turns one score an instance, s (k, 1), into weights that sum to 1: the softmax over the
// instances, as (1, k), so that Linear of weights and instances is their weighted sum.
func Weights(a *Arena, s *G.Node) (*G.Node, error) {
	k := rows(s)
	if columns(s) != 1 {
		return nil, fmt.Errorf("instances are weighted by one score each, not by %d", columns(s))
	}
	diff := map[int]gradient{0: func(out, grad *G.Node) (*G.Node, error) {
		return apply(a, "weights' gradient", k, 1, []*G.Node{out, grad}, nil,
			func(dst []float32, in [][]float32) {
				var mean float32
				for i, w := range in[0] {
					mean += w * in[1][i]
				}
				for i, w := range in[0] {
					dst[i] = w * (in[1][i] - mean)
				}
			})
	}}
	return apply(a, "weights", 1, k, []*G.Node{s}, diff,
		func(dst []float32, in [][]float32) { softmax(dst, in[0]) })
}

// softmax writes exp(src[i]) / Σ exp(src[j]) to dst.
func softmax(dst, src []float32) {
	top := src[0]
	for _, v := range src {
		top = max(top, v)
	}
	for i, v := range src {
		dst[i] = v - top
	}
	kernel.Exp(dst, dst)
	var sum float32
	for _, v := range dst {
		sum += v
	}
	for i := range dst {
		dst[i] /= sum
	}
}
