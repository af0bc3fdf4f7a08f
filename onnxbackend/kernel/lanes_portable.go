package kernel

// The portable level's lanes and maps of a tile: more accumulators would leave the registers.
const (
	portableLanes    = 4
	portableLaneMaps = 1
)

// convLanesPortable is ConvLanes for any width of lanes, a multiple of portableLanes, and tiles of
// most maps.
func convLanesPortable(
	dst []float32, mapStride int, src []float32, n int, c *ConvRow, width, most int,
) {
	k := len(c.From)
	for first := 0; first < c.Maps; {
		rows := tileMaps(c.Maps-first, most)
		tile := c.Weights[first*k : (first+rows)*k]
		for m := first; m < first+rows; m++ {
			bias := float32(0)
			if c.Bias != nil {
				bias = c.Bias[m]
			}
			for x := range n {
				at := dst[m*mapStride+x*width:][:width]
				for l := 0; l < width; l += portableLanes {
					convPortable(at[l:][:portableLanes], src[x*c.Step+l:], c.From, tile, m-first,
						rows, bias, c.Relu)
				}
			}
		}
		first += rows
	}
}

// convPortable computes four lanes of one position of map m of a tile of so many rows. It rounds as
// gemmPortable.
func convPortable(
	dst, src []float32, from []int32, tile []float32, m, rows int, bias float32, relu bool,
) {
	var c0, c1, c2, c3 float32
	for p, f := range from {
		w, s := tile[p*rows+m], src[f:][:portableLanes]
		c0 += float32(w * s[0])
		c1 += float32(w * s[1])
		c2 += float32(w * s[2])
		c3 += float32(w * s[3])
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
func maxLanesPortable(dst, src []float32, from []int32, n, step, width int) {
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

// toLanesPortable is ToLanes for any width of lanes, of pictures from first on.
func toLanesPortable(dst, src []float32, n, ld, first, pictures, width int) {
	for l := first; l < pictures; l++ {
		for i, v := range src[l*ld:][:n] {
			dst[i*width+l] = v
		}
	}
}

// fromLanesPortable is FromLanes for any width of lanes, of pictures from first on.
func fromLanesPortable(dst, src []float32, n, ld, first, pictures, width int) {
	for l := first; l < pictures; l++ {
		row := dst[l*ld:][:n]
		for i := range row {
			row[i] = src[i*width+l]
		}
	}
}
