//go:build wasm && bagscope_simd

package kernel

func (n *Narrow) apply(y []float32, ldy int, x []float32, ldx, lines int) {
	if current == portable {
		n.applyPortable(y, ldy, x, ldx, lines)
		return
	}
	simdNarrow(address(y), int32(ldy), address(x), int32(ldx), int32(lines), address(n.weights),
		address(n.bias),
		int32(n.inner), int32(n.outputs))
}
