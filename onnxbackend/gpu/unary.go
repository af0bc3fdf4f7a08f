//go:build gpu

package gpu

import (
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A function of one number: its kind in common.wgsl and its parameters. Kind 0 is the identity.
type function struct {
	kind int
	a, b float32
}

// functions has the operators of one number. They return the function with the parameters of a
// node; ok is false for attributes that no kernel supports.
var functions = map[string]func(n *compute.Node) (f function, ok bool){
	"relu": plain(1), "tanh": plain(2), "sigmoid": plain(3), "exp": plain(5), "sqrt": plain(6),
	"abs": plain(7), "neg": plain(8), "floor": plain(9), "ceil": plain(10), "softplus": plain(16),
	"softsign": plain(17), "erf": plain(18), "hardswish": plain(20), "mish": plain(23),
	"reciprocal": plain(25),
	"leakyrelu": func(n *compute.Node) (function, bool) {
		return function{4, n.Float("alpha", 0.01), 0}, true
	},
	"elu": func(n *compute.Node) (function, bool) {
		return function{12, 1, n.Float("alpha", 1)}, true
	},
	"celu": func(n *compute.Node) (function, bool) {
		return function{12, n.Float("alpha", 1), 1}, n.Float("alpha", 1) > 0
	},
	"selu": func(n *compute.Node) (function, bool) {
		return function{13, n.Float("alpha", 1.6732632), n.Float("gamma", 1.050701)}, true
	},
	"hardsigmoid": func(n *compute.Node) (function, bool) {
		return function{19, n.Float("alpha", 0.2), n.Float("beta", 0.5)}, true
	},
	"swish": func(n *compute.Node) (function, bool) {
		return function{21, n.Float("alpha", 1), 0}, true
	},
	"thresholdedrelu": func(n *compute.Node) (function, bool) {
		return function{22, n.Float("alpha", 1), 0}, true
	},
	"gelu": func(n *compute.Node) (function, bool) {
		switch n.Text("approximate", "none") {
		case "none":
			return function{kind: 14}, true
		case "tanh":
			return function{kind: 15}, true
		}
		return function{}, false
	},
}

// plain returns a function without parameters, for functions.
func plain(kind int) func(*compute.Node) (function, bool) {
	return func(*compute.Node) (function, bool) { return function{kind: kind}, true }
}

// activationOf returns the function of an activation that is fused into a layer, or the identity if
// n is nil.
func activationOf(n *compute.Node) (function, bool) {
	if n == nil {
		return function{}, true
	}
	return functions[deviceOf(n)](n)
}

// unary records an operator of functions.
func unary(c *call) (bool, error) {
	f, ok := functions[deviceOf(c.n)](c.n)
	if !ok {
		return false, nil
	}
	return c.apply(f)
}

// apply records a function of each element of the first input.
func (c *call) apply(f function) (bool, error) {
	x := c.in[0]
	with := spread(0, f, []int{x.Len()}, []int{1})
	return c.result("elementwise", with, groupsOf(x.Len()), x.Len(), x.Shape, x)
}

// clip records a Clip whose bounds the CPU can read. Omitted bounds are the largest finite numbers.
func clip(c *call) (bool, error) {
	f := function{11, -math.MaxFloat32, math.MaxFloat32}
	if c.n.Opset < 11 {
		f.a, f.b = c.n.Float("min", f.a), c.n.Float("max", f.b)
		return c.apply(f)
	}
	for i, to := range []*float32{&f.a, &f.b} {
		t := c.given(1 + i)
		if t == nil {
			continue
		}
		v, ok := one(t)
		if !ok {
			return false, nil
		}
		*to = v
	}
	if f.a > f.b { // the result depends on the version of the operator; the CPU has the rules
		return false, nil
	}
	return c.apply(f)
}

// pow records a power with the exponent 2, 1/2 or 1. The CPU computes others: WGSL's pow is not
// defined for negative bases.
func pow(c *call) (bool, error) {
	v, ok := one(c.in[1])
	if !ok || c.in[1].Rank() > c.in[0].Rank() {
		return false, nil
	}
	switch v {
	case 2:
		return c.apply(function{kind: 24})
	case 0.5:
		return c.apply(function{kind: 6})
	case 1:
		return c.apply(function{})
	}
	return false, nil
}

// one returns the only element of a value that the CPU can read. It reports false unless this is a
// finite float32.
func one(t *tensor.Tensor) (float32, bool) {
	if t.Type != tensor.Float32 || t.Len() != 1 || t.Words == nil {
		return 0, false
	}
	v := tensor.Of[float32](t)[0]
	return v, v-v == 0
}
