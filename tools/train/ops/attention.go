package ops

import (
	"fmt"
	"slices"

	G "gorgonia.org/gorgonia"

	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// Weights returns the softmax of scores s (k, 1) over the instances, as (1, k). Linear of weights
// and instances is then their weighted sum.
func Weights(a *Arena, s *G.Node) (*G.Node, error) {
	k := rows(s)
	if columns(s) != 1 {
		return nil, fmt.Errorf("instances are weighted by one score each, not by %d", columns(s))
	}
	diff := map[int]gradient{0: func(out, grad *G.Node) (*G.Node, error) {
		return apply(a, "weights' gradient", k, 1, []*G.Node{out, grad}, nil,
			func(dst []float32, in [][]float32) {
				// The softmax gives dw_i/ds_j = w_i ([i=j] - w_j), so the gradient is
				// w_i (g_i - Σ w_j g_j).
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

// softmax writes exp(src[i]) / Σ exp(src[j]) to dst. It subtracts the maximum first, because the
// exponential of a large score would be infinite.
func softmax(dst, src []float32) {
	top := slices.Max(src)
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
