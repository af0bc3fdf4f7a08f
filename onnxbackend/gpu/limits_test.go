//go:build gpu

package gpu

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// narrowed is the shared device with limits that small shapes cross. Its memory is its own, its
// kernels are not: to compile them takes a program that is an adapter most of a test's time.
func narrowed(t *testing.T, l limits, memory int) *processor {
	t.Helper()
	wide := processorFor(t)
	p := &processor{adapter: wide.adapter, limits: wide.limits, kernels: wide.kernels,
		layouts: wide.layouts}
	if l.groups > 0 {
		p.groups = l.groups
	}
	if l.binding > 0 {
		p.binding = l.binding
	}
	must.Do(t, p.start(Options{Least: -1, Memory: memory}))
	t.Cleanup(func() { // what the collector finds unused is put back meanwhile
		p.mu.Lock()
		defer p.mu.Unlock()
		p.memory.trim()
	})
	return p
}

// everyKernel is models of one node each, for all kernels, with an input of 3 pictures of 20
// channels of 15 by 17.
func everyKernel(r *rand.Rand) map[string]onnxtest.Model {
	one := func(op string, in []string, constants []onnxtest.Tensor,
		a ...onnxtest.Attribute) onnxtest.Model {
		return onnxtest.Model{
			Opset: 21, Nodes: []onnxtest.Node{onnxtest.N(op, append([]string{"x"}, in...),
				[]string{"y"}, a...)},
			Initializers: constants, Inputs: []onnxtest.Value{onnxtest.In("x", 3, 20, 15, 17)},
			Outputs: []onnxtest.Value{onnxtest.In("y")},
		}
	}
	tensors := func(shapes map[string][]int) (list []onnxtest.Tensor) {
		for name, shape := range shapes {
			list = append(list, constant(name, normal(r, shape...)))
		}
		return list
	}
	lists := func(values map[string][]int64) (list []onnxtest.Tensor) {
		for name, v := range values {
			list = append(list, onnxtest.I(name, v, len(v)))
		}
		return list
	}
	positive := func(name string, n int) onnxtest.Tensor {
		t := onnxtest.F(name, make([]float32, n), n)
		for i := range t.Floats {
			t.Floats[i] = 0.5 + r.Float32()
		}
		return t
	}
	return map[string]onnxtest.Model{
		"conv": one("Conv", []string{"w", "b"},
			tensors(map[string][]int{"w": {70, 20, 3, 3}, "b": {70}}), onnxtest.Ints("pads", 1, 1,
				1, 1)),
		"strided": one("Conv", []string{"w"}, tensors(map[string][]int{"w": {34, 10, 5, 3}}),
			onnxtest.Int("group", 2), onnxtest.Ints("strides", 2, 3), onnxtest.Ints("dilations", 1,
				2)),
		"narrow": one("Conv", []string{"w", "b"},
			tensors(map[string][]int{"w": {20, 1, 3, 3}, "b": {20}}), onnxtest.Int("group", 20),
			onnxtest.Text("auto_pad", "SAME_UPPER")),
		"product": one("MatMul", []string{"w"}, tensors(map[string][]int{"w": {17, 130}})),
		"pool": one("MaxPool", nil, nil, onnxtest.Ints("kernel_shape", 3, 2),
			onnxtest.Ints("strides", 2, 2), onnxtest.Ints("pads", 1, 1, 1, 0),
			onnxtest.Int("ceil_mode", 1)),
		"average": one("AveragePool", nil, nil, onnxtest.Ints("kernel_shape", 3, 3),
			onnxtest.Ints("pads", 1, 1, 1, 1), onnxtest.Int("count_include_pad", 1)),
		"function":  one("Gelu", nil, nil),
		"broadcast": one("Mul", []string{"w"}, tensors(map[string][]int{"w": {20, 1, 17}})),
		"softmax":   one("Softmax", nil, nil, onnxtest.Int("axis", 1)),
		"layer": one("LayerNormalization", []string{"w", "b"},
			tensors(map[string][]int{"w": {17}, "b": {17}})),
		"rows": one("LayerNormalization", []string{"w"},
			tensors(map[string][]int{"w": {15, 17}}), onnxtest.Int("axis", 2)),
		"instance": one("InstanceNormalization", []string{"w", "b"},
			tensors(map[string][]int{"w": {20}, "b": {20}})),
		"group": one("GroupNormalization", []string{"w", "b"},
			tensors(map[string][]int{"w": {20}, "b": {20}}), onnxtest.Int("num_groups", 4)),
		"batch": one("BatchNormalization", []string{"w", "b", "m", "v"},
			append(tensors(map[string][]int{"w": {20}, "b": {20}, "m": {20}}), positive("v", 20))),
		"reduction": one("ReduceMean", []string{"axes"}, lists(map[string][]int64{"axes": {1, 2}}),
			onnxtest.Int("keepdims", 0)),
		"global":    one("GlobalAveragePool", nil, nil),
		"transpose": one("Transpose", nil, nil, onnxtest.Ints("perm", 2, 0, 3, 1)),
		"slice": one("Slice", []string{"from", "to", "along", "by"},
			lists(map[string][]int64{"from": {17, 1}, "to": {2, 3}, "along": {1, -1},
				"by": {-3, 1}})),
		"gather": one("Gather", []string{"places"},
			lists(map[string][]int64{"places": {3, -1, 7, 7, 0}}), onnxtest.Int("axis", 1)),
		"evenly": one("Gather", []string{"places"},
			lists(map[string][]int64{"places": {-2, 12, 6}}), onnxtest.Int("axis", 1)),
		"expand": one("Expand", []string{"shape"},
			lists(map[string][]int64{"shape": {2, 1, 1, 15, 1}})),
		"tile": one("Tile", []string{"repeats"},
			lists(map[string][]int64{"repeats": {2, 1, 3, 1}})),
		"pad": one("Pad", []string{"pads", "value", "axes"},
			append(lists(map[string][]int64{"pads": {2, -1, 1, 0, 3, -2}, "axes": {3, 0, 1}}),
				onnxtest.F("value", []float32{-7}))),
		"multiply": one("ReduceProd", []string{"axes"}, lists(map[string][]int64{"axes": {1}}),
			onnxtest.Int("keepdims", 0)),
		"logsumexp": one("ReduceLogSumExp", []string{"axes"},
			lists(map[string][]int64{"axes": {1, 2}})),
		"concat": one("Concat", []string{"x", "w"},
			tensors(map[string][]int{"w": {3, 7, 15, 17}}), onnxtest.Int("axis", 1)),
		"clip": one("Clip", []string{"low", "high"},
			[]onnxtest.Tensor{onnxtest.F("low", []float32{-0.5}),
				onnxtest.F("high", []float32{0.25})}),
	}
}

