package kernel

// A Narrow is a linear layer with few outputs, whose sums are float64: class scores are small
// differences of large terms.
type Narrow struct {
	inner, outputs int
	// (pair of outputs, inner), zero for the output that the last pair lacks
	weights [][2]float64
	bias    [][2]float64 // (pair of outputs)
}

// NewNarrow returns the layer with the weight w[i*outputs+o] of input i in output o, or
// w[o*inner+i] if w is transposed. bias is (outputs) or nil.
func NewNarrow(w []float32, inner, outputs int, transposed bool, bias []float32) *Narrow {
	pairs := (outputs + 1) / 2
	n := &Narrow{inner, outputs, make([][2]float64, pairs*inner), make([][2]float64, pairs)}
	row, column := outputs, 1
	if transposed {
		row, column = 1, inner
	}
	for o := range outputs {
		for i := range inner {
			n.weights[o/2*inner+i][o%2] = float64(w[i*row+o*column])
		}
		if bias != nil {
			n.bias[o/2][o%2] = float64(bias[o])
		}
	}
	return n
}

// Apply writes the outputs of lines of inner inputs, ldx apart, to y, ldy apart. Each output is one
// chain of float64 additions in the order of the inputs, then the bias, rounded once: products of
// float32 are exact in float64, so that all levels return the same bits. y and x may not overlap.
func (n *Narrow) Apply(y []float32, ldy int, x []float32, ldx, lines int) {
	if lines <= 0 || n.outputs == 0 || n.inner == 0 {
		return
	}
	n.apply(y[:(lines-1)*ldy+n.outputs], ldy, x[:(lines-1)*ldx+n.inner], ldx, lines)
}

// applyPortable computes pairs of outputs of four lines at a time: eight sums, because each
// addition waits for the one before it.
func (n *Narrow) applyPortable(y []float32, ldy int, x []float32, ldx, lines int) {
	l := 0
	for ; l+4 <= lines; l += 4 {
		n.four(y[l*ldy:], ldy, x[l*ldx:], ldx)
	}
	for ; l < lines; l++ {
		for o := range n.outputs {
			n.one(y[l*ldy:], x[l*ldx:], o)
		}
	}
}

// one computes one output of a line.
func (n *Narrow) one(y, x []float32, o int) {
	x, sum := x[:n.inner], 0.0
	for i, w := range n.weights[o/2*n.inner:][:len(x)] {
		sum += w[o%2] * float64(x[i])
	}
	y[o] = float32(sum + n.bias[o/2][o%2])
}

// four computes the outputs of four lines.
func (n *Narrow) four(y []float32, ldy int, x []float32, ldx int) {
	x0, x1, x2, x3 := x[:n.inner], x[ldx:][:n.inner], x[2*ldx:][:n.inner], x[3*ldx:][:n.inner]
	y0, y1, y2, y3 := y, y[ldy:], y[2*ldy:], y[3*ldy:]
	for o := 0; o+2 <= n.outputs; o += 2 {
		var a0, a1, a2, a3, b0, b1, b2, b3 float64
		for i, w := range n.weights[o/2*n.inner:][:len(x0)] {
			v, w, z0, z1, z2, z3 := w[0], w[1], float64(x0[i]), float64(x1[i]), float64(x2[i]),
				float64(x3[i])
			a0, a1, a2, a3 = a0+v*z0, a1+v*z1, a2+v*z2, a3+v*z3
			b0, b1, b2, b3 = b0+w*z0, b1+w*z1, b2+w*z2, b3+w*z3
		}
		a, b := n.bias[o/2][0], n.bias[o/2][1]
		y0[o], y1[o], y2[o], y3[o] = float32(a0+a), float32(a1+a), float32(a2+a), float32(a3+a)
		y0[o+1], y1[o+1], y2[o+1], y3[o+1] = float32(b0+b), float32(b1+b), float32(b2+b),
			float32(b3+b)
	}
	if n.outputs%2 != 0 {
		for line := range 4 {
			n.one(y[line*ldy:], x[line*ldx:], n.outputs-1)
		}
	}
}
