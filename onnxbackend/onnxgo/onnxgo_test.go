package onnxgo_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	onnx "github.com/owulveryck/onnx-go"
	"gorgonia.org/tensor"

	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/onnxgo"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// read decodes a file of one input "x" and returns its graph and model.
func read(t *testing.T, m ot.Model) (*onnxgo.Graph, *onnx.Model) {
	t.Helper()
	file := m.Bytes()
	g := onnxgo.New()
	g.Opset = onnxgo.OpsetOf(file)
	model := onnx.NewModel(g)
	must.Do(t, model.UnmarshalBinary(file))
	return g, model
}

// outputs runs a graph on an input of two rows.
func outputs(t *testing.T, g *onnxgo.Graph, m *onnx.Model, x ...float32) [][]float32 {
	t.Helper()
	must.Do(t, m.SetInput(0, tensor.New(tensor.WithShape(2, len(x)/2), tensor.WithBacking(x))))
	must.Do(t, g.Run())
	list := must.Get(m.GetOutputTensors())(t)
	var out [][]float32
	for _, o := range list {
		out = append(out, o.Data().([]float32))
	}
	return out
}

func TestRun(t *testing.T) {
	in, out := ot.In("x", 2, 3), func(name string) ot.Value { return ot.In(name, 2, 3) }
	ramp := []float32{-1, 0, 1, 2, 3, 4}
	for _, c := range []struct {
		name  string
		model ot.Model
		want  [][]float32
	}{
		{"a value read twice", ot.Model{Opset: 13, Inputs: []ot.Value{in},
			Outputs: []ot.Value{out("y")},
			Nodes:   []ot.Node{ot.N("Mul", []string{"x", "x"}, []string{"y"})}},
			[][]float32{{1, 0, 1, 4, 9, 16}}},
		{"several outputs, one of them read", ot.Model{Opset: 11, Inputs: []ot.Value{in},
			Outputs: []ot.Value{ot.In("a", 1, 3), ot.In("c", 1, 3)},
			Nodes:   ot.Nodes(`a, b = Split<axis=0, split=[1, 1]>(x); c = Sub(b, a)`)},
			[][]float32{{-1, 0, 1}, {3, 3, 3}}},
		{"an optional input left out", ot.Model{Opset: 13, Inputs: []ot.Value{in},
			Outputs: []ot.Value{out("y")}, Initializers: []ot.Tensor{ot.F("top", []float32{2})},
			Nodes: []ot.Node{ot.N("Clip", []string{"x", "", "top"}, []string{"y"})}},
			[][]float32{{-1, 0, 1, 2, 2, 2}}},
		{"a node without inputs", ot.Model{Opset: 13, Inputs: []ot.Value{in},
			Outputs: []ot.Value{out("y")},
			Nodes: []ot.Node{ot.N("Constant", nil, []string{"two"},
				ot.Dense("value", ot.F("", []float32{2}))),
				ot.N("Mul", []string{"two", "x"}, []string{"y"})}},
			[][]float32{{-2, 0, 2, 4, 6, 8}}},
		{"an empty value between", ot.Model{Opset: 13, Inputs: []ot.Value{in},
			Outputs:      []ot.Value{out("y")},
			Nodes:        ot.Nodes(`no, a = Split<axis=0>(x, sizes); y = Concat<axis=0>(a, no)`),
			Initializers: []ot.Tensor{ot.I("sizes", []int64{0, 2}, 2)}},
			[][]float32{ramp}},
		{"bools, and an output without a name", ot.Model{Opset: 13, Inputs: []ot.Value{in},
			Outputs: []ot.Value{out("y")}, Initializers: []ot.Tensor{ot.F("two", []float32{2}),
				{Name: "rows", Type: ot.Bool, Dims: []int{2, 1}, Ints32: []int32{0, 1}}},
			Nodes: ot.Nodes(`d, = Dropout(x); y = Where(rows, d, two)`)},
			[][]float32{{2, 2, 2, 2, 3, 4}}},
		{"attributes", ot.Model{Opset: 9, Inputs: []ot.Value{in}, Outputs: []ot.Value{out("y")},
			Nodes: ot.Nodes(`a = LeakyRelu<alpha=0.5>(x)
				y = Pad<mode="edge", pads=[0, 0, 0, 0]>(a)`)}, [][]float32{{-.5, 0, 1, 2, 3, 4}}},
		{"weights", ot.Model{Opset: 9, Inputs: []ot.Value{in},
			Outputs:      []ot.Value{ot.In("y", 2, 1)},
			Initializers: []ot.Tensor{ot.F("W", []float32{1, 10, 100}, 3, 1)},
			Nodes:        []ot.Node{ot.N("MatMul", []string{"x", "W"}, []string{"y"})}},
			[][]float32{{99, 432}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, m := read(t, c.model)
			for range 2 { // the second run has its memory from the first
				must.Equal(t,
					slices.EqualFunc(outputs(t, g, m, slices.Clone(ramp)...), c.want, slices.Equal),
					true, c.want)
			}
			other := outputs(t, g, m, 0, 0, 0, 0, 0, 0)
			must.Equal(t, slices.EqualFunc(other, c.want, slices.Equal), false,
				"another input changes nothing")
		})
	}
}

