package export

import (
	"fmt"
	"math"

	"github.com/bagscope/bagscope/onnxbackend/kernel"
	"github.com/bagscope/bagscope/tools/train/dataset"
	"github.com/bagscope/bagscope/tools/train/network"
	"github.com/bagscope/bagscope/tools/train/ops"
)

// nodes is the network.Builder that writes ONNX nodes. It represents a matrix by the name of its
// tensor.
type nodes struct {
	file
	net      *network.Network
	standard dataset.Preprocess // preprocessing of features; zero for pictures
}

// fresh returns a unique name: the given one on its first use, and then the name with a number.
func (b *nodes) fresh(name string) string {
	if b.names == nil {
		b.names = map[string]int{}
	}
	b.names[name]++
	if n := b.names[name]; n > 1 {
		return fmt.Sprintf("%s.%d", name, n)
	}
	return name
}

// add appends a node with one output and returns its name.
func (b *nodes) add(op, name string, in []string, attributes ...attribute) string {
	out := b.fresh(name)
	b.node(op, out, in, []string{out}, attributes...)
	return out
}

// parameter writes a parameter of the network and returns its name.
func (b *nodes) parameter(name string, dims ...int) string {
	for _, p := range b.net.Parameters {
		if p.Name == name {
			b.floats(name, p.Values, dims...)
		}
	}
	return name
}

// Bag adds the input. The graph standardises features, so that users need not preprocess them. The
// card describes the preprocessing of pixels.
func (b *nodes) Bag() string {
	dims := []any{"instances"}
	for _, d := range b.net.Shape {
		dims = append(dims, d)
	}
	b.inputs = append(b.inputs, value("bag", dims...))
	p := b.standard
	if p.Mean == nil {
		return b.limited("bag")
	}
	mean, scale := make([]float32, len(p.Mean)), make([]float32, len(p.Mean))
	for i := range mean {
		mean[i] = float32(p.Mean[i] / p.Scale)
		// The scale of a constant feature stays 0, see dataset.Preprocess.
		if !math.IsInf(p.Std[i], 0) {
			scale[i] = float32(p.Scale / p.Std[i])
		}
	}
	b.floats("standard.mean", mean, len(mean))
	b.floats("standard.scale", scale, len(scale))
	centred := b.add("Sub", "standard.centred", []string{"bag", "standard.mean"})
	return b.limited(b.add("Mul", "standard", []string{centred, "standard.scale"}))
}

// limited clips values if the architecture has a limit.
func (b *nodes) limited(x string) string {
	if b.net.Limit == 0 {
		return x
	}
	b.floats("limit.low", []float32{-float32(b.net.Limit)})
	b.floats("limit.high", []float32{float32(b.net.Limit)})
	return b.add("Clip", "limited", []string{x, "limit.low", "limit.high"})
}

// Convolve and the methods below implement network.Builder.
func (b *nodes) Convolve(x, name string, c ops.Convolution) string {
	w := b.parameter(name+".weight", c.Maps, c.Channels, c.Kernel, c.Kernel)
	y := b.add("Conv", name, []string{x, w, b.parameter(name+".bias", c.Maps)})
	y = b.add("Relu", name+".relu", []string{y})
	return b.add("MaxPool", name+".pool", []string{y},
		attribute{name: "kernel_shape", list: []int64{2, 2}},
		attribute{name: "strides", list: []int64{2, 2}})
}

// Flatten keeps the axis of the instances.
func (b *nodes) Flatten(x string) string {
	return b.add("Flatten", "flat", []string{x}, attribute{name: "axis", one: 1})
}

// Linear writes Gemm for a layer with biases, which adds them in one node, and else MatMul.
func (b *nodes) Linear(x string, l network.Layer) string {
	w := b.parameter(l.Name+".weight", l.In, l.Out)
	if !l.Bias {
		return b.activated(b.add("MatMul", l.Name, []string{x, w}), l)
	}
	return b.activated(b.add("Gemm", l.Name, []string{x, w, b.parameter(l.Name+".bias", l.Out)}), l)
}

// Shifted broadcasts the row (1, out) over all instances.
func (b *nodes) Shifted(x string, l network.Layer, row string) string {
	y := b.add("MatMul", l.Name, []string{x, b.parameter(l.Name+".weight", l.In, l.Out)})
	return b.activated(b.add("Add", l.Name+".shifted", []string{y, row}), l)
}

// activated applies a layer's activation.
func (b *nodes) activated(y string, l network.Layer) string {
	switch l.Act {
	case kernel.ActRelu:
		return b.add("Relu", l.Name+".relu", []string{y})
	case kernel.ActTanh:
		return b.add("Tanh", l.Name+".tanh", []string{y})
	}
	return y
}

// Dropout returns x, because a model for inference has no dropout.
func (b *nodes) Dropout(x string, _ float64) string { return x }

// Pool reduces the axis of the instances and keeps it with length 1.
func (b *nodes) Pool(x string, how network.Pooling) string {
	in, attributes := []string{x}, []attribute{{name: "keepdims", one: 1}}
	// In opset 17 the axes of ReduceSum are an input, and those of the other two an attribute.
	if how == network.Sum {
		in = append(in, firstAxis)
	} else {
		attributes = append(attributes, attribute{name: "axes", list: []int64{0}})
	}
	op := map[network.Pooling]string{network.Mean: "ReduceMean", network.Max: "ReduceMax",
		network.Sum: "ReduceSum"}[how]
	return b.add(op, string(how), in, attributes...)
}

// Weights transposes the scores first, because the weighted sum needs a row.
func (b *nodes) Weights(scores string) string {
	transposed := b.add("Transpose", "scores", []string{scores},
		attribute{name: "perm", list: []int64{1, 0}})
	return b.add("Softmax", "weights", []string{transposed}, attribute{name: "axis", one: 1})
}

// Sum multiplies the row of weights (1, k) by the instances (k, n).
func (b *nodes) Sum(weights, x string) string {
	return b.add("MatMul", "weighted", []string{weights, x})
}
