package passes

import (
	"math"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// normalization merges BatchNormalization, which with stored moments is y = s x + t for each
// channel, into the weights W and bias b of its neighbour:
//
//	after a layer:   s (W x + b) + t = (s W) x + (s b + t)
//	before a layer:  W (s x + t) + b = (W s) x + (W t + b)
//
// A layer before it may be a Conv, a Gemm or a MatMul of matrices. A layer after it may be a Gemm
// or a MatMul of matrices, but no Conv: its padding is not normalized. Products are computed in
// float64 and rounded once.
func normalization(r *rewriter) {
	facts := newFacts(r.g)
	for i := range r.g.Nodes {
		facts.node(&r.g.Nodes[i])
	}
	for i := range r.g.Nodes {
		n := &r.g.Nodes[i]
		if r.dropped[i] {
			continue
		}
		next, at := r.only(i)
		if next == nil {
			continue
		}
		// A MatMul over a batch of matrices has its channels in another axis than the
		// normalization.
		matrix := len(facts.at(n.Out, 0).Shape) == 2
		if n.Op != "BatchNormalization" && next.Op == "BatchNormalization" {
			if r.isLayer(n) && (n.Op != "MatMul" || matrix) && r.mergeAfter(n, next) {
				r.absorb(i, at)
			}
			continue
		}
		if n.Op == "BatchNormalization" && next.In[0] == n.Out[0] && r.isLayer(next) &&
			next.Op != "Conv" && (next.Op == "Gemm" || matrix) && r.mergeBefore(n, next) {
			r.drop(i, describe(n)+" into "+describe(next))
			r.uses[n.In[0]]++ // the layer reads it now
		}
	}
}

// affine is the function of a BatchNormalization for each channel: s x + t.
type affine struct{ s, t []float64 }

// affineOf returns the function of a BatchNormalization of n channels. It reports false if its
// parameters are not constants or a result is not finite.
func (r *rewriter) affineOf(bn *graph.Node, n int) (a affine, ok bool) {
	var p [4][]float32 // scale, bias, mean, variance
	for i := range p {
		c := r.constant(bn, i+1)
		if c == nil || c.Len() != n {
			return a, false
		}
		p[i] = tensor.Of[float32](c)
	}
	epsilon := float64(bn.Float("epsilon", 1e-5))
	for c := range n {
		s := float64(p[0][c]) / math.Sqrt(float64(p[3][c])+epsilon)
		t := float64(p[1][c]) - float64(p[2][c])*s
		if math.IsNaN(s+t) || math.IsInf(s+t, 0) {
			return a, false
		}
		a.s, a.t = append(a.s, s), append(a.t, t)
	}
	return a, true
}

// A layer describes the weights of a node as a matrix: that of output j and input p is
// w[j*out+p*in].
type layer struct {
	w       *tensor.Tensor
	outputs int
	inputs  int
	out, in int       // strides
	bias    []float64 // (outputs), added to alpha times the product
	alpha   float64
}

// layerOf returns the layer of a node with constant weights. It reports false if there is a bias
// that is not constant or not one number for each output.
func (r *rewriter) layerOf(n *graph.Node) (l layer, ok bool) {
	l = layer{w: r.constant(n, 1), alpha: 1}
	shape, beta := l.w.Shape, 1.0
	switch {
	case n.Op == "Conv":
		if len(shape) < 3 || shape[0] == 0 {
			return l, false
		}
		l.outputs, l.inputs = shape[0], l.w.Len()/shape[0]
		l.out, l.in = l.inputs, 1
	case n.Op == "Gemm" && n.Int("transB", 0) != 0:
		l.outputs, l.inputs, l.out, l.in = shape[0], shape[1], shape[1], 1
	default:
		l.outputs, l.inputs, l.out, l.in = shape[1], shape[0], 1, shape[1]
	}
	if n.Op == "Gemm" {
		l.alpha, beta = float64(n.Float("alpha", 1)), float64(n.Float("beta", 1))
	}
	l.bias = make([]float64, l.outputs)
	if !given(n, 2) || beta == 0 {
		return l, true
	}
	c := r.constant(n, 2)
	switch {
	case c == nil, n.Op == "Conv" && c.Rank() != 1:
		return l, false
	case c.Len() == l.outputs && (c.Len() == 1 || c.Shape[c.Rank()-1] == c.Len()):
	case c.Len() != 1 || n.Op != "Gemm":
		return l, false
	}
	b := tensor.Of[float32](c)
	for j := range l.bias {
		l.bias[j] = beta * float64(b[min(j, len(b)-1)])
	}
	return l, true
}

// mergeAfter merges bn into the layer n before it.
func (r *rewriter) mergeAfter(n, bn *graph.Node) bool {
	l, ok := r.layerOf(n)
	if !ok {
		return false
	}
	a, ok := r.affineOf(bn, l.outputs)
	if !ok || !r.room(l) {
		return false
	}
	w := l.scaled(func(j, _ int) float64 { return a.s[j] })
	for j := range l.bias {
		l.bias[j] = a.s[j]*l.bias[j] + a.t[j]
	}
	return r.replace(n, w, l.bias)
}

// mergeBefore merges bn into the layer n after it.
func (r *rewriter) mergeBefore(bn, n *graph.Node) bool {
	if n.Int("transA", 0) != 0 && n.Op == "Gemm" {
		return false // the layer sums over rows, not over the channels
	}
	l, ok := r.layerOf(n)
	if !ok {
		return false
	}
	a, ok := r.affineOf(bn, l.inputs)
	if !ok || !r.room(l) {
		return false
	}
	w := l.scaled(func(_, p int) float64 { return a.s[p] })
	old := tensor.Of[float32](l.w)
	for j := range l.bias {
		sum := 0.0
		for p, t := range a.t {
			sum += t * float64(old[j*l.out+p*l.in])
		}
		l.bias[j] += l.alpha * sum
	}
	was := *n
	r.setInput(n, 0, bn.In[0])
	if !r.replace(n, w, l.bias) {
		*n = was
		return false
	}
	return true
}

// room reserves memory for another copy of a layer. It reports false if the limit is reached: a
// file may use one matrix in many layers.
func (r *rewriter) room(l layer) bool { return r.g.Reserve(8 * (len(l.w.Words) + l.outputs)) }

// scaled returns a copy of the weights times factor(output, input).
func (l *layer) scaled(factor func(j, p int) float64) *tensor.Tensor {
	w := l.w.Clone()
	v := tensor.Of[float32](w)
	for j := range l.outputs {
		for p := range l.inputs {
			at := j*l.out + p*l.in
			v[at] = float32(float64(v[at]) * factor(j, p))
		}
	}
	return w
}

// replace sets new weights and a bias of a layer. It reports false, and leaves the layer as it is,
// if a number is infinite or NaN in float32. alpha of a Gemm still scales the weights, but beta
// must not scale the new bias.
func (r *rewriter) replace(n *graph.Node, w *tensor.Tensor, bias []float64) bool {
	b := tensor.New(tensor.Float32, len(bias))
	for i, v := range bias {
		tensor.Of[float32](b)[i] = float32(v)
	}
	notFinite := func(v float32) bool { return v-v != 0 }
	if slices.ContainsFunc(tensor.Of[float32](w), notFinite) ||
		slices.ContainsFunc(tensor.Of[float32](b), notFinite) {
		return false
	}
	was := *n
	r.setInput(n, 1, r.g.AddConstant(r.g.Values[n.In[1]].Name+", normalized", w))
	r.setInput(n, 2, r.g.AddConstant(n.Name+", normalized bias", b))
	n.Attributes = slices.DeleteFunc(slices.Clone(n.Attributes),
		func(a decode.Attribute) bool { return a.Name == "beta" })
	return r.rebuild(n, was)
}