// TestKernels compares every kernel with the CPU: on the adapter as it is, and with so few
// workgroups along a dimension that every kernel needs the second.
func TestKernels(t *testing.T) {
	wide, few := processorFor(t), narrowed(t, limits{groups: 3}, 0)
	r := rand.New(rand.NewPCG(5, 6))
	for name, m := range everyKernel(r) {
		t.Run(name, func(t *testing.T) {
			x := normal(r, 3, 20, 15, 17)
			both(t, wide, m, 1, x)
			both(t, few, m, 1, x)
		})
	}
}

// TestViews gives values that lie on the device other shapes there.
func TestViews(t *testing.T) {
	p := processorFor(t)
	for op, list := range map[string][]int64{"Reshape": {0, -1, 5}, "Squeeze": {1},
		"Unsqueeze": {0, 3}, "Flatten": nil, "Identity": nil, "Dropout": nil} {
		m := onnxtest.Model{
			Opset: 21, Nodes: []onnxtest.Node{
				onnxtest.N("Neg", []string{"x"}, []string{"a"}), onnxtest.N(op, []string{"a"},
					[]string{"b"}), onnxtest.N("Relu", []string{"b"}, []string{"y"}),
			},
			Inputs:  []onnxtest.Value{onnxtest.In("x", 4, 1, 15)},
			Outputs: []onnxtest.Value{onnxtest.In("y"), onnxtest.In("b"), onnxtest.In("a")},
		}
		if list != nil {
			m.Nodes[1].In = append(m.Nodes[1].In, "list")
			m.Initializers = []onnxtest.Tensor{onnxtest.I("list", list, len(list))}
		}
		both(t, p, m, 3, normal(rand.New(rand.NewPCG(8, 8)), 4, 1, 15))
	}
}

