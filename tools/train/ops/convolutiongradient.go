package ops

import (
	G "gorgonia.org/gorgonia"

	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// innerLength is about how many positions one product over the positions takes: those of several
// pictures where they are few.
const innerLength = 512

// weightGradient is Σ over pictures of spread·cutᵀ, (maps, taps). It is computed the other way
// round, since then the larger factor needs no packing.
func (s *convolving) weightGradient(a *Arena, x, out, grad *G.Node) (*G.Node, error) {
	k, n, taps := rows(x), s.Positions(), s.Taps()
	group := min(k, (innerLength+n-1)/n)
	cut, spread := a.Take(taps*group*n), a.Take(s.Maps*group*n)
	packed, product, sum := a.Take(kernel.PackedLen(group*n, s.Maps)), a.Take(taps*s.Maps),
		a.Take(taps*s.Maps)
	return apply(a, "convolution weights' gradient", s.Maps, taps, []*G.Node{x, out, grad}, nil,
		func(dst []float32, in [][]float32) {
			clear(sum)
			for first := 0; first < k; first += group {
				some := min(group, k-first)
				ld := some * n
				for i := range some {
					s.cut(cut[i*n:], ld, in[0][(first+i)*s.input():])
					s.spread(spread[i*n:], ld, first+i, in[1], in[2])
				}
				kernel.Pack(packed, spread, ld, s.Maps, ld, true)
				kernel.Gemm(product, s.Maps, cut, ld, packed, taps, s.Maps, ld, kernel.Epilogue{})
				for i, v := range product {
					sum[i] += v
				}
			}
			transpose(dst, sum, taps, s.Maps)
		})
}

// inputGradient is, for each picture, paste(wᵀ·spread).
func (s *convolving) inputGradient(a *Arena, w, out, grad *G.Node) (*G.Node, error) {
	k, n, taps := rows(out), s.Positions(), s.Taps()
	turned, spread := a.Take(taps*s.Maps), a.Take(s.Maps*n)
	packed, patches := a.Take(kernel.PackedLen(s.Maps, n)), a.Take(taps*n)
	return apply(a, "convolution input's gradient", k, s.input(), []*G.Node{w, out, grad}, nil,
		func(dst []float32, in [][]float32) {
			transpose(turned, in[0], s.Maps, taps)
			clear(dst)
			for i := range k {
				s.spread(spread, n, i, in[1], in[2])
				kernel.Pack(packed, spread, s.Maps, n, n, false)
				kernel.Gemm(patches, n, turned, s.Maps, packed, taps, n, s.Maps, kernel.Epilogue{})
				s.paste(dst[i*s.input():], patches, n)
			}
		})
}

// biasGradient sums the gradient of each map.
func (s *convolving) biasGradient(a *Arena, out, grad *G.Node) (*G.Node, error) {
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
