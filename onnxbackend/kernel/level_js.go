//go:build wasm && bagscope_simd

package kernel

// simd is the module of tools/gen/kernels/wasm in the host: 4 floats, 16 registers. Whether its
// products are fused is the host's to say.
const simd level = 1

var levelNames = [...]string{"portable", "simd"}

func (l level) panelWidth() int { return [...]int{portableWidth, 8}[l] }

// laneWidth is LaneWidth at a level.
func (l level) laneWidth() int { return [...]int{portableLanes, 8}[l] }

// laneMaps is the most maps of a tile: in the module, tileRows of tools/gen/kernels/wasm.
func (l level) laneMaps() int {
	switch {
	case l == portable:
		return portableLaneMaps
	case l.fused():
		return 6
	}
	return 4
}

func (l level) fused() bool { return l == simd && simdReady() == simdReadyFused }

// detect asks the host whether the functions of the module can be called.
func detect() level {
	if simdReady() != simdReadyNot {
		return simd
	}
	return portable
}
