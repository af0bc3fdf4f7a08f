package ops

import (
	G "gorgonia.org/gorgonia"

	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// innerLength is the approximate inner length of one matrix product over positions. Small pictures
// share a product, because short ones do not fill the kernel.
const innerLength = 512

// weightGradient returns the sum over pictures of gradients·patchesᵀ (maps, taps). It computes the
// transposed product, so that the larger factor needs no packing.
func (s *convolver) weightGradient(a *Arena, x, out, grad *G.Node) (*G.Node, error) {
	k, n, taps := rows(x), s.Positions(), s.Taps()
	group := min(k, (innerLength+n-1)/n)
	patches, gradients := a.Floats(taps*group*n), a.Floats(s.Maps*group*n)
	packed, product, sum := a.Floats(kernel.PackedLen(group*n, s.Maps)), a.Floats(taps*s.Maps),
		a.Floats(taps*s.Maps)
	return apply(a, "convolution weights' gradient", s.Maps, taps, []*G.Node{x, out, grad}, nil,
		func(dst []float32, in [][]float32) {
			clear(sum)
			for first := 0; first < k; first += group {
				some := min(group, k-first)
				ld := some * n
				for i := range some {
					s.copyPatches(patches[i*n:], ld, in[0][(first+i)*s.input():])
					s.unpool(gradients[i*n:], ld, first+i, in[1], in[2])
				}
				kernel.Pack(packed, gradients, ld, s.Maps, ld, true)
				kernel.Gemm(product, s.Maps, patches, ld, packed, taps, s.Maps, ld,
					kernel.Epilogue{})
				for i, v := range product {
					sum[i] += v
				}
			}
			transpose(dst, sum, taps, s.Maps)
		})
}

// inputGradient returns addPatches(wᵀ·gradients) for each picture.
func (s *convolver) inputGradient(a *Arena, w, out, grad *G.Node) (*G.Node, error) {
	k, n, taps := rows(out), s.Positions(), s.Taps()
	transposed, gradients := a.Floats(taps*s.Maps), a.Floats(s.Maps*n)
	packed, patches := a.Floats(kernel.PackedLen(s.Maps, n)), a.Floats(taps*n)
	return apply(a, "convolution input's gradient", k, s.input(), []*G.Node{w, out, grad}, nil,
		func(dst []float32, in [][]float32) {
			transpose(transposed, in[0], s.Maps, taps)
			clear(dst)
			for i := range k {
				s.unpool(gradients, n, i, in[1], in[2])
				kernel.Pack(packed, gradients, s.Maps, n, n, false)
				kernel.Gemm(patches, n, transposed, s.Maps, packed, taps, n, s.Maps,
					kernel.Epilogue{})
				s.addPatches(dst[i*s.input():], patches, n)
			}
		})
}

// biasGradient returns the sum of the gradient of each map (1, maps).
func (s *convolver) biasGradient(a *Arena, out, grad *G.Node) (*G.Node, error) {
	per := s.Values() / s.Maps
	return apply(a, "convolution biases' gradient", 1, s.Maps, []*G.Node{out, grad}, nil,
		func(dst []float32, in [][]float32) {
			clear(dst)
			for at := 0; at < len(in[0]); at += per {
				m := at / per % s.Maps
				grad, sum := in[1][at:at+per], float32(0)
				for j, y := range in[0][at : at+per] {
					sum += passed(y, grad[j])
				}
				dst[m] += sum
			}
		})
}
