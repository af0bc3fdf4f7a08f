package onnxtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/bagscope/bagscope/core"
)

// RandomModel returns a small model of a random architecture with random weights, a bag of k
// random instances for it, and the names of its parts: layers for each instance, a relation between
// instances, a pooling, a head and its end. Bags are (k, d), (1, k, d) or pictures (k, c, 8, 8). No
// model depends on the order of its instances.
func RandomModel(r *rand.Rand, k int) (model Model, bag *core.Bag, parts string) {
	d := &draft{Rand: r, m: Model{Opset: 17}}
	width := d.one(2, 3, 8, 17)
	shape, dims := []int{width}, []any{"k", width}
	switch d.pick("features", "features", "batch", "pictures") {
	case "batch":
		dims, d.axis = []any{1, "k", width}, 1
	case "pictures":
		shape = []int{d.one(1, 3), 8, 8}
		dims = []any{"k", shape[0], 8, 8}
	}
	d.m.Inputs = []Value{In("bag", dims...)}
	x := "bag"
	if len(shape) > 1 {
		width = d.one(2, 5)
		x = d.op("Conv", []string{x, d.weights(width, shape[0], 3, 3), d.weights(width)})
		x = d.op("ReduceMean", []string{d.activation(x)}, Ints("axes", 2, 3),
			Int("keepdims", 0))
	}
	for range d.IntN(3) {
		wide := d.one(4, 8)
		x, width = d.norm(d.activation(d.linear(x, width, wide)), wide), wide
	}
	x = d.relation(x, width)
	classes := d.one(1, 2, 3)
	x = d.head(d.pool(x, width), width, classes)
	x = d.op("Reshape", []string{x, d.integers(1, int64(classes))})
	d.m.Outputs = []Value{In(d.end(x), 1, classes)}

	bag = &core.Bag{Name: "random", Shape: shape}
	for range k * bag.Stride() {
		bag.Values = append(bag.Values, float32(r.NormFloat64()))
	}
	return d.m, bag, strings.Join(d.parts, " ")
}

// A draft is a model whose nodes are still added.
type draft struct {
	*rand.Rand
	m     Model
	axis  int64 // axis of the instances
	parts []string
}

// pick returns one of several names, and notes it as a part of the model.
func (d *draft) pick(names ...string) string {
	name := names[d.IntN(len(names))]
	d.parts = append(d.parts, name)
	return name
}

// one returns one of several numbers.
func (d *draft) one(numbers ...int) int { return numbers[d.IntN(len(numbers))] }

// op adds a node and returns the name of its output.
func (d *draft) op(op string, in []string, a ...Attribute) string {
	out := fmt.Sprintf("n%d", len(d.m.Nodes))
	d.m.Nodes = append(d.m.Nodes, N(op, in, []string{out}, a...))
	return out
}

// hold adds an initializer and returns its name.
func (d *draft) hold(t Tensor) string {
	t.Name = fmt.Sprintf("c%d", len(d.m.Initializers))
	d.m.Initializers = append(d.m.Initializers, t)
	return t.Name
}

// number adds a constant.
func (d *draft) number(v float64) string { return d.hold(F("", []float32{float32(v)})) }

// integers adds a list, such as a shape.
func (d *draft) integers(v ...int64) string { return d.hold(I("", v, len(v))) }

// weights adds random weights. They are divided by the root of their number for each output.
func (d *draft) weights(dims ...int) string {
	n, fan := 1, 1
	for _, s := range dims {
		n *= s
	}
	switch len(dims) {
	case 2:
		fan = dims[0]
	case 4:
		fan = n / dims[0]
	}
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(d.NormFloat64() / math.Sqrt(float64(fan)))
	}
	return d.hold(F("", values, dims...))
}

// linear adds a layer with a bias.
func (d *draft) linear(x string, in, out int) string {
	return d.op("Add", []string{d.op("MatMul", []string{x, d.weights(in, out)}), d.weights(out)})
}

// over adds a reduction over an axis, whose length becomes 1.
func (d *draft) over(op, x string, axis int64) string {
	if op == "ReduceSum" { // its axes are an input since opset 13
		return d.op(op, []string{x, d.integers(axis)})
	}
	return d.op(op, []string{x}, Ints("axes", axis))
}

// activation adds a function of each number.
func (d *draft) activation(x string) string {
	return d.op(d.pick("Relu", "Tanh", "Sigmoid", "LeakyRelu", "Elu", "Softplus", "HardSwish",
		"Erf", "Sin", "Softsign", "Selu", "Identity"), []string{x})
}

