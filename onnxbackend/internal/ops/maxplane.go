package ops

import "github.com/bagscope/bagscope/onnxbackend/internal/machine"

// insidePlane reports whether windows lie over planes, without gaps between their places and without a
// place outside.
func (p placed) insidePlane() bool {
	if len(p.in) != 2 {
		return false
	}
	for i := range p.in {
		if p.pads[i] != 0 || p.dilations[i] != 1 || (p.out[i]-1)*p.strides[i]+p.kernel[i] > p.in[i] {
			return false
		}
	}
	return true
}

// maxPlanes is maxPool for windows inside planes. It walks rows instead of a table of places: a quarter of the
// time for windows of 2 by 2.
func maxPlanes(m *machine.Machine, p placed, dst, src []float32) error {
	size, width, positions := p.in[0]*p.in[1], p.in[1], p.out[0]*p.out[1]
	for len(dst) > 0 {
		if err := m.Tick(positions * p.kernel[0] * p.kernel[1]); err != nil {
			return err
		}
		for y := range p.out[0] {
			row := dst[y*p.out[1] : (y+1)*p.out[1]]
			for ky := range p.kernel[0] {
				maxAlong(row, src[(y*p.strides[0]+ky)*width:][:width], p.kernel[1], p.strides[1], ky == 0)
			}
		}
		dst, src = dst[positions:], src[size:]
	}
	return nil
}

// maxAlong takes the maxima of windows of a line into row; first begins anew.
func maxAlong(row, line []float32, window, stride int, first bool) {
	for x := range row {
		at := line[x*stride:][:window]
		best := at[0]
		for _, v := range at[1:] {
			best = max(best, v)
		}
		if !first {
			best = max(best, row[x])
		}
		row[x] = best
	}
}
