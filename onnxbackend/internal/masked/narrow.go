package masked

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// narrow is a layer with few outputs, such as the one that gives the class scores, for the rows of all coalitions. It sums in
// double precision: scores are small differences of large terms. Summed in float32, the last layer of the bundled network of
// digits rounds a logit of 19.5, of terms of 21 in all, by up to 5e-6, and pooling and the layer before it by 3e-7.
type narrow struct {
	in, out int       // slots
	inner   int       // of the product
	weights []float64 // (output, inner)
	bias    []float32 // (output), or nil
}

// mostNarrow is the most outputs of a narrow layer.
const mostNarrow = 8

// narrow returns the step of a layer, see compiler.layer, if that is narrow and only multiplies and adds.
func (c *compiler) narrow(n *graph.Node, in []value, e each) (*narrow, bool) {
	b, ok := c.layer(n, in, e)
	if !ok {
		return nil, false
	}
	w := in[1].tensor
	inner, outputs := w.Shape[0], w.Shape[1]
	transposed := n.Op == "Gemm" && n.Int("transB", 0) != 0
	if transposed {
		inner, outputs = outputs, inner
	}
	if inner != b.tail[0][0] || inner == 0 || outputs > mostNarrow || w.Type != tensor.Float32 || n.Activation != nil {
		return nil, false
	}
	if size, _ := tensor.Count(c.plan.slots[e.out[0]].shape); size != b.lead*outputs {
		return nil, false
	}
	s := &narrow{in: e.in[0].slot, out: e.out[0], inner: inner}
	if n.Op == "Gemm" && (n.Float("alpha", 1) != 1 || n.Float("beta", 1) != 1) {
		return nil, false
	}
	if len(in) > 2 && in[2].tensor != nil {
		if in[2].tensor.Type != tensor.Float32 || in[2].tensor.Len() != outputs {
			return nil, false
		}
		s.bias = tensor.Of[float32](in[2].tensor)
	}
	values := tensor.Of[float32](w)
	for o := range outputs {
		for i := range inner {
			at := i*outputs + o
			if transposed {
				at = o*inner + i
			}
			s.weights = append(s.weights, float64(values[at]))
		}
	}
	return s, true
}

func (s *narrow) run(r *Runner) error {
	from, to := &r.stacks[s.in], &r.stacks[s.out]
	n := r.Len()
	if err := r.m.Tick(n * to.count * s.inner); err != nil {
		return err
	}
	x, y := tensor.View[float32](from.data, 2*len(from.data)), tensor.View[float32](to.data, 2*len(to.data))
	stride, out, outputs := 2*from.words, 2*to.words, len(s.weights)/s.inner
	for line := range from.count / s.inner {
		x, y, j := x[line*s.inner:], y[line*outputs:], 0
		for ; j+4 <= n; j += 4 {
			s.four(y[j*out:], out, x[j*stride:], stride)
		}
		for ; j < n; j++ {
			s.one(y[j*out:], x[j*stride:])
		}
	}
	return nil
}

// one computes the outputs of a line.
func (s *narrow) one(y, x []float32) {
	for o := range len(s.weights) / s.inner {
		s.single(y, x, o)
	}
}

// single computes one output of a line.
func (s *narrow) single(y, x []float32, o int) {
	x, sum := x[:s.inner], 0.0
	for i, w := range s.weights[o*s.inner:][:len(x)] {
		sum += w * float64(x[i])
	}
	y[o] = float32(sum + s.added(o))
}

// four is one for four lines, stride numbers apart. Four lines and two outputs make eight sums at a time, because each
// addition waits for the one before it. The products are exact in double precision, and their order is that of one.
func (s *narrow) four(y []float32, out int, x []float32, stride int) {
	x0, x1, x2, x3 := x[:s.inner], x[stride:][:s.inner], x[2*stride:][:s.inner], x[3*stride:][:s.inner]
	outputs := len(s.weights) / s.inner
	for o := 0; o+2 <= outputs; o += 2 {
		v, w := s.weights[o*s.inner:][:len(x0)], s.weights[(o+1)*s.inner:][:len(x0)]
		var a0, a1, a2, a3, b0, b1, b2, b3 float64
		for i, v := range v {
			w, z0, z1, z2, z3 := w[i], float64(x0[i]), float64(x1[i]), float64(x2[i]), float64(x3[i])
			a0, a1, a2, a3 = a0+v*z0, a1+v*z1, a2+v*z2, a3+v*z3
			b0, b1, b2, b3 = b0+w*z0, b1+w*z1, b2+w*z2, b3+w*z3
		}
		a, b := s.added(o), s.added(o+1)
		y[o], y[out+o], y[2*out+o], y[3*out+o] = float32(a0+a), float32(a1+a), float32(a2+a), float32(a3+a)
		y[o+1], y[out+o+1], y[2*out+o+1], y[3*out+o+1] = float32(b0+b), float32(b1+b), float32(b2+b), float32(b3+b)
	}
	if o := outputs - 1; outputs%2 != 0 {
		for line := range 4 {
			s.single(y[line*out:], x[line*stride:], o)
		}
	}
}

// added returns the bias of an output.
func (s *narrow) added(o int) float64 {
	if s.bias == nil {
		return 0
	}
	return float64(s.bias[o])
}
