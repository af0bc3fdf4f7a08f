package main

import "github.com/bagscope/bagscope/tools/gen/kernels/wasm/asm"

// part adds the functions that load and store the end of a row, of fewer than four float32, without
// access to memory behind it. Any width is valid: at most 0 is none, at least 4 is four.
//
//	loadPart(address, width) -> vector, zero beyond width
//	storePart(address, vector, width)
func (g *generator) part() {
	load := g.Func("loadPart", asm.TypeV128)
	address, width := load.Param(), load.Param()
	v := load.V128()
	load.If(width.Ge(asm.Const(4)), func() {
		v.Set(address.Load128(0))
	}, func() {
		for lane := range byte(3) {
			load.If(width.Gt(asm.Const(int32(lane))), func() {
				v.Set(address.LoadLane32(4*uint32(lane), v.V128, lane))
			}, nil)
		}
	})
	load.Return(v)
	g.loadPart = load

	store := g.Func("storePart")
	address, w := store.Param(), store.VectorParam()
	width = store.Param()
	store.If(width.Ge(asm.Const(4)), func() {
		store.Store128(address, 0, w.V128)
	}, func() {
		for lane := range byte(3) {
			store.If(width.Gt(asm.Const(int32(lane))), func() {
				store.StoreLane32(address, 4*uint32(lane), w.V128, lane)
			}, nil)
		}
	})
	g.storePart = store
}
