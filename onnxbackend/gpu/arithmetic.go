//go:build gpu

package gpu

import "github.com/bagscope/bagscope/onnxbackend/internal/tensor"

// binaries are the kernels of two values, as elementwise.wgsl numbers them.
var binaries = map[string]int{
	"add": 1, "sub": 2, "mul": 3, "div": 4, "max": 5, "min": 6, "prelu": 7,
}

// selection is that of three values.
const selection = 8

// most dimensions that elementwise.wgsl counts.
const mostDims = 5

// arithmetic records an operator of two values that are broadcast to each other.
func arithmetic(c *call) (bool, error) {
	if len(c.in) != 2 {
		return false, nil
	}
	return c.elementwise(binaries[deviceOf(c.n)], c.in[0], c.in[1])
}

// where records a selection by a condition that the CPU knows.
func where(c *call) (bool, error) {
	if c.in[0].Type != tensor.Bool || !readable(c.in[0]) {
		return false, nil
	}
	which, drop := c.converted(c.in[0], func(t *tensor.Tensor) *tensor.Tensor {
		f := tensor.New(tensor.Float32, t.Shape...)
		for i, v := range tensor.Of[uint8](t) {
			tensor.Of[float32](f)[i] = float32(v)
		}
		return f
	})
	defer drop()
	return c.elementwise(selection, c.in[1], c.in[2], which)
}

// elementwise records an operator of values that are broadcast to each other.
func (c *call) elementwise(op int, in ...*tensor.Tensor) (bool, error) {
	shapes := make([][]int, len(in))
	for i, t := range in {
		shapes[i] = t.Shape
	}
	shape, strides, ok := broadcast(shapes...)
	if !ok {
		return false, nil
	}
	dims, own := merge(shape, strides)
	n := elements(shape)
	if len(dims) > mostDims {
		return false, nil
	}
	return c.result("elementwise", spread(op, function{}, dims, own...), groupsOf(n), n, shape,
		in...)
}

// spread returns the parameters of elementwise.wgsl: an operator, a function of its result, and
// dimensions with the strides of the operands, the last of which changes fastest.
func spread(op int, f function, dims []int, strides ...[]int) (p params) {
	n := elements(dims)
	p.ints(0, n, op, f.kind)
	p.reals(3, f.a, f.b)
	for i := range mostDims {
		p.ints(8+i, 1)
	}
	for i := range dims {
		at := len(dims) - 1 - i
		p.ints(8+i, dims[at])
		for o, s := range strides {
			p.ints(13+5*o+i, s[at])
		}
	}
	return p
}

// broadcast returns the shape of the result of several, and the strides with which each operand is
// read, 0 where it is repeated.
func broadcast(shapes ...[]int) (shape []int, strides [][]int, ok bool) {
	rank := 0
	for _, s := range shapes {
		rank = max(rank, len(s))
	}
	shape = make([]int, rank)
	for i := range shape {
		shape[i] = 1
	}
	for _, s := range shapes {
		for j, d := range s {
			switch i := rank - len(s) + j; {
			case shape[i] == 1:
				shape[i] = d
			case d != 1 && d != shape[i]:
				return nil, nil, false
			}
		}
	}
	for _, s := range shapes {
		own, step := make([]int, rank), 1
		for j := len(s) - 1; j >= 0; j-- {
			if s[j] > 1 {
				own[rank-len(s)+j] = step
			}
			step *= s[j]
		}
		strides = append(strides, own)
	}
	return shape, strides, true
}

// merge joins dimensions over which all operands move as over one, and leaves out those of one
// place.
func merge(shape []int, strides [][]int) (dims []int, own [][]int) {
	own = make([][]int, len(strides))
	for i, d := range shape {
		if d == 1 {
			continue
		}
		last := len(dims) - 1
		joins := last >= 0
		for o, s := range strides {
			joins = joins && own[o][last] == s[i]*d
		}
		if joins {
			dims[last] *= d
		} else {
			dims = append(dims, d)
			last++
		}
		for o, s := range strides {
			own[o] = append(own[o][:last], s[i])
		}
	}
	return dims, own
}