// TestWorkgroups runs a kernel in more workgroups than a dimension has on any device.
func TestWorkgroups(t *testing.T) {
	p := processorFor(t)
	const n = 65_535*256 + 1000
	m := onnxtest.Model{
		Opset: 21, Nodes: []onnxtest.Node{onnxtest.N("Relu", []string{"x"}, []string{"y"})},
		Inputs: []onnxtest.Value{onnxtest.In("x", n)}, Outputs: []onnxtest.Value{onnxtest.In("y")},
	}
	x := tensor.New(tensor.Float32, n)
	for i := range n {
		tensor.Of[float32](x)[i] = float32(i%1000 - 500)
	}
	both(t, p, m, 1, x)
}

// TestLargestTensor leaves what cannot be bound to the CPU, whether it is an input, a constant or a
// result.
func TestLargestTensor(t *testing.T) {
	p := narrowed(t, limits{binding: 10_000}, 0)
	r := rand.New(rand.NewPCG(2, 2))
	for _, c := range []struct {
		rows, depth, cols, nodes int
	}{{25, 20, 30, 1}, {400, 20, 2, 0}, {2, 200, 30, 0}, {50, 4, 60, 0}} {
		m := onnxtest.Model{
			Opset: 21, Nodes: []onnxtest.Node{onnxtest.N("MatMul", []string{"x", "w"},
				[]string{"y"})},
			Initializers: []onnxtest.Tensor{constant("w", normal(r, c.depth, c.cols))},
			Inputs:       []onnxtest.Value{onnxtest.In("x", c.rows, c.depth)},
			Outputs:      []onnxtest.Value{onnxtest.In("y")},
		}
		both(t, p, m, c.nodes, normal(r, c.rows, c.depth))
	}
}

// TestMemory runs a chain whose values do not fit the device's memory together, and one of which no
// value does.
func TestMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	m := onnxtest.Model{Opset: 21, Inputs: []onnxtest.Value{onnxtest.In("v0", 100, 100)},
		Outputs: []onnxtest.Value{onnxtest.In("v8")}}
	for i, op := range strings.Fields("Relu Tanh Sigmoid Neg Softplus Exp Abs Sqrt") {
		m.Nodes = append(m.Nodes, onnxtest.N(op, []string{"v" + string(rune('0'+i))},
			[]string{"v" + string(rune('1'+i))}))
	}
	both(t, narrowed(t, limits{}, 150_000), m, 8, normal(r, 100, 100))
	both(t, narrowed(t, limits{}, 20_000), m, 0, normal(r, 100, 100))
}

// TestCrossings counts what crosses: a value that stays on the device does not.
func TestCrossings(t *testing.T) {
	p := processorFor(t)
	r := rand.New(rand.NewPCG(4, 4))
	nodes := func(middle string) onnxtest.Model {
		return onnxtest.Model{
			Opset: 21, Nodes: []onnxtest.Node{
				onnxtest.N("MatMul", []string{"x", "w"}, []string{"a"}), onnxtest.N(middle,
					[]string{"a"}, []string{"b"}),
				onnxtest.N("Dropout", []string{"b"}, []string{"d"}), onnxtest.N("Flatten",
					[]string{"d"}, []string{"c"}),
				onnxtest.N("Shape", []string{"c"}, []string{"s"}), onnxtest.N("Relu", []string{"c"},
					[]string{"y"}),
			},
			Initializers: []onnxtest.Tensor{constant("w", normal(r, 8, 16))},
			Inputs:       []onnxtest.Value{onnxtest.In("x", 10, 8)},
			Outputs:      []onnxtest.Value{onnxtest.In("y"), {Name: "s", Type: onnxtest.Int64}},
		}
	}
	const in, out = 10 * 8 * 4, 10 * 16 * 4
	if c := both(t, p, nodes("Tanh"), 5, normal(r, 10, 8)); c.Up != in || c.Down != out ||
		c.Waits != 1 {
		t.Errorf("all on the device: %+v", c)
	}
	// Cos has no kernel: its input and its result cross.
	if c := both(t, p, nodes("Cos"), 2, normal(r, 10, 8)); c.Up != in+out || c.Down != 2*out ||
		c.Waits != 2 {
		t.Errorf("one node on the CPU: %+v", c)
	}
}
