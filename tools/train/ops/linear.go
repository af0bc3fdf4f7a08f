package ops

import (
	"fmt"

	G "gorgonia.org/gorgonia"

	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// Linear returns act(x·w + b) with shape (k, out), for x (k, in), w (in, out), and b (1, out) or
// nil. The activation must be ActNone, ActRelu or ActTanh. If x is a variable of the graph, it is a
// bag and gets no gradient.
func Linear(a *Arena, x, w, b *G.Node, act kernel.Activation) (*G.Node, error) {
	m, k, n := rows(x), columns(x), columns(w)
	if rows(w) != k || b != nil && (rows(b) != 1 || columns(b) != n) {
		return nil, fmt.Errorf("a linear layer has an input of shape %v, weights %v and biases %v",
			x.Shape(), w.Shape(), b)
	}
	in := []*G.Node{x, w}
	if b != nil {
		in = append(in, b)
	}
	// Packing copies the weights into the order in which the kernel reads them.
	packed := a.Floats(kernel.PackedLen(k, n))
	before := &preActivation{act: act}
	diff := map[int]gradient{
		1: before.then(a, func(g *G.Node) (*G.Node, error) { return weightGradient(a, x, g) }),
	}
	if !x.IsVar() {
		diff[0] = before.then(a, func(g *G.Node) (*G.Node, error) { return inputGradient(a, g, w) })
	}
	if b != nil {
		diff[2] = before.then(a, func(g *G.Node) (*G.Node, error) { return biasGradient(a, g) })
	}
	return apply(a, "linear", m, n, in, diff, func(dst []float32, in [][]float32) {
		ep := kernel.Epilogue{Act: act}
		if len(in) > 2 {
			ep.Bias = in[2]
		}
		kernel.Pack(packed, in[1], k, n, n, false)
		kernel.Gemm(dst, n, in[0], k, packed, m, n, k, ep)
	})
}

// weightGradient returns xᵀ·g (in, out).
func weightGradient(a *Arena, x, g *G.Node) (*G.Node, error) {
	m, k, n := rows(x), columns(x), columns(g)
	packed, transposed := a.Floats(kernel.PackedLen(m, n)), a.Floats(m*k)
	return apply(a, "linear weights' gradient", k, n, []*G.Node{x, g}, nil,
		func(dst []float32, in [][]float32) {
			transpose(transposed, in[0], m, k)
			kernel.Pack(packed, in[1], m, n, n, false)
			kernel.Gemm(dst, n, transposed, m, packed, k, n, m, kernel.Epilogue{})
		})
}

// inputGradient returns g·wᵀ (k, in).
func inputGradient(a *Arena, g, w *G.Node) (*G.Node, error) {
	m, k, n := rows(g), columns(g), rows(w)
	packed := a.Floats(kernel.PackedLen(k, n))
	return apply(a, "linear input's gradient", m, n, []*G.Node{g, w}, nil,
		func(dst []float32, in [][]float32) {
			kernel.Pack(packed, in[1], k, n, k, true)
			kernel.Gemm(dst, n, in[0], k, packed, m, n, k, kernel.Epilogue{})
		})
}

// biasGradient returns the sum of the rows of g (1, out).
func biasGradient(a *Arena, g *G.Node) (*G.Node, error) {
	n := columns(g)
	return apply(a, "biases' gradient", 1, n, []*G.Node{g}, nil,
		func(dst []float32, in [][]float32) {
			clear(dst)
			for at := 0; at < len(in[0]); at += n {
				for j, v := range in[0][at : at+n] {
					dst[j] += v
				}
			}
		})
}

// transpose writes src (m, n) to dst (n, m).
func transpose(dst, src []float32, m, n int) {
	for i := range m {
		for j, v := range src[i*n : (i+1)*n] {
			dst[j*m+i] = v
		}
	}
}
