//go:build wasm && bagscope_simd

package kernel

// simdGroup is how many pictures, and how many of their values, the module moves into lanes at a
// time.
const simdGroup = 4

func convLanes(dst []float32, mapStride int, src []float32, n int, c *ConvRow) {
	if current == portable {
		convLanesPortable(dst, mapStride, src, n, c, portableLanes, portableLaneMaps)
		return
	}
	relu := int32(0)
	if c.Relu {
		relu = 1
	}
	simdConvLanes(address(dst), int32(mapStride), address(src), int32(n), address(c.From),
		int32(len(c.From)), int32(c.Step), address(c.Weights), address(c.Bias), int32(c.Maps), relu)
}

func maxLanes(dst, src []float32, from []int32, n, step int) {
	if current == portable {
		maxLanesPortable(dst, src, from, n, step, portableLanes)
		return
	}
	simdMaxLanes(address(dst), address(src), address(from), int32(len(from)), int32(n), int32(step))
}

func toLanes(dst, src []float32, n, ld, pictures int) {
	groups := laneGroups(n, pictures)
	if groups > 0 {
		simdToLanes(address(dst), address(src), int32(n), int32(ld), int32(groups))
	}
	toLanesPortable(dst, src, n, ld, simdGroup*groups, pictures, LaneWidth())
}

func fromLanes(dst, src []float32, n, ld, pictures int) {
	groups := laneGroups(n, pictures)
	if groups > 0 {
		simdFromLanes(address(dst), address(src), int32(n), int32(ld), int32(groups))
	}
	fromLanesPortable(dst, src, n, ld, simdGroup*groups, pictures, LaneWidth())
}

// laneGroups is how many groups of pictures the module can move.
func laneGroups(n, pictures int) int {
	if current == portable || n < simdGroup {
		return 0
	}
	return pictures / simdGroup
}
