package compute

// A flatAxis lays one spatial dimension of a padded picture out so that a tap is a constant
// distance away from its place. If the stride is s, every s-th place is a line of its own, a phase:
// the taps of a phase read neighbours. The padding after a line is also the padding before the next
// one.
type flatAxis struct {
	phases []phase
	// pitch is the distance between the starts of two lines, over is how far the last tap of a
	// line's last place lies beyond it.
	pitch, over int
	// phaseOf and shift hold for each tap the index of its phase and its distance there.
	phaseOf, shift []int
}

// A phase is every stride-th place of the padded dimension, from place first on, which is negative
// in the padding. Places low up to high lie in the picture.
type phase struct{ first, low, high, reach int }

// newFlatAxis lays dimension i of a window out. Every window must meet the picture.
func newFlatAxis(p placed, i int) flatAxis {
	a := flatAxis{pitch: p.out[i]}
	index := map[int]int{} // (first place of a phase) the phase's place in a.phases
	for k := range p.kernel[i] {
		at := k * p.dilations[i]
		first, shift := at%p.strides[i]-p.pads[i], at/p.strides[i]
		j, ok := index[first]
		if !ok {
			j = len(a.phases)
			index[first] = j
			a.phases = append(a.phases, phase{first: first})
		}
		// Taps ascend, so the last one of a phase has the largest distance.
		a.phases[j].reach = p.out[i] + shift
		a.phaseOf, a.shift = append(a.phaseOf, j), append(a.shift, shift)
	}
	for j := range a.phases {
		f, stride := &a.phases[j], p.strides[i]
		// Place n of the phase is place first + n*stride of the picture.
		f.low = ceilDiv(max(0, -f.first), stride)
		f.high = min(f.reach, ceilDiv(max(0, p.in[i]-f.first), stride))
		if f.high <= f.low {
			f.high = f.low // only padding
			continue
		}
		a.pitch = max(a.pitch, f.high, f.reach-f.low)
	}
	for _, f := range a.phases {
		a.over = max(a.over, f.reach-a.pitch)
	}
	return a
}

// ceilDiv returns x / y rounded up, for x that is not negative.
func ceilDiv(x, y int) int { return (x + y - 1) / y }
