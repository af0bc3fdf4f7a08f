//go:build gpu && !js

package gpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/device"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// An observed device remembers what its sessions leave to the CPU.
type observed struct {
	*processor
	steps int
	left  []string // steps that read more than one float32
}

type observedModel struct {
	device.Loaded
	d *observed
}

type observedSession struct {
	device.Session
	d *observed
}

func (d *observed) Load() device.Loaded { return observedModel{d.processor.Load(), d} }

func (l observedModel) Session(dry bool) device.Session {
	s := l.Loaded.Session(dry)
	if dry {
		return s
	}
	return observedSession{s, l.d}
}

func (s observedSession) Run(
	m *machine.Machine, n *graph.Node, in, out []*tensor.Tensor,
) (bool, error) {
	done, err := s.Session.Run(m, n, in, out)
	s.d.steps++
	reads := func(t *tensor.Tensor) bool {
		return t != nil && t.Type == tensor.Float32 && t.Len() > 1
	}
	if !done && n.Row.Kind != ops.ReadShape && slices.ContainsFunc(in, reads) {
		s.d.left = append(s.d.left, n.Op+" "+n.Name)
	}
	return done, err
}

// TestEncoders encodes pictures by networks of eight families, as exporters write them, and pools
// them by gated attention. The scores are those of the CPU, which computes sizes and nothing else.
func TestEncoders(t *testing.T) {
	const pictures = 9
	for name, build := range map[string]func(n *network) string{
		"resnet": resnet, "convnext": convnext, "efficientnet": efficientnet,
		"mobilenet": mobilenet, "vit": vit, "dinov2": dinov2, "swin": nil, "eva": nil,
		"sequences": nil, "repeats": nil,
	} {
		t.Run(name, func(t *testing.T) {
			file := map[string]string{"swin": "encoder_windows", "eva": "encoder_rotary",
				"sequences": "encoder_sequence_first", "repeats": "encoder_merged_heads"}[name]
			var data []byte
			if build == nil {
				data = must.Get(os.ReadFile("../testdata/zoo/" + file + "/legacy-17.onnx"))(t)
			} else {
				data = pooled(build).Bytes()
			}
			d := &observed{processor: processorFor(t)}
			cpu := must.Get(onnxbackend.Open(data, onnxbackend.Options{}))(t)
			gpu := must.Get(onnxbackend.Open(data, onnxbackend.Options{Device: d,
				DeviceAlways: true}))(t)
			bag := randomBag(t, cpu, pictures)
			want := must.Get(cpu.Predict(t.Context(), bag))(t)
			got := must.Get(gpu.Predict(t.Context(), bag))(t)
			if off := apart(got.Scores, want.Scores); !(off <= tolerance) {
				t.Errorf("scores are off by %g of the largest", off)
			}
			if d.steps < 10 || len(d.left) > 0 {
				t.Errorf("the device was given %d steps and left %q", d.steps, d.left)
			}
		})
	}
}

// A network is a model of pictures (k, 3, 32, 32) that is being written.
type network struct {
	onnxtest.Model
	r *rand.Rand
}

// pooled returns an encoder with gated attention over its features (k, 16), and two classes.
func pooled(build func(n *network) string) onnxtest.Model {
	n := &network{r: rand.New(rand.NewPCG(19, 19))}
	n.Opset, n.Inputs = 17, []onnxtest.Value{onnxtest.In("bag", "k", 3, 32, 32)}
	h := build(n)
	v := n.node("Tanh", n.dense(h, 16, 8))
	u := n.node("Sigmoid", n.dense(h, 16, 8))
	a := n.dense(n.node("Mul", v, u), 8, 1)
	a = n.with("Softmax", []string{n.with("Transpose", []string{a}, onnxtest.Ints("perm", 1, 0))},
		onnxtest.Int("axis", 1))
	logits := n.dense(n.node("MatMul", a, h), 16, 2)
	n.Outputs = []onnxtest.Value{onnxtest.In(logits, 1, 2)}
	return n.Model
}

// with adds a node with attributes and returns its output.
func (n *network) with(op string, in []string, a ...onnxtest.Attribute) string {
	out := fmt.Sprintf("v%d", len(n.Nodes))
	n.Nodes = append(n.Nodes, onnxtest.N(op, in, []string{out}, a...))
	return out
}

// node adds a node without attributes and returns its output.
func (n *network) node(op string, in ...string) string { return n.with(op, in) }

