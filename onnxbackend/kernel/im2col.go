package kernel

// Columns lays out the patches that a convolution looks at as the packed right factor of Gemm: row
// (channel, tap), column output position. plane holds the channels one after another, size values
// each; from is (tap, position): the place within a channel that a tap reads for an output position,
// -1 in the padding. dst has PackedLen(channels*taps, positions) floats.
func Columns(dst, plane []float32, from []int32, channels, size, taps, positions int) {
	k, width := channels*taps, PanelWidth()
	for j0 := 0; j0 < positions; j0 += width {
		panel := dst[j0*k : (j0+width)*k]
		w := min(width, positions-j0)
		if w < width {
			clear(panel)
		}
		at := 0
		for c := range channels {
			values := plane[c*size : (c+1)*size]
			for t := range taps {
				row := panel[at : at+width : at+width]
				for j, p := range from[t*positions+j0:][:w] {
					if p < 0 {
						row[j] = 0
					} else {
						row[j] = values[p]
					}
				}
				at += width
			}
		}
	}
}