// norm adds a normalisation of each instance, or none.
func (d *draft) norm(x string, width int) string {
	switch d.pick("-", "layer-norm", "l2") {
	case "layer-norm":
		return d.op("LayerNormalization", []string{x, d.weights(width), d.weights(width)})
	case "l2":
		return d.op("LpNormalization", []string{x})
	}
	return x
}

// transposed exchanges the last two axes.
func (d *draft) transposed(x string) string {
	if d.axis == 1 {
		return d.op("Transpose", []string{x}, Ints("perm", 0, 2, 1))
	}
	return d.op("Transpose", []string{x}, Ints("perm", 1, 0))
}

// relation adds nodes that make an instance depend on the others, or none.
func (d *draft) relation(x string, width int) string {
	switch d.pick("-", "-", "-", "centred", "self-attention", "weighted", "distances") {
	case "centred":
		return d.op("Sub", []string{x, d.over("ReduceMean", x, d.axis)})
	case "self-attention":
		scores := d.op("MatMul", []string{d.linear(x, width, width),
			d.transposed(d.linear(x, width, width))})
		scores = d.op("Mul", []string{scores, d.number(1 / math.Sqrt(float64(width)))})
		attended := d.op("MatMul", []string{d.op("Softmax", []string{scores}),
			d.linear(x, width, width)})
		return d.op("Add", []string{x, attended})
	case "weighted":
		return d.op("Mul", []string{x, d.op("Softmax", []string{x}, Int("axis", d.axis))})
	case "distances":
		apart := d.op("Sub", []string{x, d.over("ReduceMean", x, d.axis)})
		near := d.op("Exp", []string{d.op("Neg", []string{d.over("ReduceL2", apart, -1)})})
		return d.op("Mul", []string{x, near})
	}
	return x
}

// pool adds a pooling of the instances, of shape (1, width) after an optional batch.
func (d *draft) pool(x string, width int) string {
	switch how := d.pick("ReduceMean", "ReduceMax", "ReduceSum", "ReduceLogSumExp", "extremes",
		"power", "attention", "gated", "sigmoid", "heads", "top", "noisy-or"); how {
	case "extremes":
		return d.op("Add", []string{d.over("ReduceMax", x, d.axis),
			d.over("ReduceMin", x, d.axis)})
	case "power":
		mean := d.over("ReduceMean", d.op("Mul", []string{x, x}), d.axis)
		return d.op("Sqrt", []string{d.op("Add", []string{mean, d.number(1e-3)})})
	case "attention", "gated", "sigmoid", "heads":
		return d.attention(x, width, how)
	case "top":
		most := d.op("Min", []string{d.op("Gather", []string{d.op("Shape", []string{x}),
			d.integers(d.axis)}), d.integers(3)})
		d.m.Nodes = append(d.m.Nodes, N("TopK", []string{x, most}, []string{"top", ""},
			Int("axis", d.axis)))
		return d.over("ReduceMean", "top", d.axis)
	case "noisy-or":
		none := d.op("Sub", []string{d.number(1), d.op("Sigmoid", []string{x})})
		return d.op("Sub", []string{d.number(1), d.over("ReduceProd", none, d.axis)})
	default:
		return d.over(how, x, d.axis)
	}
}

// attention adds the mean of instances by learned weights.
func (d *draft) attention(x string, width int, how string) string {
	const hidden = 6
	a, heads := d.op("Tanh", []string{d.linear(x, width, hidden)}), 1
	if how == "gated" {
		a = d.op("Mul", []string{a, d.op("Sigmoid", []string{d.linear(x, width, hidden)})})
	}
	if how == "heads" {
		heads = 3
	}
	a = d.transposed(d.linear(a, hidden, heads))
	if how == "sigmoid" {
		a = d.op("Sigmoid", []string{a})
		a = d.op("Div", []string{a, d.over("ReduceSum", a, -1)})
	} else {
		a = d.op("Softmax", []string{a})
	}
	return d.over("ReduceMean", d.op("MatMul", []string{a, x}), -2)
}

// head adds the layers from the pooled bag to the classes.
func (d *draft) head(x string, width, classes int) string {
	if d.pick("linear", "layers") == "layers" {
		const hidden = 8
		x, width = d.activation(d.linear(x, width, hidden)), hidden
	}
	return d.linear(x, width, classes)
}

// end adds what turns scores into probabilities, or nothing.
func (d *draft) end(x string) string {
	switch op := d.pick("-", "Sigmoid", "Softmax"); op {
	case "Sigmoid", "Softmax":
		return d.op(op, []string{x})
	}
	return x
}