// weights adds a tensor whose elements have the deviation 1/√fan.
func (n *network) weights(fan int, shape ...int) string {
	t := normal(n.r, shape...)
	for i, v := range tensor.Of[float32](t) {
		tensor.Of[float32](t)[i] = v / float32(math.Sqrt(float64(fan)))
	}
	return n.hold(func(name string) onnxtest.Tensor { return constant(name, t) })
}

// list adds a list of integers.
func (n *network) list(v ...int64) string {
	return n.hold(func(name string) onnxtest.Tensor { return onnxtest.I(name, v, len(v)) })
}

// integer adds an integer without dimensions.
func (n *network) integer(v int64) string {
	return n.hold(func(name string) onnxtest.Tensor { return onnxtest.I(name, []int64{v}) })
}

// number adds a constant without dimensions.
func (n *network) number(v float32) string {
	return n.hold(func(name string) onnxtest.Tensor { return onnxtest.F(name, []float32{v}) })
}

func (n *network) hold(make func(name string) onnxtest.Tensor) string {
	name := fmt.Sprintf("w%d", len(n.Initializers))
	n.Initializers = append(n.Initializers, make(name))
	return name
}

// dense adds a MatMul and its bias, as exporters write a layer over the last axis.
func (n *network) dense(x string, from, to int) string {
	return n.node("Add", n.weights(9, to), n.node("MatMul", x, n.weights(from, from, to)))
}

// conv adds a convolution with square windows, and pads that keep the size for a stride of 1.
func (n *network) conv(x string, from, to, kernel, stride, parts int) string {
	k, s, p := int64(kernel), int64(stride), int64(kernel-1)/2
	if stride == kernel {
		p = 0
	}
	return n.with("Conv", []string{x, n.weights(from/parts*kernel*kernel, to, from/parts, kernel,
		kernel), n.weights(9, to)}, onnxtest.Ints("kernel_shape", k, k),
		onnxtest.Ints("strides", s, s), onnxtest.Ints("pads", p, p, p, p),
		onnxtest.Int("group", int64(parts)))
}

// means adds the means over planes and removes their axes.
func (n *network) means(x string) string {
	return n.with("Flatten", []string{n.node("GlobalAveragePool", x)}, onnxtest.Int("axis", 1))
}

func (n *network) turn(x string, perm ...int64) string {
	return n.with("Transpose", []string{x}, onnxtest.Ints("perm", perm...))
}

func (n *network) layerNorm(x string, width int) string {
	return n.with("LayerNormalization", []string{x, n.weights(1, width), n.weights(1, width)},
		onnxtest.Int("axis", -1))
}

// gelu adds the nodes that exporters write for it.
func (n *network) gelu(x string) string {
	e := n.node("Add", n.node("Erf", n.node("Div", x, n.number(math.Sqrt2))), n.number(1))
	return n.node("Mul", n.node("Mul", x, e), n.number(0.5))
}

func (n *network) swish(x string) string { return n.node("Mul", x, n.node("Sigmoid", x)) }

// resnet has a residual block, and one that halves the picture.
func resnet(n *network) string {
	x := n.node("Relu", n.conv("bag", 3, 16, 7, 2, 1))
	x = n.with("MaxPool", []string{x}, onnxtest.Ints("kernel_shape", 3, 3),
		onnxtest.Ints("strides", 2, 2), onnxtest.Ints("pads", 1, 1, 1, 1))
	for _, stride := range []int{1, 2} {
		y := n.conv(n.node("Relu", n.conv(x, 16, 16, 3, stride, 1)), 16, 16, 3, 1, 1)
		if stride > 1 {
			x = n.conv(x, 16, 16, 1, stride, 1)
		}
		x = n.node("Relu", n.node("Add", y, x))
	}
	return n.means(x)
}

// convnext normalizes channels and has layers over them, in the order (picture, place, channel).
func convnext(n *network) string {
	x := n.conv("bag", 3, 16, 4, 4, 1)
	x = n.turn(n.layerNorm(n.turn(x, 0, 2, 3, 1), 16), 0, 3, 1, 2)
	y := n.layerNorm(n.turn(n.conv(x, 16, 16, 7, 1, 16), 0, 2, 3, 1), 16)
	y = n.dense(n.gelu(n.dense(y, 16, 64)), 64, 16)
	x = n.node("Add", n.turn(n.node("Mul", y, n.weights(1, 16)), 0, 3, 1, 2), x)
	return n.layerNorm(n.means(x), 16)
}

