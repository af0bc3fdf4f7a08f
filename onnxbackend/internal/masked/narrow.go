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
	weights []float32 // (output, inner)
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
			s.weights = append(s.weights, values[at])
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
	x = x[:s.inner]
	for o := range len(s.weights) / s.inner {
		sum := 0.0
		for i, w := range s.weights[o*s.inner:][:len(x)] {
			sum += float64(w) * float64(x[i])
		}
		y[o] = float32(sum + s.added(o))
	}
}

// four is one for four lines, stride numbers apart: four sums at a time, because each addition waits for the one before
// it. The products are exact in double precision, and their order is that of one.
func (s *narrow) four(y []float32, out int, x []float32, stride int) {
	x0, x1, x2, x3 := x[:s.inner], x[stride:][:s.inner], x[2*stride:][:s.inner], x[3*stride:][:s.inner]
	for o := range len(s.weights) / s.inner {
		var a, b, c, d float64
		for i, v := range s.weights[o*s.inner:][:len(x0)] {
			w := float64(v)
			a += w * float64(x0[i])
			b += w * float64(x1[i])
			c += w * float64(x2[i])
			d += w * float64(x3[i])
		}
		add := s.added(o)
		y[o], y[out+o], y[2*out+o], y[3*out+o] = float32(a+add), float32(b+add), float32(c+add), float32(d+add)
	}
}

// added returns the bias of an output.
func (s *narrow) added(o int) float64 {
	if s.bias == nil {
		return 0
	}
	return float64(s.bias[o])
}
