package masked

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// fold moves a linear layer behind a sum into the sum's table, and reports whether it did: W (sum
// of a x) is the sum of a (W x). Each instance goes through the layer once, and every coalition
// sums as many numbers as the layer has outputs: 64 instead of 256 for the bundled network of
// digits. The layer's bias and activation come after the sum.
func (c *compiler) fold(n *graph.Node, in []value) (done bool, err error) {
	if n.Op != "Gemm" && n.Op != "MatMul" || in[0].kind != row || in[1].kind != constant ||
		len(in) > 2 && in[2].kind == row {
		return false, nil
	}
	// The sum must be linear in the rows, and no other node may read it.
	s, x := c.summed[c.plan.slots[in[0].slot].of], c.plan.slots[in[0].slot]
	if s == nil || !s.linear() || !c.alone(n.In[0]) {
		return false, nil
	}
	to := c.Place(n.Out[0])
	width, _ := tensor.Count(to.Shape)
	if len(x.shape) == 0 || x.shape[len(x.shape)-1] != s.width || to.Type != tensor.Float32 ||
		width > s.width || width == 0 ||
		n.Op == "Gemm" && n.Int("transA", 0) != 0 {
		return false, nil
	}
	// An activation that is fused into the layer is not linear: it becomes a step of its own.
	layer, activation, err := n.Split(n.Row.New)
	if err != nil {
		return false, nil // the node can still run as a whole
	}
	// The layer's own bias must be one number for each output.
	var added []float32
	if len(in) > 2 && in[2].tensor != nil {
		t := in[2].tensor
		if t.Type != tensor.Float32 || t.Len() != width {
			return false, nil
		}
		added = tensor.Of[float32](t)
	}
	values, err := c.through(layer, in[1].tensor, s, width)
	if values == nil || err != nil {
		return false, err
	}
	s.bias = values[c.Instances*width:]
	beta := n.Float("beta", 1)
	for i, v := range added {
		s.bias[i] += beta * v
	}
	if err := c.Machine.Outlive(4 * c.Instances * (width + s.divisors)); err != nil {
		return false, err
	}
	s.table = s.projected(values, width, c.Instances)
	// The result gets the sum's slot, which no other node reads.
	c.plan.slots[s.out].shape = to.Shape
	at := c.newRow(n.Out[0], tensor.Float32, to.Shape)
	c.plan.slots[at].of = s.out
	if activation != nil {
		delete(c.summed, s.out) // later layers cannot fold through the activation
		if n.Activation.Op == "Relu" {
			s.relu = true
			return true, nil
		}
		node := &graph.Node{Name: n.Name, Func: activation}
		node.Op = n.Op
		c.plan.steps = append(c.plan.steps, &batch{
			each: each{node: node, in: []operand{{slot: at}}, out: []int{at}},
			lead: 1, tail: [][]int{{width}},
		})
	}
	return true, nil
}

// foldRows is how many rows go through a layer at a time: all rows together would be a copy of the
// bag.
const foldRows = 1 << 10

// through returns the rows of all instances without divisors, and then the sum's bias, after a
// layer: (instance, width) and (width). It returns nil if the layer returns another number of
// values.
func (c *compiler) through(
	layer compute.Func, weights *tensor.Tensor, s *sums, width int,
) ([]float32, error) {
	values := make([]float32, 0, (c.Instances+1)*width)
	for lo := 0; lo <= c.Instances; lo += foldRows {
		hi := min(lo+foldRows, c.Instances+1)
		out, err := c.call(layer, []*tensor.Tensor{s.withBias(lo, hi, c.Instances), weights}, 1)
		if err != nil {
			return nil, err
		}
		if out[0].Len() != (hi-lo)*width {
			return nil, nil
		}
		values = append(values, tensor.Of[float32](out[0])...)
	}
	return values, nil
}

// withBias returns rows lo up to hi of k instances without divisors. Row k is the sum's bias, which
// goes through a layer too.
func (s *sums) withBias(lo, hi, k int) *tensor.Tensor {
	rows := tensor.New(tensor.Float32, hi-lo, s.width)
	values, all := tensor.Of[float32](rows), s.width+s.divisors
	for i := lo; i < hi; i++ {
		row := s.bias
		if i < k {
			row = s.rows[i*all:]
		}
		copy(values[(i-lo)*s.width:(i-lo+1)*s.width], row)
	}
	return rows
}

// alone reports whether one node at most reads a row, and the rows that it is a reshaped view of.
func (c *compiler) alone(id int) bool {
	for c.read[id] == 1 {
		n := c.reshaped[id]
		if n == nil {
			return true
		}
		id = n.In[0]
	}
	return false
}

// linear reports whether the result is the sum, divided by at most one number.
func (t *table) linear() bool {
	return t.finish == nil && !t.exact && !t.logSum() && t.divisors <= 1 &&
		(t.by == nil || t.by.at == nil)
}

// projected returns the table with other rows, (instance, width), and the same divisors. k is the
// number of instances.
func (t *table) projected(rows []float32, width, k int) *table {
	p := &table{width: width, divisors: t.divisors, mean: t.mean, by: t.by, logits: t.logits}
	if t.divisor != nil {
		p.divisor = make([]int, width)
	}
	p.rows = make([]float32, 0, k*(width+t.divisors))
	all := t.width + t.divisors
	for i := range k {
		p.rows = append(p.rows, rows[i*width:(i+1)*width]...)
		p.rows = append(p.rows, t.rows[i*all+t.width:(i+1)*all]...)
	}
	return p
}