// gate multiplies channels by a function of their means.
func (n *network) gate(x string, inner func(string) string, op string) string {
	m := n.with("ReduceMean", []string{x}, onnxtest.Ints("axes", 2, 3))
	m = n.conv(inner(n.conv(m, 16, 4, 1, 1, 1)), 4, 16, 1, 1, 1)
	return n.node("Mul", x, n.node(op, m))
}

// efficientnet has a block of depthwise layers with gated channels. Its picture is padded on two
// sides, as exporters write it for weights from TensorFlow.
func efficientnet(n *network) string {
	x := n.node("Pad", "bag", n.list(0, 0, 0, 0, 0, 0, 1, 1))
	x = n.swish(n.conv(x, 3, 16, 3, 2, 1))
	y := n.swish(n.conv(n.swish(n.conv(x, 16, 16, 1, 1, 1)), 16, 16, 3, 1, 16))
	y = n.conv(n.gate(y, n.swish, "Sigmoid"), 16, 16, 1, 1, 1)
	return n.means(n.swish(n.conv(n.node("Add", y, x), 16, 16, 1, 1, 1)))
}

// mobilenet is like efficientnet, with functions of straight lines and a layer behind the means.
func mobilenet(n *network) string {
	hard := func(x string) string { return n.node("HardSwish", x) }
	x := hard(n.conv("bag", 3, 16, 3, 2, 1))
	y := hard(n.conv(x, 16, 16, 5, 2, 16))
	y = n.gate(y, func(x string) string { return n.node("Relu", x) }, "HardSigmoid")
	y = n.node("GlobalAveragePool", n.conv(y, 16, 16, 1, 1, 1))
	return n.with("Flatten", []string{hard(n.conv(y, 16, 16, 1, 1, 1))}, onnxtest.Int("axis", 1))
}

// tokens returns 16 places of 16 features behind a class token that is expanded to the pictures.
func (n *network) tokens() string {
	x := n.node("Reshape", n.conv("bag", 3, 16, 8, 8, 1), n.list(0, 16, -1))
	x = n.turn(x, 0, 2, 1)
	k := n.with("Gather", []string{n.node("Shape", x), n.list(0)}, onnxtest.Int("axis", 0))
	shape := n.with("Concat", []string{k, n.list(1), n.list(16)}, onnxtest.Int("axis", 0))
	token := n.node("Expand", n.weights(1, 1, 1, 16), shape)
	x = n.with("Concat", []string{token, x}, onnxtest.Int("axis", 1))
	return n.node("Add", x, n.weights(1, 1, 17, 16))
}

// attend is self-attention of two heads over 17 places.
func (n *network) attend(x string) string {
	q := n.node("Reshape", n.dense(x, 16, 48), n.list(-1, 17, 3, 2, 8))
	q = n.turn(q, 2, 0, 3, 1, 4)
	part := func(i int64) string {
		return n.with("Gather", []string{q, n.integer(i)}, onnxtest.Int("axis", 0))
	}
	scores := n.node("MatMul", n.node("Mul", part(0), n.number(0.35)), n.turn(part(1), 0, 1, 3, 2))
	y := n.node("MatMul", n.with("Softmax", []string{scores}, onnxtest.Int("axis", -1)), part(2))
	return n.dense(n.node("Reshape", n.turn(y, 0, 2, 1, 3), n.list(-1, 17, 16)), 16, 16)
}

// block is a layer of a transformer; scale changes what is added.
func (n *network) block(x string, scale func(string) string) string {
	x = n.node("Add", x, scale(n.attend(n.layerNorm(x, 16))))
	y := n.gelu(n.dense(n.layerNorm(x, 16), 16, 64))
	return n.node("Add", x, scale(n.dense(y, 64, 16)))
}

// vit returns the class token.
func vit(n *network) string {
	x := n.block(n.tokens(), func(x string) string { return x })
	return n.with("Gather", []string{n.layerNorm(x, 16), n.integer(0)}, onnxtest.Int("axis", 1))
}

// dinov2 scales what its layers add, and returns the class token plus the mean of the other places.
func dinov2(n *network) string {
	x := n.block(n.tokens(), func(x string) string { return n.node("Mul", x, n.weights(1, 16)) })
	x = n.layerNorm(x, 16)
	places := n.node("Slice", x, n.list(1), n.list(1<<40), n.list(1))
	mean := n.with("ReduceMean", []string{places}, onnxtest.Ints("axes", 1),
		onnxtest.Int("keepdims", 0))
	token := n.with("Gather", []string{x, n.integer(0)}, onnxtest.Int("axis", 1))
	return n.node("Add", token, mean)
}
