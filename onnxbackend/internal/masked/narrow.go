package masked

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// narrow is the step of a layer with few outputs, such as that of the class scores, for the rows of
// all coalitions. It sums in float64: scores are small differences of large terms, and marginal
// contributions are small differences of scores. In float32, this layer has the largest rounding
// error of a suffix.
type narrow struct {
	in, out int // slots
	inner   int // size of the dimension that is summed over
	layer   *kernel.Narrow
}

// mostNarrow is the largest number of outputs of a narrow layer.
const mostNarrow = 8

// narrow returns the step of a layer, see compiler.layer, if it is narrow and has no scale and no
// activation.
func (c *compiler) narrow(n *graph.Node, in []value, e each) (*narrow, bool) {
	b, ok := c.layer(n, in, e)
	if !ok {
		return nil, false
	}
	// The layer must be a product with the whole line of a row, plus one bias for each output.
	w := in[1].tensor
	inner, outputs := w.Shape[0], w.Shape[1]
	transposed := n.Op == "Gemm" && n.Int("transB", 0) != 0
	if transposed {
		inner, outputs = outputs, inner
	}
	if inner != b.tail[0][0] || inner == 0 || outputs > mostNarrow || w.Type != tensor.Float32 ||
		n.Activation != nil {
		return nil, false
	}
	if size, _ := tensor.Count(c.plan.slots[e.out[0]].shape); size != b.lead*outputs {
		return nil, false
	}
	if n.Op == "Gemm" && (n.Float("alpha", 1) != 1 || n.Float("beta", 1) != 1) {
		return nil, false
	}
	var bias []float32
	if len(in) > 2 && in[2].tensor != nil {
		if in[2].tensor.Type != tensor.Float32 || in[2].tensor.Len() != outputs {
			return nil, false
		}
		bias = tensor.Of[float32](in[2].tensor)
	}
	layer := kernel.NewNarrow(tensor.Of[float32](w), inner, outputs, transposed, bias)
	return &narrow{in: e.in[0].slot, out: e.out[0], inner: inner, layer: layer}, true
}

// run applies the layer to every line of every row.
func (s *narrow) run(r *Runner) error {
	from, to := &r.stacks[s.in], &r.stacks[s.out]
	n := r.Len()
	if err := r.m.Tick(n * to.count * s.inner); err != nil {
		return err
	}
	x, y := tensor.View[float32](from.data, 2*len(from.data)), tensor.View[float32](to.data,
		2*len(to.data))
	lines := from.count / s.inner
	for line := range lines {
		s.layer.Apply(y[line*to.count/lines:], 2*to.words, x[line*s.inner:], 2*from.words, n)
	}
	return nil
}
