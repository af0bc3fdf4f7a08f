package ops

import (
	G "gorgonia.org/gorgonia"
)

// Mean returns the mean of the rows of x (k, n) as (1, n).
func Mean(a *Arena, x *G.Node) (*G.Node, error) {
	return scaledSum(a, "mean", x, 1/float32(rows(x)))
}

// Sum returns the sum of the rows of x (k, n) as (1, n).
func Sum(a *Arena, x *G.Node) (*G.Node, error) { return scaledSum(a, "sum", x, 1) }

// scaledSum returns share times the sum of the rows of x.
func scaledSum(a *Arena, name string, x *G.Node, share float32) (*G.Node, error) {
	k, n := rows(x), columns(x)
	diff := map[int]gradient{0: func(_, grad *G.Node) (*G.Node, error) {
		return apply(a, name+"'s gradient", k, n, []*G.Node{grad}, nil,
			func(dst []float32, in [][]float32) {
				for j, g := range in[0] {
					dst[j] = g * share
				}
				for i := 1; i < k; i++ {
					copy(dst[i*n:], dst[:n])
				}
			})
	}}
	return apply(a, name, 1, n, []*G.Node{x}, diff, func(dst []float32, in [][]float32) {
		copy(dst, in[0][:n])
		for i := 1; i < k; i++ {
			for j, v := range in[0][i*n : (i+1)*n] {
				dst[j] += v
			}
		}
		for j := range dst {
			dst[j] *= share
		}
	})
}

// Max returns the maximum of each column of x (k, n) as (1, n). If several rows have it, the first
// gets the whole gradient, as in PyTorch.
func Max(a *Arena, x *G.Node) (*G.Node, error) {
	k, n := rows(x), columns(x)
	from := make([]int, n) // row of each maximum of the last run
	diff := map[int]gradient{0: func(out, grad *G.Node) (*G.Node, error) {
		return apply(a, "maximum's gradient", k, n, []*G.Node{grad, out}, nil,
			func(dst []float32, in [][]float32) {
				clear(dst)
				for j, g := range in[0] {
					dst[from[j]*n+j] = g
				}
			})
	}}
	return apply(a, "maximum", 1, n, []*G.Node{x}, diff, func(dst []float32, in [][]float32) {
		copy(dst, in[0][:n])
		// A row replaces the maximum only if it is greater, so the first of equal rows stays.
		clear(from)
		for i := 1; i < k; i++ {
			for j, v := range in[0][i*n : (i+1)*n] {
				if v > dst[j] {
					dst[j], from[j] = v, i
				}
			}
		}
	})
}
