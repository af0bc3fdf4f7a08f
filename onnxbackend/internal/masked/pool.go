package masked

import (
	"math"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// pool compiles a node that reads instances: one that ends in rows, or one that makes or moves a
// ratio.
func (c *compiler) pool(n *graph.Node, in []value) error {
	x := in[0]
	along := x.instances() && n.PoolsAlong(places(in))
	by := n.Row.Reduces
	switch {
	case slices.ContainsFunc(in, func(v value) bool {
		return v.instances() &&
			v.tensor.Type != tensor.Float32
	}):
		return refusal(n, "reads instances that are not float32")
	case slices.ContainsFunc(in, func(v value) bool { return v.kind == shifted }):
		if n.Op == "Exp" {
			return c.exponential(n, x)
		}
	case n.Op == "Softmax" && along && x.kind == held:
		return c.softmax(n, x)
	case n.Op == "TopK" && along && x.kind == held:
		return c.topK(n, in)
	case along && sumsOf[by] != nil && (x.kind == held || by == ops.Sum || by == ops.Mean):
		return c.sum(n, by, x)
	case along && (by == ops.Max || by == ops.Min) && x.kind == held:
		return c.extreme(n, x, by == ops.Min)
	case n.Row.Product != nil && len(in) > 1:
		return c.contract(n, in)
	case n.Op == "Mul" || n.Op == "Div":
		return c.scale(n, in)
	case n.Row.Moves() && x.kind == ratio:
		return c.move(n, in)
	}
	return refusal(n, "mixes instances in a way that has no masked form")
}

func places(in []value) []ops.Place {
	out := make([]ops.Place, len(in))
	for i, v := range in {
		out[i] = v.place
		switch v.kind {
		case fixed:
			out[i].Class, out[i].Value = ops.Constant, v.tensor
			if v.tensor != nil {
				out[i].Shape = v.tensor.Shape
			}
		case list:
			out[i].Class = ops.Whole
		default:
			out[i].Class = ops.Instance
		}
	}
	return out
}

// sum compiles a reduction that is a sum of something.
func (c *compiler) sum(n *graph.Node, by ops.Reduction, x value) error {
	if by == ops.Prod && slices.ContainsFunc(tensor.Of[float32](x.tensor),
		func(v float32) bool { return !(v >= 0) || v > math.MaxFloat32 }) {
		return refusal(n, "multiplies numbers of which some are negative, which has no masked form")
	}
	t, err := c.tableOf(x, sumsOf[by])
	if err != nil {
		return err
	}
	name := "sum"
	switch {
	case x.kind == ratio:
		name = "attention"
	case by == ops.Mean:
		name = "mean"
	case by == ops.LogSumExp:
		name, c.plan.exponential = "logsumexp", true
	case by == ops.Prod:
		name = "product"
	}
	id := n.Out[0]
	t.mean = by == ops.Mean
	s := &sums{table: t, out: c.newRow(id, tensor.Float32, c.Place(id).Shape)}
	if by == ops.Sum && x.kind == held {
		s.of = &x
	}
	c.pools(id, name, s)
	return nil
}

// softmax makes a ratio: exp(x - max) of every instance, divided by the members' sum. The shift is
// the whole bag's, so that it is computed once; coalitions without any instance of weight are told
// apart later. A plan of logits multiplies by 1 instead, and keeps x.
func (c *compiler) softmax(n *graph.Node, x value) error {
	c.plan.exponential = true
	e := x.tensor.Clone()
	if c.Logits {
		v := tensor.Of[float32](e)
		for i := range v {
			v[i] = 1
		}
		c.values[n.Out[0]] = value{kind: ratio, place: x.place, tensor: e, weights: x.tensor,
			weightAxis: x.place.Axis, logits: true}
		return nil
	}
	outer, k, inner := split(e.Shape, x.place.Axis)
	v := tensor.Of[float32](e)
	for o := range outer {
		for i := range inner {
			expShifted(v[o*k*inner+i:], k, inner)
		}
	}
	c.values[n.Out[0]] = value{kind: ratio, place: x.place, tensor: e, weights: e,
		weightAxis: x.place.Axis}
	return nil
}

// divide makes a ratio of values divided by the sum of values over the instances, such as exp(x) of
// a softmax in steps.
func (c *compiler) divide(n *graph.Node, in []value) error {
	s := c.summed[c.plan.slots[in[1].slot].of]
	if n.Op != "Div" || in[0].kind != held || in[1].kind != row || s == nil || s.of == nil ||
		in[0].tensor.Type != tensor.Float32 {
		return c.times(n, in)
	}
	one := slices.Clone(s.of.tensor.Shape)
	one[s.of.place.Axis] = 1
	shape := in[0].tensor.Shape
	if lead := len(shape) - len(one); !slices.Equal(in[1].place.Shape, one) || lead < 0 ||
		in[0].place.Axis != lead+s.of.place.Axis ||
		!slices.Equal(c.Place(n.Out[0]).Shape, shape) {
		return c.times(n, in)
	}
	if c.alone(n.In[1]) {
		c.unpool(s)
	}
	c.values[n.Out[0]] = value{kind: ratio, place: in[0].place, tensor: in[0].tensor,
		weights: s.of.tensor, weightAxis: s.of.place.Axis}
	return nil
}

// scale multiplies or divides a ratio by something fixed or held; its divisor stays.
func (c *compiler) scale(n *graph.Node, in []value) error {
	r := in[0]
	if in[1].kind == ratio {
		r = in[1]
	}
	if r.kind != ratio || in[0].kind == ratio && in[1].kind == ratio || n.Op == "Div" &&
		in[0].kind != ratio {
		return refusal(n, "mixes instances in a way that has no masked form")
	}
	out, place, err := c.kept(n, in, tensors(in))
	if err != nil {
		return err
	}
	by, ok := r.by.beside(out.Rank())
	if !ok {
		return refusal(n, "mixes instances in a way that has no masked form")
	}
	c.values[n.Out[0]] = value{kind: ratio, place: place, tensor: out, weights: r.weights,
		weightAxis: r.weightAxis, logits: r.logits, by: by}
	return nil
}

// move moves a ratio whose weights move along, as those of a softmax do until they meet values of
// several features.
func (c *compiler) move(n *graph.Node, in []value) error {
	x := in[0]
	if x.weights != nil && (!slices.Equal(x.weights.Shape, x.tensor.Shape) ||
		x.weightAxis != x.place.Axis) {
		return refusal(n, "moves weighted instances, which has no masked form")
	}
	out, place, err := c.kept(n, in, tensors(in))
	if err != nil {
		return err
	}
	v := value{kind: ratio, place: place, tensor: out, logits: x.logits}
	if x.weights != nil {
		v.weights, v.weightAxis = out, place.Axis
	}
	if x.weights != nil && x.weights != x.tensor {
		t := tensors(in)
		t[0] = x.weights
		if v.weights, _, err = c.kept(n, in, t); err != nil {
			return err
		}
	}
	var ok bool
	if v.by, ok = x.by.moved(n, out.Rank()); !ok {
		return refusal(n, "moves weighted instances, which has no masked form")
	}
	c.values[n.Out[0]] = v
	return nil
}

// kept computes a node for the whole bag now and returns its first output with the axis of its
// instances, which the operator must keep apart.
func (c *compiler) kept(
	n *graph.Node, in []value, t []*tensor.Tensor,
) (*tensor.Tensor, ops.Place, error) {
	out, err := c.compute(n, t)
	if err != nil {
		return nil, ops.Place{}, err
	}
	where := make([]ops.Place, len(n.Out))
	for i := range where {
		where[i].Shape = out[i].Shape
	}
	n.Row.Axes(&n.Node, c.Instances, places(in), where)
	if where[0].Class != ops.Instance || out[0].Type != tensor.Float32 {
		return nil, ops.Place{}, refusal(n, "mixes instances in a way that has no masked form")
	}
	return out[0], where[0], nil
}
