package kernel

// The portable level's lanes and maps of a tile: more accumulators would leave the registers.
const (
	portableLanes    = 4
	portableLaneMaps = 1
)

// convLanesPortable is ConvLanes for any width of lanes and height of tiles.
func convLanesPortable(dst []float32, mapStride int, src []float32, n int, c *ConvRow) {
	width, k := LaneWidth(), len(c.From)
	for m := range c.Maps {
		first := m / current.laneMaps() * current.laneMaps()
		rows := min(current.laneMaps(), c.Maps-first)
		tile := c.Weights[first*k : (first+rows)*k]
		bias := float32(0)
		if c.Bias != nil {
			bias = c.Bias[m]
		}
		for x := range n {
			at := dst[m*mapStride+x*width:][:width]
			for l := 0; l < width; l += portableLanes {
				convPortable(at[l:][:portableLanes], src[x*c.Step+l:], c.From, tile[m-first:], rows, bias, c.Relu)
			}
		}
	}
}

// convPortable computes four lanes of one position of one map, whose weights are stride apart.
func convPortable(dst, src []float32, from []int32, weights []float32, stride int, bias float32, relu bool) {
	var c0, c1, c2, c3 float32
	for p, f := range from {
		w, s := weights[p*stride], src[f:][:portableLanes]
		c0 += w * s[0]
		c1 += w * s[1]
		c2 += w * s[2]
		c3 += w * s[3]
	}
	acc := [portableLanes]float32{c0 + bias, c1 + bias, c2 + bias, c3 + bias}
	for i, v := range acc {
		if relu && v < 0 {
			v = 0
		}
		dst[i] = v
	}
}

// maxLanesPortable is MaxLanes for any width of lanes.
func maxLanesPortable(dst, src []float32, from []int32, n, step int) {
	width := LaneWidth()
	for x := range n {
		row := dst[x*width:][:width]
		copy(row, src[int(from[0])+x*step:])
		for _, f := range from[1:] {
			for l, v := range src[int(f)+x*step:][:width] {
				if v > row[l] || v != v {
					row[l] = v
				}
			}
		}
	}
}

// toLanesPortable is ToLanes for any width of lanes.
func toLanesPortable(dst, src []float32, n, ld, pictures int) {
	width := LaneWidth()
	if pictures < width {
		clear(dst)
	}
	for l := range pictures {
		for i, v := range src[l*ld:][:n] {
			dst[i*width+l] = v
		}
	}
}

// fromLanesPortable is FromLanes for any width of lanes.
func fromLanesPortable(dst, src []float32, n, ld, pictures int) {
	width := LaneWidth()
	for l := range pictures {
		row := dst[l*ld:][:n]
		for i := range row {
			row[i] = src[i*width+l]
		}
	}
}
