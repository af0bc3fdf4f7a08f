//go:build !(js && bagscope_simd)

package kernel

func (n *Narrow) apply(y []float32, ldy int, x []float32, ldx, lines int) {
	n.applyPortable(y, ldy, x, ldx, lines)
}
