package compute

import "github.com/bagscope/bagscope/onnxbackend/internal/machine"

// insidePlane reports whether the windows of a pool over planes lie inside them, undilated. Then no
// tap needs a comparison with the borders.
func (p placed) insidePlane() bool {
	if len(p.in) != 2 {
		return false
	}
	for i := range p.in {
		if p.pads[i] != 0 || p.dilations[i] != 1 ||
			(p.out[i]-1)*p.strides[i]+p.kernel[i] > p.in[i] {
			return false
		}
	}
	return true
}

// maxPlanes is maxPool for windows inside planes. It walks rows of the picture in memory order and
// needs no table of positions.
func maxPlanes(m *machine.Machine, p placed, dst, src []float32) error {
	size, width, positions := p.in[0]*p.in[1], p.in[1], p.out[0]*p.out[1]
	pairs := p.kernel[0] == 2 && p.kernel[1] == 2 && p.strides[0] == 2 && p.strides[1] == 2
	for len(dst) > 0 {
		if err := m.Tick(positions * p.kernel[0] * p.kernel[1]); err != nil {
			return err
		}
		for y := range p.out[0] {
			row := dst[y*p.out[1] : (y+1)*p.out[1]]
			if pairs {
				maxPairs(row, src[2*y*width:][:width], src[(2*y+1)*width:][:width])
				continue
			}
			for ky := range p.kernel[0] {
				maxAlong(row, src[(y*p.strides[0]+ky)*width:][:width], p.kernel[1], p.strides[1],
					ky == 0)
			}
		}
		dst, src = dst[positions:], src[size:]
	}
	return nil
}

// maxPairs computes the maxima of adjacent 2 x 2 windows, the most common ones, of two lines of the
// picture.
func maxPairs(row, upper, lower []float32) {
	upper, lower = upper[:2*len(row)], lower[:2*len(row)]
	for x := range row {
		a, b := upper[2*x:][:2], lower[2*x:][:2]
		row[x] = larger(larger(a[0], a[1]), larger(b[0], b[1]))
	}
}

// maxAlong folds the maxima of a line's windows into row. If first, it overwrites row, which holds
// no maxima yet.
func maxAlong(row, line []float32, window, stride int, first bool) {
	for x := range row {
		at := line[x*stride:][:window]
		best := at[0]
		for _, v := range at[1:] {
			best = larger(best, v)
		}
		if !first {
			best = larger(row[x], best)
		}
		row[x] = best
	}
}

// larger returns the larger of two numbers, or NaN if one is. The built-in max is a slow call in
// WebAssembly.
func larger(a, b float32) float32 {
	if b > a || b != b {
		return b
	}
	return a
}
