//go:build gpu

package gpu

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// slice records a Slice whose bounds the CPU can read, as a copy with strides. Steps may be
// negative.
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
	if x := c.in[0]; c.at[x] != nil && elements(shape) == 0 {
		return true, c.m.Alloc(c.out, x.Type, shape...) // the device has no empty values
	}
	return c.copied(c.in[0], shape, strides, first)
}

// split records a Split whose sizes the CPU can read, one copy for each output. The device has no
// empty values, so that the CPU computes a Split with an empty part.
func split(c *call) (bool, error) {
	x := c.in[0]
	given, ok := c.list(1)
	a, is := tensor.Axis(c.n.Int("axis", 0), x.Rank())
	if !ok || !is {
		return false, nil
	}
	parts, err := c.n.Parts(given, x.Shape[a], len(c.outs))
	if err != nil || slices.Contains(parts, 0) || !c.accepts(x.Len(), x) {
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

// expand records an Expand to a shape that the CPU can read: a copy whose repeated dimensions have
// stride 0.
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

// tile records a Tile whose repeats the CPU can read: a copy in which each axis becomes two, the
// repeats, with stride 0, and the places.
func tile(c *call) (bool, error) {
	x := c.in[0]
	repeats, ok := c.list(1)
	if !ok || len(repeats) != x.Rank() {
		return false, nil
	}
	own := tensor.Strides(x.Shape)
	var shape, over, strides []int
	for i, r := range repeats {
		n, ok := tensor.Count([]int{max(r, 0), x.Shape[i]})
		if !ok {
			return false, nil
		}
		shape, over = append(shape, n), append(over, r, x.Shape[i])
		strides = append(strides, 0, own[i])
	}
	if n, ok := tensor.Count(shape); !ok || n == 0 {
		return false, nil
	}
	return c.copiedAs(x, shape, over, strides, 0)
}

// gather records a Gather with indices that the CPU can read. Indices at equal distances, also a
// single one, are a copy with strides. Other indices are uploaded for a kernel.
func gather(c *call) (bool, error) {
	x, at := c.in[0], c.in[1]
	a, ok := tensor.Axis(c.n.Int("axis", 0), x.Rank())
	if !ok || !readable(at) || at.Type != tensor.Int64 && at.Type != tensor.Int32 || at.Len() == 0 {
		return false, nil
	}
	n, outer, inner := x.Shape[a], elements(x.Shape[:a]), elements(x.Shape[a+1:])
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
		return c.copiedAs(x, shape, []int{outer, len(places), inner},
			[]int{n * inner, step * inner, 1}, places[0]*inner)
	}
	work := elements(shape)
	// The device has values of float32 only: the bits of these are the indices.
	list, drop := c.converted(at, func(*tensor.Tensor) *tensor.Tensor {
		bits := tensor.New(tensor.Float32, len(places))
		for j, p := range places {
			tensor.View[uint32](bits.Words, len(places))[j] = uint32(p)
		}
		return bits
	})
	defer drop()
	var with params
	with.ints(0, work, n, inner, len(places))
	return c.result("gather", with, groupsOf(work), work, shape, x, list)
}

// placesOf returns the elements of a tensor of int64 or int32 of any shape.
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
