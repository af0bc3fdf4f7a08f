package masked

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// contract compiles a product that sums over the instances and over nothing else: weights times
// values in either order, such as (1, k) x (k, d), or with several heads, (h, 1, k) x (h, k, d). If
// one side is a ratio, it is attention pooling; if both are values of instances, it is a sum.
func (c *compiler) contract(n *graph.Node, in []value) error {
	var f [2]*side
	var out []int // shape of the result
	// The instances must be the same summed dimension of both sides.
	if p, ok := n.Product(in[0].place.Shape, in[1].place.Shape); ok && in[0].instances() &&
		in[1].instances() {
		label := p.Terms[0][in[0].place.Axis]
		if p.Terms[1][in[1].place.Axis] == label && !slices.Contains(p.Result, label) {
			out = c.Place(n.Out[0]).Shape
			f[0] = c.side(in[0], p.Terms[0], p.Result, out)
			f[1] = c.side(in[1], p.Terms[1], p.Result, out)
		}
	}
	if f[0] == nil || f[1] == nil || in[0].kind == ratio && in[1].kind == ratio {
		return mixes(n)
	}
	alpha, bias, err := c.affine(n, in)
	if err != nil {
		return err
	}
	return c.product(n, in, f, alpha, bias)
}

// product adds the step that sums the products of two sides over the members. in holds the values
// of the sides, of which one may be a ratio.
func (c *compiler) product(
	n *graph.Node, in []value, f [2]*side, alpha float32, bias []float32,
) error {
	t := &table{width: len(f[0].at)}
	name := "sum"
	var divisors []int // elements of an instance that are weights
	// A ratio divides the sums by those of its weights, which become columns of the table.
	weights := f[0]
	for side, v := range in[:2] {
		if v.kind != ratio {
			continue
		}
		name, weights = "attention", f[side]
		if v.by != nil {
			t.by = v.by.of(f[side].at, v)
		}
		if v.weights == nil {
			continue
		}
		if !slices.Equal(v.weights.Shape, v.tensor.Shape) || v.weightAxis != v.place.Axis {
			return refusal(n, "multiplies weighted instances, which has no masked form")
		}
		beside := *weights
		beside.values, weights = tensor.Of[float32](v.weights), &beside
		// Several numbers of the result may share a weight, which is stored once.
		known := map[int]int{}
		for _, at := range weights.at {
			if _, ok := known[at]; !ok {
				known[at] = len(divisors)
				divisors = append(divisors, at)
			}
			t.divisor = append(t.divisor, known[at])
		}
		t.logits = v.logits
		t.divisors = len(divisors)
	}
	if err := c.fill(t, f, alpha, weights, divisors); err != nil {
		return err
	}
	c.pools(n.Out[0], name, &sums{table: t, bias: bias,
		out: c.newRow(n.Out[0], tensor.Float32, c.Place(n.Out[0]).Shape)})
	return nil
}

// fill computes the rows of a table: the terms of each instance and its divisors, which are
// elements of weights.
func (c *compiler) fill(
	t *table, f [2]*side, alpha float32, weights *side, divisors []int,
) (err error) {
	all := t.width + t.divisors
	if t.rows, err = c.rows(all); err != nil {
		return err
	}
	t.rows = t.rows[:c.Instances*all]
	for i := range c.Instances {
		if err := c.Machine.Tick(4 * t.width); err != nil {
			return err
		}
		row := t.rows[i*all : (i+1)*all]
		products(row[:t.width], f, i, alpha)
		selected(row[t.width:], weights.of(i), divisors)
	}
	return nil
}

// products writes the term of instance i for each number of the result.
func products(dst []float32, f [2]*side, i int, alpha float32) {
	x, y, other := f[0].of(i), f[1].of(i), f[1].at
	for j, at := range f[0].at {
		dst[j] = alpha * x[at] * y[other[j]]
	}
}

// selected writes the values at places.
func selected(dst, values []float32, places []int) {
	for j, at := range places {
		dst[j] = values[at]
	}
}

// rows returns an empty slice with memory for width numbers of each instance, or an error if that
// exceeds the memory of a run.
func (c *compiler) rows(width int) ([]float32, error) {
	var t tensor.Tensor
	if err := c.Machine.Alloc(&t, tensor.Float32, c.Instances, width); err != nil {
		return nil, err
	}
	return tensor.Of[float32](c.Machine.Keep(&t))[:0], nil
}

// side is one side of a product over the instances.
type side struct {
	values []float32
	step   int   // distance between instances
	at     []int // (number of the result) its factor among an instance's elements
}

// of returns the values from instance i on.
func (f *side) of(i int) []float32 { return f.values[i*f.step:] }

// side returns a side of a product, or nil if the product sums over more than its instances. labels
// names the dimensions of v as result names those of the result, whose shape is out.
func (c *compiler) side(v value, labels, result []rune, out []int) *side {
	shape := v.tensor.Shape
	strides := tensor.Strides(shape)
	along := make([]int, len(result)) // strides in v for the dimensions of the result
	for d, l := range labels {
		at := slices.Index(result, l)
		switch {
		case d == v.place.Axis:
		case at < 0 && shape[d] != 1:
			return nil
		case at >= 0 && shape[d] != 1:
			along[at] = strides[d]
		}
	}
	// Enumerate the elements of the result in order, with their factor among an instance's
	// elements.
	f := &side{values: tensor.Of[float32](v.tensor), step: strides[v.place.Axis], at: []int{0}}
	for d, n := range out {
		next := make([]int, 0, len(f.at)*n)
		for _, at := range f.at {
			for i := range n {
				next = append(next, at+i*along[d])
			}
		}
		f.at = next
	}
	return f
}

// affine returns alpha of a Gemm, and its bias times beta for each number of a row. Other products
// have 1 and nil.
func (c *compiler) affine(n *graph.Node, in []value) (alpha float32, bias []float32, err error) {
	if n.Op != "Gemm" {
		return 1, nil, nil
	}
	if len(in) > 2 && in[2].tensor != nil {
		shape := c.Place(n.Out[0]).Shape
		b, t := n.Float("beta", 1), in[2].tensor
		if in[2].kind != constant || t.Type != tensor.Float32 || t.Rank() > 2 {
			return 0, nil, refusal(n, "adds a value that is not constant to pooled instances")
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

// broadcastAt returns the element of a tensor of at most two dimensions that broadcasting puts at
// (i, j).
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
