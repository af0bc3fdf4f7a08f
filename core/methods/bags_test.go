package methods_test

import (
	"math/rand/v2"
	"path"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"

	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// filedBags opens a bag set and models from files.
func filedBags(
	read func(t testing.TB, name string) []byte, set string, models ...string,
) func(t *testing.T, n int) (func(i int) *core.Bag, []*onnxbackend.Model) {
	return func(t *testing.T, _ int) (func(i int) *core.Bag, []*onnxbackend.Model) {
		bags := must.Get(bagio.Read(path.Base(set), read(t, set), bagio.Options{}))(t)
		var opened []*onnxbackend.Model
		for _, name := range models {
			m := must.Get(onnxbackend.Open(read(t, name), onnxbackend.Options{}))(t)
			opened = append(opened, m)
		}
		return func(i int) *core.Bag { return must.Get(bags.Bag(i % bags.Len()))(t) }, opened
	}
}

// vectorBags makes bags of 12 to 200 random vectors and two networks of random weights: gated
// attention, and max pooling behind a hidden layer.
func vectorBags(t *testing.T, _ int) (func(i int) *core.Bag, []*onnxbackend.Model) {
	const features, hidden, classes = 8, 12, 3
	rng := rand.New(rand.NewPCG(3, 4))
	weights := func(name string, scale float64, dims ...int) ot.Tensor {
		n := 1
		for _, d := range dims {
			n *= d
		}
		values := make([]float32, n)
		for i := range values {
			values[i] = float32(scale * rng.NormFloat64())
		}
		return ot.F(name, values, dims...)
	}
	attention := ot.Model{
		Opset: 13,
		Initializers: []ot.Tensor{
			weights("v", .5, features, hidden), weights("u", .5, features, hidden), weights("w", 2,
				hidden, 1),
			weights("c", 2, features, classes),
		},
		Inputs:  []ot.Value{ot.In("bag", "k", features)},
		Outputs: []ot.Value{ot.In("logits", 1, classes)},
		Nodes: ot.Nodes(`bv = MatMul(bag, v); tanh = Tanh(bv); bu = MatMul(bag, u)
			gate = Sigmoid(bu); gated = Mul(tanh, gate); a = MatMul(gated, w)
			p = Softmax<axis=0>(a); pt = Transpose(p); pooled = MatMul(pt, bag)
			logits = MatMul(pooled, c)`),
	}
	largest := ot.Model{
		Opset: 13,
		Initializers: []ot.Tensor{weights("h", .5, features, hidden),
			weights("c", 1, hidden, classes)},
		Inputs:  []ot.Value{ot.In("bag", "k", features)},
		Outputs: []ot.Value{ot.In("logits", 1, classes)},
		Nodes: ot.Nodes(`bh = MatMul(bag, h); r = Relu(bh)
			pooled = ReduceMax<axes=[0], keepdims=1>(r); logits = MatMul(pooled, c)`),
	}
	var models []*onnxbackend.Model
	for _, m := range []ot.Model{attention, largest} {
		opened := must.Get(onnxbackend.Open(m.Bytes(),
			onnxbackend.Options{Card: []byte(`{"scale":"logits"}`)}))(t)
		models = append(models, opened)
	}
	return func(i int) *core.Bag {
		rng := rand.New(rand.NewPCG(uint64(i), 9))
		bag := &core.Bag{Shape: []int{features},
			Values: make([]float32, features*(12+rng.IntN(189)))}
		for j := range bag.Values {
			bag.Values[j] = float32(rng.NormFloat64())
		}
		return bag
	}, models
}