// TestOpset computes Softmax as the file's version defines it: over all axes from the second on
// until 12.
func TestOpset(t *testing.T) {
	model := ot.Model{Opset: 11, Inputs: []ot.Value{ot.In("x", 1, 2, 2)},
		Outputs: []ot.Value{ot.In("y", 1, 2, 2)},
		Nodes:   []ot.Node{ot.N("Softmax", []string{"x"}, []string{"y"})}}
	for opset, want := range map[int]float32{11: .25, 13: .5} {
		model.Opset = opset
		g, m := read(t, model)
		must.Do(t, m.SetInput(0, tensor.New(tensor.WithShape(1, 2, 2), tensor.Of(tensor.Float32))))
		must.Do(t, g.Run())
		out := must.Get(m.GetOutputTensors())(t)
		must.Equal(t, out[0].Data().([]float32)[0], want, opset)
	}
	must.Equal(t, onnxgo.OpsetOf([]byte("no model")), onnxgo.DefaultOpset)
}

func TestErrors(t *testing.T) {
	x := ot.In("x", 2, 3)
	relu := ot.Model{Opset: 13, Inputs: []ot.Value{x}, Outputs: []ot.Value{ot.In("y", 2, 3)},
		Nodes: []ot.Node{ot.N("Relu", []string{"x"}, []string{"y"})}}
	g, _ := read(t, relu)
	must.Fail(t, g.Run(), `"x"`)
	g, m := read(t, ot.Model{Opset: 13, Inputs: []ot.Value{x},
		Outputs: []ot.Value{ot.In("y", 2, 3)},
		Nodes:   ot.Nodes(`a = Foo(x); b = Bar(a); y = Relu(b)`)})
	must.Do(t, m.SetInput(0, tensor.New(tensor.WithShape(2, 3), tensor.Of(tensor.Float32))))
	var gap *onnx.ErrNotImplemented
	must.As(t, g.Run(), &gap)
	must.Equal(t, gap.Operator, "Bar, Foo", "unknown operators")
	g, m = read(t, ot.Model{Opset: 13, Inputs: []ot.Value{x}, Outputs: []ot.Value{ot.In("y", 2, 3)},
		Initializers: []ot.Tensor{ot.F("W", []float32{1, 2}, 2, 1)},
		Nodes:        []ot.Node{ot.N("MatMul", []string{"x", "W"}, []string{"y"})}})
	must.Do(t, m.SetInput(0, tensor.New(tensor.WithShape(2, 3), tensor.Of(tensor.Float32))))
	must.Fail(t, g.Run(), "MatMul")
	g, _ = read(t, ot.Model{Opset: 13, Outputs: []ot.Value{ot.In("y", 2, 3)},
		Nodes: ot.Nodes(`y = Relu(z); z = Relu(y)`)})
	err := g.Run()
	must.Fail(t, err, `"z`)
	must.Equal(t, strings.Contains(err.Error(), "offset"), false, err)
	g, m = read(t, ot.Model{Opset: 13, Inputs: []ot.Value{x}, Outputs: []ot.Value{ot.In("y", 2, 3)},
		Nodes: []ot.Node{ot.N("Relu", []string{"x"}, nil)}})
	must.Do(t, m.SetInput(0, tensor.New(tensor.WithShape(2, 3), tensor.Of(tensor.Float32))))
	must.Fail(t, g.Run(), "Relu")
	g, m = read(t, relu)
	must.Do(t, m.SetInput(0, tensor.New(tensor.WithShape(1), tensor.WithBacking([]string{"one"}))))
	must.Fail(t, g.Run(), "string")
	g, m = read(t, relu)
	ctx, stop := context.WithCancel(context.Background())
	stop()
	must.Do(t, m.SetInput(0, tensor.New(tensor.WithShape(2, 3), tensor.Of(tensor.Float32))))
	must.Is(t, g.RunContext(ctx), context.Canceled, "a run whose context has ended")
}

