//go:build amd64 || arm64

package kernel

// convFlat computes pairs of vectors. The last pair ends at the last place.
func convFlat(dst []float32, mapStride int, src []float32, n int, c *ConvRow) {
	k := len(c.From)
	if current == portable || k == 0 {
		convFlatByLanes(dst, mapStride, src, n, c)
		return
	}
	width, most := LaneWidth(), current.laneMaps()
	pair := 2 * width
	for m := 0; m < c.Maps; {
		t := convTile{mapStride: mapStride, from: &c.From[0], k: k, rows: tileMaps(c.Maps-m, most),
			bias: from(c.Bias, m), relu: c.Relu}
		t.weights = c.Weights[m*k : (m+t.rows)*k]
		at, pairs := dst[m*mapStride:], n/pair
		if pairs > 0 {
			t.pairs(at, src, pairs, width, width)
		}
		if done := pairs * pair; done < n {
			first := min(done, n-width)
			second := n - width - first
			t.pairs(at[first:], src[first:], 1, second, second)
		}
		m += t.rows
	}
}

// depthFlat computes whole vectors, and sets the last one back to end at the last place.
func depthFlat(dst, src []float32, n int, c *ConvRow) {
	if current == portable {
		convFlatByLanes(dst, n, src, n, c)
		return
	}
	width := LaneWidth()
	depthVectors(dst, src, n/width, c)
	if n%width > 0 {
		depthVectors(dst[n-width:], src[n-width:], 1, c)
	}
}
