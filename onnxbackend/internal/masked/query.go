package masked

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// query compiles an Attention of constant queries to keys and values of instances, such as a
// learned query that pools the bag. The scores of a key do not depend on the other members, so that
// the node is a softmax over the instances and a product with the values. Other forms of the
// operator are compiled to members, see fused.
func (c *compiler) query(n *graph.Node, in []value) error {
	rank := len(in[0].place.Shape)
	for i, v := range in[:3] {
		if i == 0 && (v.kind != constant || v.tensor == nil || v.tensor.Type != tensor.Float32) ||
			i > 0 && (v.kind != perInstance || v.place.Merged() || len(v.place.Shape) != rank ||
				v.place.Axis != rank-2) {
			return mixes(n)
		}
	}
	// The scores that the operator returns by default have no bias and no cap.
	if !c.firstOutput(n) || n.Int("is_causal", 0) != 0 || n.Float("softcap", 0) != 0 ||
		n.Int("qk_matmul_output_mode", 0) != 0 ||
		slices.ContainsFunc(in[3:], func(v value) bool {
			return v.kind != constant || v.tensor != nil
		}) {
		return refusal(n, "has a mask, a cap of scores, earlier keys, another output than the "+
			"first, or is causal, which has no form that pools")
	}
	made, err := c.call(n.Func, tensors(in), 4)
	if err != nil {
		return err
	}
	values, scores := made[2], made[3] // (batch, head, key, width), (batch, head, query, key)
	err = c.softmax(n, value{kind: perInstance, tensor: scores,
		place: ops.Place{Class: ops.Instance, Axis: 3, Shape: scores.Shape}})
	if err != nil {
		return err
	}
	weights := c.values[n.Out[0]]
	f := sidesOfHeads(weights.tensor, values, rank == 3)
	return c.product(n, []value{weights, {kind: perInstance, tensor: values}}, f, 1, nil)
}

// sidesOfHeads returns the sides of the product of weights (batch, head, query, key) and values
// (batch, shared head, key, width). The result is (batch, query, head, width) if joined, else
// (batch, head, query, width).
func sidesOfHeads(weights, values *tensor.Tensor, joined bool) [2]*side {
	w, v := weights.Shape, values.Shape
	batch, heads, queries, keys, shared, width := w[0], w[1], w[2], w[3], v[1], v[3]
	f := [2]*side{{values: tensor.Of[float32](weights), step: 1},
		{values: tensor.Of[float32](values), step: width}}
	for b := range batch {
		for i := range heads * queries {
			h, q := i/queries, i%queries
			if joined {
				q, h = i/heads, i%heads
			}
			for d := range width {
				f[0].at = append(f[0].at, ((b*heads+h)*queries+q)*keys)
				f[1].at = append(f[1].at, (b*shared+h*shared/heads)*keys*width+d)
			}
		}
	}
	return f
}