// TestNodes looks at the graph after a run, and replaces a constant before the next one.
func TestNodes(t *testing.T) {
	g, m := read(t, ot.Model{Opset: 13, Inputs: []ot.Value{ot.In("x", 2, 1),
		{Name: "unused", Type: 14, Dims: []any{1}}}, Outputs: []ot.Value{ot.In("y", 2, 1)},
		Initializers: []ot.Tensor{ot.F("W", []float32{2}, 1)},
		Nodes:        []ot.Node{ot.N("Mul", []string{"x", "W"}, []string{"y"})}})
	must.EqualSlices(t, outputs(t, g, m, 3, 4)[0], []float32{6, 8})
	names := map[string]*onnxgo.Node{}
	for all := g.Nodes(); all.Next(); {
		n := all.Node().(*onnxgo.Node)
		names[n.GetName()] = n
	}
	must.EqualSlices(t, slices.Sorted(maps.Keys(names)), []string{"W", "unused", "x", "y"})
	must.Equal(t, g.From(names["y"].ID()).Len(), 2, "values that y is computed from")
	must.EqualSlices(t, names["y"].GetTensor().Data().([]float32), []float32{6, 8})
	for _, w := range []float32{5, 6} {
		must.Do(t, names["W"].SetTensor(tensor.New(tensor.WithShape(1),
			tensor.WithBacking([]float32{w}))))
		must.EqualSlices(t, outputs(t, g, m, 3, 4)[0], []float32{3 * w, 4 * w})
	}
}

// TestLimits sets each limit below what a run needs, and to a number that means the default.
func TestLimits(t *testing.T) {
	const many = 1 << 22 // so much work that it is compared with the limit
	for name, limits := range map[string]func(n int) onnxbackend.Limits{
		"elements": func(n int) onnxbackend.Limits { return onnxbackend.Limits{Elements: n} },
		"bytes":    func(n int) onnxbackend.Limits { return onnxbackend.Limits{RunBytes: n} },
		"work":     func(n int) onnxbackend.Limits { return onnxbackend.Limits{Work: n} },
		"memory": func(n int) onnxbackend.Limits {
			return onnxbackend.Limits{Memory: quota.NewMemory(int64(n))}
		},
	} {
		for _, n := range []int{1, -1} {
			if name == "memory" && n < 0 {
				n = 1 << 30
			}
			g, m := read(t, ot.Model{Opset: 13, Inputs: []ot.Value{ot.In("x", many)},
				Outputs: []ot.Value{ot.In("y", many)}, Nodes: ot.Nodes(`y = Exp(x)`)})
			g.Limits = limits(n)
			must.Do(t, m.SetInput(0, tensor.New(tensor.WithShape(many), tensor.Of(tensor.Float32))))
			err := g.Run()
			must.Equal(t, err != nil, n == 1, name, n, err)
		}
	}
}

// TestViews gives a transposed tensor, whose elements do not lie in order, and reads numbers of
// other types, bools and a scalar back.
func TestViews(t *testing.T) {
	g, m := read(t, ot.Model{Opset: 13, Inputs: []ot.Value{ot.In("x", 3, 2)},
		Outputs: []ot.Value{ot.In("y"), ot.In("z", 3, 2), ot.In("b", 3, 2)},
		Nodes: ot.Nodes(`y = ReduceSum<keepdims=0>(x); z = Identity(x)
			mean = ReduceMean<keepdims=0>(x); b = Greater(z, mean)`)})
	x := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]float64{1, 2, 3, 4, 5, 6}))
	must.Do(t, x.T())
	must.Do(t, m.SetInput(0, x))
	must.Do(t, g.Run())
	out := must.Get(m.GetOutputTensors())(t)
	must.Equal(t, out[0].Data(), 21.)
	must.EqualSlices(t, out[1].Data().([]float64), []float64{1, 4, 2, 5, 3, 6}, "transposed values")
	must.EqualSlices(t, out[2].Data().([]bool), []bool{false, true, false, true, false, true})
}
