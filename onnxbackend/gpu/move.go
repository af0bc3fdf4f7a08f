//go:build gpu

package gpu

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// mostMoved dimensions are those that move.wgsl counts.
const mostMoved = 6

// view gives a value that lies on the device another shape, which the CPU's function finds: it reads no elements.
func view(c *call) (bool, error) {
	x := c.in[0]
	v := c.at[x]
	if v == nil || !c.lies(x) {
		return false, nil
	}
	for i, t := range c.in[1:] {
		if t != nil && !near(t) && i == 0 {
			return false, nil
		}
	}
	if err := c.function(c.m, c.in, []*tensor.Tensor{c.out}); err != nil {
		return false, err
	}
	v.refs++
	c.at[c.out] = &value{v.buffer, v.near && c.out.Words != nil}
	return true, nil
}

// transpose records a permutation of dimensions.
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

func permutes(perm []int, rank int) bool {
	sorted := slices.Sorted(slices.Values(perm))
	for i, a := range sorted {
		if a != i {
			return false
		}
	}
	return len(perm) == rank
}

// concat records a copy of each input to its place.
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
	if !c.takes(product1(shape), c.in...) {
		return false, nil
	}
	y, ok, err := c.make(shape...)
	if !ok {
		return false, err
	}
	outer, inner, at := product1(shape[:a]), product1(shape[a+1:]), 0
	for _, t := range c.in {
		n := t.Shape[a] * inner
		if err := c.move(y, t, []int{outer, n}, []int{n, 1}, []int{shape[a] * inner, 1}, 0, at); err != nil {
			return false, err
		}
		at += n
	}
	return true, nil
}

// slice records a Slice whose bounds the CPU knows.
func slice(c *call) (bool, error) {
	var lists [4][]int
	for i := range lists {
		var ok bool
		if lists[i], ok = c.list(1 + i); !ok {
			return false, nil
		}
	}
	shape, strides, first, err := c.n.Sliced(c.in[0].Shape, lists)
	if err != nil {
		return false, nil
	}
	return c.copied(c.in[0], shape, strides, first)
}

// split records a Split whose parts the CPU knows, none of them empty.
func split(c *call) (bool, error) {
	x := c.in[0]
	given, ok := c.list(1)
	a, is := tensor.Axis(c.n.Int("axis", 0), x.Rank())
	if !ok || !is {
		return false, nil
	}
	parts, err := c.n.Parts(given, x.Shape[a], len(c.outs))
	if err != nil || slices.Contains(parts, 0) || !c.takes(x.Len(), x) {
		return false, nil
	}
	strides, shape, first := tensor.Strides(x.Shape), slices.Clone(x.Shape), 0
	for i, n := range parts {
		shape[a], c.out = n, c.outs[i]
		if done, err := c.copied(x, shape, strides, first); !done || err != nil {
			return false, err
		}
		first += n * strides[a]
	}
	return true, nil
}

// expand records an Expand to a shape that the CPU knows.
func expand(c *call) (bool, error) {
	want, ok := c.list(1)
	if !ok {
		return false, nil
	}
	shape, strides, ok := broadcast(c.in[0].Shape, want)
	if !ok {
		return false, nil
	}
	return c.copied(c.in[0], shape, strides[0], 0)
}

// gather records a Gather at places that the CPU knows: a copy where they lie evenly, as one place does.
func gather(c *call) (bool, error) {
	x, at := c.in[0], c.in[1]
	a, ok := tensor.Axis(c.n.Int("axis", 0), x.Rank())
	if !ok || !near(at) || at.Type != tensor.Int64 && at.Type != tensor.Int32 || at.Len() == 0 {
		return false, nil
	}
	n, outer, inner := x.Shape[a], product1(x.Shape[:a]), product1(x.Shape[a+1:])
	places := placesOf(at)
	even := true
	for j, p := range places {
		if p < 0 {
			places[j] += n
		}
		if places[j] < 0 || places[j] >= n {
			return false, nil
		}
		even = even && (j < 2 || places[j]-places[j-1] == places[1]-places[0])
	}
	shape := slices.Concat(x.Shape[:a], at.Shape, x.Shape[a+1:])
	if even {
		step := 0
		if len(places) > 1 {
			step = places[1] - places[0]
		}
		return c.copiedAs(x, shape, []int{outer, len(places), inner}, []int{n * inner, step * inner, 1}, places[0]*inner)
	}
	work := product1(shape)
	if !c.takes(work, x) {
		return false, nil
	}
	list, drop := c.converted(at, func(*tensor.Tensor) *tensor.Tensor {
		bits := tensor.New(tensor.Float32, len(places))
		for j, p := range places {
			tensor.View[uint32](bits.Words, len(places))[j] = uint32(p)
		}
		return bits
	})
	defer drop()
	y, ok, err := c.make(shape...)
	if !ok {
		return false, err
	}
	var with params
	with.ints(0, work, n, inner, len(places))
	return true, c.each("gather", with, work, work, y, x, list)
}

// placesOf returns the elements of a tensor of int64 or int32, of any shape.
func placesOf(t *tensor.Tensor) (v []int) {
	if t.Type == tensor.Int32 {
		for _, p := range tensor.Of[int32](t) {
			v = append(v, int(p))
		}
		return v
	}
	for _, p := range tensor.Of[int64](t) {
		v = append(v, int(p))
	}
	return v
}

// converted returns what f makes of a value that the CPU knows, for a kernel to read, and what lets go of it. That of a constant is made
// once and stays.
func (c *call) converted(t *tensor.Tensor, f func(*tensor.Tensor) *tensor.Tensor) (made *tensor.Tensor, drop func()) {
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

// copied records a copy of x in a shape, read with strides from a first element on.
func (c *call) copied(x *tensor.Tensor, shape, strides []int, first int) (bool, error) {
	return c.copiedAs(x, shape, shape, strides, first)
}

// copiedAs is copied where the strides are those of other dimensions than the shape's.
func (c *call) copiedAs(x *tensor.Tensor, shape, over, strides []int, first int) (bool, error) {
	dims, own := merge(over, [][]int{strides, tensor.Strides(over)})
	n := product1(shape)
	if len(dims) > mostMoved || n == 0 || !c.takes(n, x) {
		return false, nil
	}
	y, ok, err := c.make(shape...)
	if !ok {
		return false, err
	}
	return true, c.move(y, x, dims, own[0], own[1], first, 0)
}

// move records a copy of x over dimensions with strides in x and in y, from one place on to another.
func (c *call) move(y *buffer, x *tensor.Tensor, dims, from, to []int, first, at int) error {
	n := product1(dims)
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
	return c.each("move", with, n, n, y, x)
}
