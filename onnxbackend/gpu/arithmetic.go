//go:build gpu

package gpu

import "github.com/bagscope/bagscope/onnxbackend/internal/tensor"

// binaries has the operators of two values, with their numbers in elementwise.wgsl.
var binaries = map[string]int{
	"add": 1, "sub": 2, "mul": 3, "div": 4, "max": 5, "min": 6, "prelu": 7,
}

// selection is the number of Where, the operator of three values.
const selection = 8

// mostDims is the number of dimensions that elementwise.wgsl supports.
const mostDims = 5

// arithmetic records an operator of two values that are broadcast to each other.
func arithmetic(c *call) (bool, error) {
	if len(c.in) != 2 {
		return false, nil
	}
	if c.scale() {
		return true, nil
	}
	return c.elementwise(binaries[deviceOf(c.n)], c.in[0], c.in[1])
}

// where records a Where whose condition the CPU can read. Kernels have no bools, so that the
// condition is uploaded as 0 and 1.
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

// elementwise records an operator of values that are broadcast to each other. Dimensions are merged
// first, so that five are enough for most models.
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

// spread returns the parameters of elementwise.wgsl: an operator, a function of its result,
// dimensions and the strides of the operands. The shader counts dimensions from the fastest one,
// which is the last one here; unused ones have size 1.
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

// broadcast returns the shape that several shapes broadcast to, and the strides of each operand in
// it, 0 for repeated dimensions. It reports false if the shapes do not match.
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

// merge joins neighbouring dimensions that are contiguous for all operands, and removes those of
// size 1.
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
