//go:build gpu

package gpu

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// mostMoved is the number of dimensions that move.wgsl supports.
const mostMoved = 6

// view reshapes a value on the device without a command: the new value shares the buffer. The CPU's
// function computes the shape; it reads no elements of the first input.
func view(c *call) (bool, error) {
	x := c.in[0]
	if err := c.settle(x); err != nil {
		return false, err
	}
	v := c.at[x]
	if v == nil || !c.supports(x) {
		return false, nil
	}
	for i, t := range c.in[1:] {
		if t != nil && !readable(t) && i == 0 {
			return false, nil
		}
	}
	if err := c.function(c.m, c.in, []*tensor.Tensor{c.out}); err != nil {
		return false, err
	}
	v.refs++
	c.keep(c.out, value{buffer: v.buffer, onCPU: v.onCPU && c.out.Words != nil})
	return true, nil
}

// transpose records a permutation of dimensions as a copy with permuted strides.
func transpose(c *call) (bool, error) {
	x := c.in[0]
	rank := x.Rank()
	perm := c.n.Ints("perm")
	if perm == nil {
		for i := range rank {
			perm = append(perm, rank-1-i)
		}
	}
	if !permutes(perm, rank) {
		return false, nil
	}
	from := tensor.Strides(x.Shape)
	shape, strides := make([]int, rank), make([]int, rank)
	for i, a := range perm {
		shape[i], strides[i] = x.Shape[a], from[a]
	}
	return c.copied(x, shape, strides, 0)
}

// permutes reports whether perm is a permutation of a number of axes.
func permutes(perm []int, rank int) bool {
	sorted := slices.Sorted(slices.Values(perm))
	for i, a := range sorted {
		if a != i {
			return false
		}
	}
	return len(perm) == rank
}

// concat records a copy of each input that is not empty to its place in the output.
func concat(c *call) (bool, error) {
	first := c.in[0]
	a, ok := tensor.Axis(c.n.Int("axis", 0), first.Rank())
	if !ok {
		return false, nil
	}
	shape := slices.Clone(first.Shape)
	shape[a] = 0
	for _, t := range c.in {
		if t.Rank() != len(shape) {
			return false, nil
		}
		for i, d := range t.Shape {
			if i != a && d != shape[i] {
				return false, nil
			}
		}
		shape[a] += t.Shape[a]
	}
	given := slices.DeleteFunc(slices.Clone(c.in),
		func(t *tensor.Tensor) bool { return t.Len() == 0 })
	if !c.accepts(elements(shape), given...) {
		return false, nil
	}
	y, ok, err := c.make(shape...)
	if !ok {
		return false, err
	}
	outer, inner, at := elements(shape[:a]), elements(shape[a+1:]), 0
	for _, t := range given {
		n := t.Shape[a] * inner
		if err := c.move(y, t, []int{outer, n}, []int{n, 1}, []int{shape[a] * inner, 1}, 0,
			at); err != nil {
			return false, err
		}
		at += n
	}
	return true, nil
}

// converted returns f(t) for a kernel to read, and a function that frees it after the kernel is
// recorded. The CPU must be able to read t. The result for a constant is computed once and stays.
func (c *call) converted(
	t *tensor.Tensor, f func(*tensor.Tensor) *tensor.Tensor,
) (made *tensor.Tensor, drop func()) {
	if !slices.Contains(c.n.Const, t) {
		made = f(t)
		return made, func() { c.drop(made) }
	}
	if made = c.loaded.converted[t]; made == nil {
		made = f(t)
		c.loaded.converted[t] = made
	}
	c.made = append(c.made, made)
	return made, func() {}
}

// copied records a copy of x with a shape, read with strides from a first element on.
func (c *call) copied(x *tensor.Tensor, shape, strides []int, first int) (bool, error) {
	return c.copiedAs(x, shape, shape, strides, first)
}

// copiedAs is copied for strides that belong to the dimensions over instead of those of shape. Both
// have the same number of elements.
func (c *call) copiedAs(x *tensor.Tensor, shape, over, strides []int, first int) (bool, error) {
	dims, own := merge(over, [][]int{strides, tensor.Strides(over)})
	n := elements(shape)
	if len(dims) > mostMoved || n == 0 || !c.accepts(n, x) {
		return false, nil
	}
	y, ok, err := c.make(shape...)
	if !ok {
		return false, err
	}
	return true, c.move(y, x, dims, own[0], own[1], first, 0)
}

// move records a copy of elements of x, from first on, to y, from at on. from and to are the
// strides of dims in x and in y.
func (c *call) move(y *buffer, x *tensor.Tensor, dims, from, to []int, first, at int) error {
	n := elements(dims)
	var with params
	with.ints(0, n, first, at)
	for i := range mostMoved {
		with.ints(4+i, 1)
	}
	for i := range dims {
		d := len(dims) - 1 - i
		with.ints(4+i, dims[d])
		with.ints(10+i, from[d])
		with.ints(16+i, to[d])
	}
	return c.run("move", with, groupsOf(n), n, y, x)
}
