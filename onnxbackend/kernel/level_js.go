//go:build wasm && bagscope_simd

package kernel

// detect asks the host whether the functions below lead into a module of fast loops (wasm/simd).
func detect() level {
	switch simdReady() {
	case 1:
		return simd
	case 2:
		return simdFused
	}
	return portable
}
