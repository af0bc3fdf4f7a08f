package masked

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// contract compiles a matrix product that sums over the instances: weights times values, whichever side the
// weights are on, such as (1, k) x (k, d). A product of which one side is a ratio is attention; of two held
// sides it is a sum.
func (c *compiler) contract(n *graph.Node, in []value) error {
	left, right := c.factor(n, in[0], "transA", true), c.factor(n, in[1], "transB", false)
	if left == nil || right == nil || in[0].kind == ratio && in[1].kind == ratio {
		return refusal(n, "mixes instances in a way that has no masked form")
	}
	alpha, bias, err := c.affine(n, in)
	if err != nil {
		return err
	}
	t := &table{width: left.n * right.n}
	name := "sum"
	var divisor *factor
	if in[0].kind == ratio {
		divisor = weightsOf(left, in[0])
	}
	if in[1].kind == ratio {
		divisor = weightsOf(right, in[1])
	}
	if in[0].kind == ratio || in[1].kind == ratio {
		if name = "attention"; divisor == nil {
			return refusal(n, "multiplies weighted instances, which has no masked form")
		}
		t.divisors = divisor.n
		for a := range left.n {
			for b := range right.n {
				at := a
				if in[1].kind == ratio {
					at = b
				}
				t.divisor = append(t.divisor, at)
			}
		}
	}
	t.rows = make([]float32, 0, c.Instances*(t.width+t.divisors))
	for i := range c.Instances {
		if err := c.Machine.Tick(4 * t.width); err != nil {
			return err
		}
		for a := range left.n {
			weight := alpha * left.at(i, a)
			for b := range right.n {
				t.rows = append(t.rows, weight*right.at(i, b))
			}
		}
		for d := range t.divisors {
			t.rows = append(t.rows, divisor.at(i, d))
		}
	}
	id := n.Out[0]
	c.pools(name, &sums{table: t, bias: bias, out: c.newRow(id, tensor.Float32, c.Place(id).Shape)})
	return nil
}

// factor is one side of a product over the instances: n numbers for each of them.
type factor struct {
	values      []float32
	n           int
	step, apart int // between instances, and between the numbers of one
}

func (f *factor) at(i, j int) float32 { return f.values[i*f.step+j*f.apart] }

// factor returns a side of a matrix product if it is summed over its instances, else nil. Dimensions in front
// of the matrix must have one place.
func (c *compiler) factor(n *graph.Node, v value, trans string, isLeft bool) *factor {
	if v.kind != held && v.kind != ratio {
		return nil
	}
	shape, axis := v.tensor.Shape, v.place.Axis
	rank := len(shape)
	for _, d := range shape[:max(0, rank-2)] {
		if d != 1 {
			return nil
		}
	}
	f := &factor{values: tensor.Of[float32](v.tensor), n: 1, step: 1}
	if rank == 1 {
		return f
	}
	columns := isLeft != (n.Op == "Gemm" && n.Int(trans, 0) != 0) // the summed dimension is the last
	switch {
	case columns && axis == rank-1:
		f.n, f.apart = shape[rank-2], c.Instances
	case !columns && axis == rank-2:
		f.n, f.step, f.apart = shape[rank-1], shape[rank-1], 1
	default:
		return nil
	}
	return f
}

// weightsOf is the divisor of a ratio that is a factor: the factor itself, as a softmax is.
func weightsOf(f *factor, v value) *factor {
	if v.weights != v.tensor {
		return nil
	}
	return f
}

// affine returns what Gemm does beside the product: a factor, and a bias for each number of a row.
func (c *compiler) affine(n *graph.Node, in []value) (alpha float32, bias []float32, err error) {
	if n.Op != "Gemm" {
		return 1, nil, nil
	}
	if len(in) > 2 && in[2].tensor != nil {
		shape := c.Place(n.Out[0]).Shape
		b, t := n.Float("beta", 1), in[2].tensor
		if in[2].kind != fixed || t.Type != tensor.Float32 || t.Rank() > 2 {
			return 0, nil, refusal(n, "adds to pooled instances something that is not fixed")
		}
		rows, columns := shape[0], shape[1]
		for i := range rows {
			for j := range columns {
				bias = append(bias, b*broadcastAt(t, i, j))
			}
		}
	}
	return n.Float("alpha", 1), bias, nil
}

// broadcastAt returns the element of a tensor of at most two dimensions that meets (i, j).
func broadcastAt(t *tensor.Tensor, i, j int) float32 {
	v, at := tensor.Of[float32](t), 0
	rank := t.Rank()
	if rank == 2 && t.Shape[0] > 1 {
		at += i * t.Shape[1]
	}
	if rank > 0 && t.Shape[rank-1] > 1 {
		at += j
	}
	return v[at]
}
