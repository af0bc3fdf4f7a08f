package ops

// dftRule keeps instances apart if a DFT is along another axis, which must be a constant, and not
// that of real and imaginary parts.
func dftRule(n *Node, k int, in, out []Place) {
	rank := len(in[0].Shape)
	if in[0].Class != Instance || !parameters(in) || in[0].Axis == rank-1 {
		return
	}
	var axisInput Place
	if len(in) > 2 {
		axisInput = in[2]
	}
	if axisInput.Shape != nil && axisInput.Value == nil {
		return
	}
	if axis, err := n.DFTAxis(axisInput.Value, rank); err == nil && axis != in[0].Axis {
		out[0].keep(in[0].Axis, k)
	}
}

// stftMixes returns the axes that an STFT mixes: all but the first.
func stftMixes(_ *Node, rank int) (first, last int) { return 1, rank }

// batchDFT moves the axis by one: an attribute before version 20, else an input or the default.
func batchDFT(v *Vmap, n *Node) {
	switch {
	case !v.onlyFirst():
	case n.Opset < 20:
		v.shift(n, 1)
	case len(v.stacked) > 2:
		v.strategy, v.axes = shiftAxis, 2
	default:
		v.strategy, v.lowestAxis = shiftAxis, -2
	}
}
