package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// A benchCase is a network with a bag.
type benchCase struct {
	name      string
	instances int
	shape     []int            // shape of an instance
	work      int              // multiplications for an instance
	layers    func(n *network) // adds the layers to a network
}

// cases returns the measured networks.
func cases() []benchCase {
	return []benchCase{
		{"crc", 264, []int{3, 27, 27}, 3_100_000, crc},
		{"resnet", 1000, []int{3, 224, 224}, 1_820_000_000, resnet},
		{"vectors", 100_000, []int{1024}, 530_000, vectors},
	}
}

// bag returns a bag of k instances with uniform values and a fixed seed.
func (c benchCase) bag(k int) *core.Bag {
	bag := &core.Bag{Shape: c.shape}
	bag.Values = make([]float32, k*bag.Stride())
	r := rand.New(rand.NewPCG(1, 1))
	for i := range bag.Values {
		bag.Values[i] = 2*r.Float32() - 1
	}
	return bag
}

// model returns the network with random weights and a fixed seed.
func (c benchCase) model() onnxtest.Model {
	n := &network{r: rand.New(rand.NewPCG(2, 2)), at: "bag", channels: c.shape[0]}
	n.Opset = 13
	dims := []any{"instances"}
	for _, d := range c.shape {
		dims = append(dims, d)
	}
	n.Inputs = []onnxtest.Value{onnxtest.In("bag", dims...)}
	c.layers(n)
	n.Outputs = []onnxtest.Value{onnxtest.In(n.at, "bags", 2)}
	return n.Model
}

// A network is a chain of layers with random weights.
type network struct {
	onnxtest.Model
	r        *rand.Rand
	at       string // output of the last layer
	channels int    // its number of channels
}

// weights adds a tensor of normal numbers. Their deviation √(2/fan) preserves the scale of values
// through a layer with the given number of inputs (He et al., 2015).
func (n *network) weights(fan int, dims ...int) string {
	size := 1
	for _, d := range dims {
		size *= d
	}
	v := make([]float32, size)
	for i := range v {
		v[i] = float32(n.r.NormFloat64() * math.Sqrt(2/float64(fan)))
	}
	name := fmt.Sprintf("w%d", len(n.Initializers))
	n.Initializers = append(n.Initializers, onnxtest.F(name, v, dims...))
	return name
}

// then adds a node that reads the output of the last one, and others.
func (n *network) then(op string, others []string, a ...onnxtest.Attribute) {
	out := fmt.Sprintf("v%d", len(n.Nodes))
	n.Nodes = append(n.Nodes, onnxtest.N(op, append([]string{n.at}, others...), []string{out},
		a...))
	n.at = out
}

// conv adds a convolution with square kernels and biases.
func (n *network) conv(maps, kernel, stride, pad int) {
	k, s, p := int64(kernel), int64(stride), int64(pad)
	w := n.weights(n.channels*kernel*kernel, maps, n.channels, kernel, kernel)
	b := n.weights(100*maps, maps)
	n.then("Conv", []string{w, b}, onnxtest.Ints("kernel_shape", k, k),
		onnxtest.Ints("strides", s, s), onnxtest.Ints("pads", p, p, p, p))
	n.channels = maps
}

// maxPool adds a maximum over squares.
func (n *network) maxPool(kernel, stride, pad int) {
	k, s, p := int64(kernel), int64(stride), int64(pad)
	n.then("MaxPool", nil, onnxtest.Ints("kernel_shape", k, k), onnxtest.Ints("strides", s, s),
		onnxtest.Ints("pads", p, p, p, p))
}

// dense adds a fully connected layer with biases.
func (n *network) dense(from, to int) {
	n.then("Gemm", []string{n.weights(from, from, to), n.weights(100*to, to)})
}

// gated adds attention and a layer of two classes.
func (n *network) gated(features, hidden int) {
	n.attention(features, hidden)
	n.dense(features, 2)
}

// attention adds gated attention over instances (Ilse et al., 2018).
func (n *network) attention(features, hidden int) {
	h := n.at
	n.dense(features, hidden)
	n.then("Tanh", nil)
	v := n.at
	n.at = h
	n.dense(features, hidden)
	n.then("Sigmoid", nil)
	n.then("Mul", []string{v})
	n.then("MatMul", []string{n.weights(hidden, hidden, 1)})
	n.then("Transpose", nil, onnxtest.Ints("perm", 1, 0))
	n.then("Softmax", nil, onnxtest.Int("axis", 1))
	n.then("MatMul", []string{h})
}

// crc is the encoder of the paper's network for colon tissue, with gated attention.
func crc(n *network) {
	n.conv(36, 4, 1, 0)
	n.then("Relu", nil)
	n.maxPool(2, 2, 0)
	n.conv(48, 3, 1, 0)
	n.then("Relu", nil)
	n.maxPool(2, 2, 0)
	n.then("Flatten", nil)
	for _, d := range [][2]int{{1200, 64}, {64, 64}, {64, 256}} {
		n.dense(d[0], d[1])
		n.then("Relu", nil)
	}
	n.gated(256, 128)
}

// resnet is ResNet-18 (He et al., 2016) without batch normalization, which exporters fold into the
// convolutions, with gated attention.
func resnet(n *network) {
	n.conv(64, 7, 2, 3)
	n.then("Relu", nil)
	n.maxPool(3, 2, 1)
	for i, maps := range []int{64, 128, 256, 512} {
		for block := range 2 {
			stride := 1
			if i > 0 && block == 0 {
				stride = 2
			}
			from, channels := n.at, n.channels
			n.conv(maps, 3, stride, 1)
			n.then("Relu", nil)
			n.conv(maps, 3, 1, 1)
			direct := n.at
			// A block that halves the picture needs a projection on its shortcut.
			if stride > 1 {
				n.at, n.channels = from, channels
				n.conv(maps, 1, stride, 0)
				from = n.at
			}
			n.at = direct
			n.then("Add", []string{from})
			n.then("Relu", nil)
		}
	}
	n.then("GlobalAveragePool", nil)
	n.then("Flatten", nil)
	n.gated(512, 128)
}

// vectors is gated attention over embeddings that another program has computed.
func vectors(n *network) { n.gated(1024, 256) }

// headed is vectors with a layer behind the attention, whose numbers a coalition's are the sums of.
func headed(n *network) {
	n.attention(1024, 256)
	n.dense(1024, 512)
	n.then("Relu", nil)
	n.dense(512, 2)
}
