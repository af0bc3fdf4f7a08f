package main

import "github.com/bagscope/bagscope/tools/gen/kernels/wasm/asm"

// depthFlat adds a convolution of one map over neighbouring places to the module:
//
//	depthFlat(dst, src, n, from, k, weights, bias, relu)
//
// for n places, a multiple of 4, with the k distances of from in float32, and bias the address of a
// float32 or 0. Eight vectors at a time hide the latency of their chains of additions.
func (g *generator) depthFlat(fused bool) {
	f := g.Func("depthFlat")
	dst, src, n, from, k, weights, bias, relu := f.Param(), f.Param(), f.Param(), f.Param(),
		f.Param(), f.Param(), f.Param(), f.Param()
	tap, end, weight, at := f.I32(), f.I32(), f.I32(), f.I32()
	acc := f.V128s(8)
	s, x := f.V128(), f.V128()
	end.Set(from.Plus(k.Shl(2)))
	for _, vectors := range []int{8, 2, 1} {
		acc := acc[:vectors]
		f.While(n.Ge(asm.Const(int32(4*vectors))), func() {
			for _, v := range acc {
				v.Set(asm.Splat(0))
			}
			tap.Set(from.I32)
			weight.Set(weights.I32)
			f.While(end.Gt(tap.I32), func() {
				at.Set(src.Plus(tap.Load(0).Shl(2)))
				s.Set(weight.LoadSplat32(0))
				for i, v := range acc {
					x.Set(at.Load128(uint32(16 * i)))
					accumulate(v, s, x, fused)
				}
				tap.Add(4)
				weight.Add(4)
			})
			f.If(bias.I32, func() {
				s.Set(bias.LoadSplat32(0))
				for _, v := range acc {
					v.Set(v.AddF32(s.V128))
				}
			}, nil)
			cutAtZero(f, acc, relu)
			for i, v := range acc {
				f.Store128(dst, uint32(16*i), v.V128)
			}
			dst.Add(int32(16 * vectors))
			src.Add(int32(16 * vectors))
			n.Add(int32(-4 * vectors))
		})
	}
	g.Export(f)
}
