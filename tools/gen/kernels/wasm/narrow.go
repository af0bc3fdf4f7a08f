package main

import "github.com/bagscope/bagscope/tools/gen/kernels/wasm/asm"

// narrow adds a layer with few outputs to the module:
//
//	narrow(y, ldy, x, ldx, lines, weights, bias, inner, outputs)
//
// writes the sum of weight (o, i) x[l ldx + i] over i, and bias[o], to y[l ldy + o]. The float64
// weights are (pair of outputs, inner, output of the pair), and the float64 biases are as many; x
// and y are float32. inner and lines are at least 1. Each sum is one chain of additions in float64,
// i ascending. Four lines at a time share the loads of weights.
func (g *generator) narrow() {
	f := g.Func("narrow")
	y, ldy, x, ldx, lines := f.Param(), f.Param(), f.Param(), f.Param(), f.Param()
	weights, bias, inner, outputs := f.Param(), f.Param(), f.Param(), f.Param()
	ldy.Set(ldy.Shl(2))
	ldx.Set(ldx.Shl(2))
	from, to, left := f.I32(), f.I32(), f.I32()
	f.While(outputs.Gt(asm.Const(0)), func() {
		from.Set(x.I32)
		to.Set(y.I32)
		left.Set(lines.I32)
		for _, count := range []int32{4, 1} {
			tile := g.narrowTile(int(count))
			f.While(left.Ge(asm.Const(count)), func() {
				f.Call(tile, to, ldy, from, ldx, weights, bias, inner, outputs)
				to.Set(to.Plus(ldy.Times(asm.Const(count))))
				from.Set(from.Plus(ldx.Times(asm.Const(count))))
				left.Add(-count)
			})
		}
		weights.Set(weights.Plus(inner.Shl(4)))
		bias.Add(16)
		y.Add(8)
		outputs.Add(-2)
	})
	g.Export(f)
}

// narrowTile adds the loop for a pair of outputs of a number of lines, or for the last output.
func (g *generator) narrowTile(lines int) *asm.Func {
	f := g.Func("narrowTile")
	y, ldy, x, ldx, weights, bias := f.Param(), f.Param(), f.Param(), f.Param(), f.Param(),
		f.Param()
	inner, outputs := f.Param(), f.Param()
	from := pointers(f, lines, x, ldx.I32)
	sums, w := f.V128s(lines), f.V128()
	f.Repeat(func() {
		w.Set(weights.Load128(0))
		for l, sum := range sums {
			sum.Set(sum.AddF64(w.MulF64(from[l].LoadSplat32(0).Promote())))
			from[l].Add(4)
		}
		weights.Add(16)
		inner.Add(-1)
	}, func() asm.I32 { return inner.I32 })
	for _, sum := range sums {
		sum.Set(sum.AddF64(bias.Load128(0)).Demote())
		f.StoreLane32(y, 0, sum.V128, 0)
		f.If(outputs.Gt(asm.Const(1)), func() { f.StoreLane32(y, 4, sum.V128, 1) }, nil)
		y.Set(y.Plus(ldy.I32))
	}
	return f
}
