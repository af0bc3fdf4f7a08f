package kernel

// Patches is what a convolution looks at: for each tap and output position a place within a
// channel. Neighbouring positions mostly read neighbouring values, so that each row of a packed
// panel is cut into runs, once for all pictures and channels: for 36 channels copying takes 0.19 ns
// a value where there are masks, looking up each 0.93 ns.
type Patches struct {
	from            []int32
	taps, positions int
	rows            []patchRow // (panel, tap)
	runs            []run
}

// A patchRow is one row of a panel: runs from first on, up to those of the next row.
type patchRow struct {
	first     int
	whole     bool // no column is in the padding or beyond the last position
	scattered bool // the runs are too short to be worth it
}

// A run is n columns of a row, from column to on, that read neighbouring values, from place from
// on.
type run struct{ to, from, n int32 }

// minRun is the mean length from which on runs are faster than single values.
const minRun = 4

// NewPatches cuts up a table of places, (tap, position), negative in the padding, which it keeps.
// It allocates at most 12 bytes a place.
func NewPatches(from []int32, taps, positions int) *Patches {
	width := PanelWidth()
	p := &Patches{from: from[:taps*positions], taps: taps, positions: positions}
	for j := 0; j < positions; j += width {
		for t := range taps {
			p.addRow(p.places(t, j, width), width)
		}
	}
	p.rows = append(p.rows, patchRow{first: len(p.runs)})
	return p
}

// places are those of one row of a panel.
func (p *Patches) places(t, j, width int) []int32 {
	return p.from[t*p.positions+j:][:min(width, p.positions-j)]
}

// addRow appends the runs of one row of a panel.
func (p *Patches) addRow(places []int32, width int) {
	row, copied := patchRow{first: len(p.runs)}, 0
	for j := 0; j < len(places); {
		first, end := places[j], j+1
		if first >= 0 {
			for end < len(places) && places[end] == first+int32(end-j) {
				end++
			}
			p.runs = append(p.runs, run{int32(j), first, int32(end - j)})
			copied += end - j
		}
		j = end
	}
	row.whole = copied == width
	if (len(p.runs)-row.first)*minRun > copied {
		row.scattered = true
		p.runs = p.runs[:row.first]
	}
	p.rows = append(p.rows, row)
}

// Columns lays the patches of a picture out as the packed right factor of Gemm: row (channel, tap),
// column output position. plane holds the channels one after another, size values each. dst has
// PackedLen(channels*taps, positions) floats.
func (p *Patches) Columns(dst, plane []float32, channels, size int) {
	if channels <= 0 {
		return
	}
	k, width := channels*p.taps, PanelWidth()
	stride := p.taps * width
	plane = plane[:channels*size]
	for j := 0; j < p.positions; j += width {
		panel := dst[j*k : (j+width)*k]
		for t := range p.taps {
			at := j/width*p.taps + t
			row, first := p.rows[at], panel[t*width:]
			if !row.whole {
				for c := range channels {
					clear(first[c*stride:][:width])
				}
			}
			if row.scattered {
				gather(first, plane, p.places(t, j, width), channels, stride, size)
				continue
			}
			for _, r := range p.runs[row.first:p.rows[at+1].first] {
				copyRun(first[r.to:], plane[r.from:], int(r.n), channels, stride, size)
			}
		}
	}
}

// gather fills one row of a panel for every channel value by value.
func gather(dst, plane []float32, places []int32, channels, dstStride, size int) {
	for c := range channels {
		row, values := dst[c*dstStride:][:len(places)], plane[c*size:(c+1)*size]
		for j, p := range places {
			if p >= 0 {
				row[j] = values[p]
			}
		}
	}
}

// copyRunPortable copies n floats for each channel, the strides apart.
func copyRunPortable(dst, src []float32, n, channels, dstStride, srcStride int) {
	for c := range channels {
		copy(dst[c*dstStride:][:n], src[c*srcStride:][:n])
	}
}

// CopyRows copies rows of n floats: row i from src[i*srcStride] to dst[i*dstStride]. Rows of dst
// must not overlap, nor dst and src.
func CopyRows(dst, src []float32, n, rows, dstStride, srcStride int) {
	switch {
	case n <= 0 || rows <= 0:
	case n == dstStride && n == srcStride:
		copy(dst[:n*rows], src[:n*rows])
	case n > maxRun:
		copyRunPortable(dst, src, n, rows, dstStride, srcStride)
	default:
		copyRun(dst, src, n, rows, dstStride, srcStride)
	}
}
