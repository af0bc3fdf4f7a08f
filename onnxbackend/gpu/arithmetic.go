//go:build gpu

package gpu

// binaries are the operators of two values, as elementwise.wgsl numbers them.
var binaries = map[string]int{"Add": 1, "Sub": 2, "Mul": 3, "Div": 4, "Max": 5, "Min": 6, "PRelu": 7, "Sum": 1}

// most dimensions that elementwise.wgsl counts.
const mostDims = 5

// arithmetic records an operator of two values that are broadcast to each other.
func arithmetic(c *call) (bool, error) {
	if len(c.in) != 2 {
		return false, nil
	}
	a, b := c.in[0], c.in[1]
	shape, strides, ok := broadcast(a.Shape, b.Shape)
	if !ok {
		return false, nil
	}
	dims, own := merge(shape, strides)
	n := product1(shape)
	if len(dims) > mostDims || !c.takes(n, a, b) {
		return false, nil
	}
	y, ok, err := c.make(shape...)
	if !ok {
		return false, err
	}
	return true, c.each("elementwise", spread(binaries[c.n.Op], function{}, dims, own[0], own[1]), n, n, y, a, b)
}

// spread returns the parameters of elementwise.wgsl: an operator, a function of its result, and dimensions with the strides of
// both operands, the last of which changes fastest.
func spread(op int, f function, dims, x, z []int) (p params) {
	n := product1(dims)
	p.ints(0, n, op, f.kind)
	p.reals(3, f.a, f.b)
	for i := range mostDims {
		p.ints(8+i, 1)
	}
	for i := range dims {
		at := len(dims) - 1 - i
		p.ints(8+i, dims[at])
		p.ints(13+i, x[at])
		p.ints(18+i, z[at])
	}
	return p
}

// broadcast returns the shape of the result of two shapes, and the strides with which each operand is read, 0 where it is repeated.
func broadcast(a, b []int) (shape []int, strides [2][]int, ok bool) {
	rank := max(len(a), len(b))
	shape = make([]int, rank)
	step := [2]int{1, 1}
	for o := range strides {
		strides[o] = make([]int, rank)
	}
	for i := rank - 1; i >= 0; i-- {
		size := [2]int{1, 1}
		for o, s := range [2][]int{a, b} {
			if j := i - rank + len(s); j >= 0 {
				size[o] = s[j]
			}
		}
		if size[0] != size[1] && size[0] != 1 && size[1] != 1 {
			return nil, strides, false
		}
		shape[i] = size[0]
		if shape[i] == 1 {
			shape[i] = size[1]
		}
		for o := range size {
			if size[o] > 1 {
				strides[o][i] = step[o]
			}
			step[o] *= size[o]
		}
	}
	return shape, strides, true
}

// merge joins dimensions over which both operands move as over one, and leaves out those of one place.
func merge(shape []int, strides [2][]int) (dims []int, own [2][]int) {
	for i, d := range shape {
		if d == 1 {
			continue
		}
		last := len(dims) - 1
		if last >= 0 && own[0][last] == strides[0][i]*d && own[1][last] == strides[1][i]*d {
			dims[last] *= d
			own[0][last], own[1][last] = strides[0][i], strides[1][i]
			continue
		}
		dims = append(dims, d)
		for o := range own {
			own[o] = append(own[o], strides[o][i])
		}
	}
	return dims, own
}
