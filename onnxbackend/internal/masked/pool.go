package masked

import (
	"math"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// pool compiles a node that reads instances and no rows: one that pools them, or one that computes
// or moves a ratio.
func (c *compiler) pool(n *graph.Node, in []value) error {
	// Reductions and softmaxes pool if they are along the axis of instances only.
	x := in[0]
	along := x.instances() && n.PoolsAlong(places(in))
	by := n.Row.Reduces
	switch {
	case slices.ContainsFunc(in,
		func(v value) bool { return v.instances() && v.tensor.Type != tensor.Float32 }):
		return refusal(n, "reads instances that are not float32")
	case slices.ContainsFunc(in, func(v value) bool { return v.kind == shifted }):
		if n.Op == "Exp" {
			return c.exponential(n, x)
		}
	case n.Op == "Softmax" && along && x.kind == perInstance:
		return c.softmax(n, x)
	case n.Op == "TopK" && along && x.kind == perInstance:
		return c.topK(n, in)
	case along && sumsOf[by] != nil &&
		(x.kind == perInstance || by == compute.Sum || by == compute.Mean):
		return c.sum(n, by, x)
	case along && (by == compute.Max || by == compute.Min) && x.kind == perInstance:
		return c.extreme(n, x, by == compute.Min)
	case n.Op == "Attention":
		return c.query(n, in)
	case n.Row.Product != nil && len(in) > 1:
		return c.contract(n, in)
	case n.Op == "Mul" || n.Op == "Div":
		return c.scale(n, in)
	case n.Row.Moves() && x.kind == ratio:
		return c.move(n, in)
	}
	return mixes(n)
}

// sum compiles a reduction that is a function of a sum, see sumsOf.
func (c *compiler) sum(n *graph.Node, by compute.Reduction, x value) error {
	if by == compute.Prod && slices.ContainsFunc(tensor.Of[float32](x.tensor),
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
	case by == compute.Mean:
		name = "mean"
	case by == compute.LogSumExp:
		name, c.plan.exponential = "logsumexp", true
	case by == compute.Prod:
		name = "product"
	}
	id := n.Out[0]
	t.mean = by == compute.Mean
	// A plain sum may be the divisor of a softmax in separate operators, see divide.
	s := &sums{table: t, out: c.newRow(id, tensor.Float32, c.Place(id).Shape)}
	if by == compute.Sum && x.kind == perInstance {
		s.of = &x
	}
	c.pools(id, name, s)
	return nil
}

// softmax compiles a Softmax over the instances to a ratio: exp(x - max) of every instance, divided
// by the members' sum. The maximum is that of the whole bag, so that exponentials are computed
// once. A coalition whose members all underflow is marked as in doubt when it runs. A plan of
// logits has the ratio of 1 and keeps the logits x.
func (c *compiler) softmax(n *graph.Node, x value) error {
	c.plan.exponential = true
	if err := c.Machine.Outlive(8 * len(x.tensor.Words)); err != nil {
		return err
	}
	e := x.tensor.Clone()
	v := tensor.Of[float32](e)
	out := value{kind: ratio, place: x.place, tensor: e, weights: e, weightAxis: x.place.Axis,
		logits: c.Logits}
	if c.Logits {
		out.weights = x.tensor
		for i := range v {
			v[i] = 1
		}
	} else {
		outer, k, inner := split(e.Shape, x.place.Axis)
		shift := largest(v, outer, k, inner)
		for i := range v {
			column := i/(k*inner)*inner + i%inner
			v[i] = float32(math.Exp(float64(v[i]) - shift[column]))
		}
	}
	c.values[n.Out[0]] = out
	return nil
}

// divide compiles a Div of values by a sum over the instances, such as that of a softmax in
// separate operators, to a ratio. Other nodes that combine instances and rows are compiled by
// times.
func (c *compiler) divide(n *graph.Node, in []value) error {
	s := c.summed[c.plan.slots[in[1].slot].of]
	if n.Op != "Div" || in[0].kind != perInstance || in[1].kind != row || s == nil || s.of == nil ||
		in[0].tensor.Type != tensor.Float32 {
		return c.times(n, in)
	}
	one := slices.Clone(s.of.tensor.Shape)
	one[s.of.place.Axis] = 1
	shape := in[0].tensor.Shape
	// The sum must keep the axis of instances, as 1, in the same place beside the dividend.
	if lead := len(shape) - len(one); !slices.Equal(in[1].place.Shape, one) || lead < 0 ||
		in[0].place.Axis != lead+s.of.place.Axis ||
		!slices.Equal(c.Place(n.Out[0]).Shape, shape) {
		return c.times(n, in)
	}
	// The division needs the sum as part of the ratio's table only.
	if c.alone(n.In[1]) {
		c.unpool(s)
	}
	c.values[n.Out[0]] = value{kind: ratio, place: in[0].place, tensor: in[0].tensor,
		weights: s.of.tensor, weightAxis: s.of.place.Axis}
	return nil
}

// scale compiles a Mul or Div of a ratio by a constant or a perInstance value. The divisor stays.
func (c *compiler) scale(n *graph.Node, in []value) error {
	r := in[0]
	if in[1].kind == ratio {
		r = in[1]
	}
	if r.kind != ratio || in[0].kind == ratio && in[1].kind == ratio ||
		n.Op == "Div" && in[0].kind != ratio {
		return mixes(n)
	}
	// The factor of the ratio stays beside the new tensor, whose rank may be larger.
	out, place, err := c.computeBag(n, in, tensors(in))
	if err != nil {
		return err
	}
	by, ok := r.by.beside(out.Rank())
	if !ok {
		return mixes(n)
	}
	c.values[n.Out[0]] = value{kind: ratio, place: place, tensor: out, weights: r.weights,
		weightAxis: r.weightAxis, logits: r.logits, by: by}
	return nil
}

// move compiles a node that moves the elements of a ratio, such as a Transpose. Weights must have
// the shape of the ratio, as after a softmax, so that they can move in the same way.
func (c *compiler) move(n *graph.Node, in []value) error {
	x := in[0]
	if x.weights != nil && (!slices.Equal(x.weights.Shape, x.tensor.Shape) ||
		x.weightAxis != x.place.Axis) {
		return refusal(n, "moves weighted instances, which has no masked form")
	}
	out, place, err := c.computeBag(n, in, tensors(in))
	if err != nil {
		return err
	}
	v := value{kind: ratio, place: place, tensor: out, logits: x.logits}
	if x.weights != nil {
		v.weights, v.weightAxis = out, place.Axis
		if x.weights != x.tensor {
			t := tensors(in)
			t[0] = x.weights
			if v.weights, _, err = c.computeBag(n, in, t); err != nil {
				return err
			}
		}
	}
	var ok bool
	if v.by, ok = x.by.moved(n, out.Rank()); !ok {
		return refusal(n, "moves weighted instances, which has no masked form")
	}
	c.values[n.Out[0]] = v
	return nil
}

// computeBag computes a node for the whole bag at compile time. It returns the first output and its
// axis of instances. The operator must compute instances separately.
func (c *compiler) computeBag(
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
	n.Row.Axes.Apply(&n.Node, c.Instances, places(in), where)
	if where[0].Class != ops.Instance || where[0].Merged() || out[0].Type != tensor.Float32 {
		return nil, ops.Place{}, mixes(n)
	}
	return out[0], where[0], nil
}
