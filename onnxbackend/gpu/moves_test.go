//go:build gpu

package gpu

import (
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// TestSelection chooses by a condition that is a constant, and by one that the CPU has computed,
// each broadcast in its own way.
func TestSelection(t *testing.T) {
	p, r := processorFor(t), rand.New(rand.NewPCG(11, 11))
	n := onnxtest.N
	m := onnxtest.Model{
		Opset: 21,
		Nodes: []onnxtest.Node{
			n("Cast", []string{"bits"}, []string{"fixed"}, onnxtest.Int("to", onnxtest.Bool)),
			n("Where", []string{"fixed", "x", "w"}, []string{"a"}),
			n("Greater", []string{"z", "w"}, []string{"which"}), n("Where",
				[]string{"which", "a", "x"}, []string{"y"}),
		},
		Initializers: []onnxtest.Tensor{onnxtest.I("bits", []int64{1, 0, 0, 1, 1}, 5, 1),
			constant("w", normal(r, 7))},
		Inputs:  []onnxtest.Value{onnxtest.In("x", 3, 5, 7), onnxtest.In("z", 5, 7)},
		Outputs: []onnxtest.Value{onnxtest.In("y")},
	}
	if c := both(t, p, m, 2, normal(r, 3, 5, 7), normal(r, 5, 7)); c.Waits != 1 {
		t.Errorf("%+v", c)
	}
}

// TestSplit parts values along an axis, evenly and not. Each part stays on the device.
func TestSplit(t *testing.T) {
	p, r := processorFor(t), rand.New(rand.NewPCG(12, 12))
	for axis, sizes := range map[int64][]int64{-1: {3, 1, 5}, 1: nil, 0: {1, 1, 1}} {
		m := onnxtest.Model{
			Opset: 21, Nodes: []onnxtest.Node{onnxtest.N("Split", []string{"x"},
				[]string{"a", "b", "c"}, onnxtest.Int("axis", axis)),
				onnxtest.N("Neg", []string{"b"}, []string{"y"})},
			Inputs:  []onnxtest.Value{onnxtest.In("x", 3, 8, 9)},
			Outputs: []onnxtest.Value{onnxtest.In("a"), onnxtest.In("y"), onnxtest.In("c")},
		}
		if sizes != nil {
			m.Nodes[0].In = append(m.Nodes[0].In, "sizes")
			m.Initializers = []onnxtest.Tensor{onnxtest.I("sizes", sizes, len(sizes))}
		} else {
			m.Nodes[0] = onnxtest.N("Split", []string{"x"}, []string{"a", "b", "c"},
				onnxtest.Int("axis", axis), onnxtest.Int("num_outputs", 3))
		}
		if c := both(t, p, m, 2, normal(r, 3, 8, 9)); c.Waits != 1 {
			t.Errorf("axis %d: %+v", axis, c)
		}
	}
	empty := onnxtest.Model{
		Opset: 21, Nodes: []onnxtest.Node{onnxtest.N("Split", []string{"x", "sizes"},
			[]string{"a", "b"})},
		Initializers: []onnxtest.Tensor{onnxtest.I("sizes", []int64{0, 3}, 2)},
		Inputs:       []onnxtest.Value{onnxtest.In("x", 3, 8)},
		Outputs:      []onnxtest.Value{onnxtest.In("a"), onnxtest.In("b")},
	}
	both(t, p, empty, 0, normal(r, 3, 8))
}

// TestEmpty cuts nothing from a value on the device and joins it with the value, as exporters roll
// a picture by no place.
func TestEmpty(t *testing.T) {
	p, n := processorFor(t), onnxtest.N
	m := onnxtest.Model{
		Opset: 21, Nodes: []onnxtest.Node{n("Neg", []string{"x"}, []string{"a"}),
			n("Slice", []string{"a", "none", "none", "along"}, []string{"b"}),
			n("Concat", []string{"b", "a", "b"}, []string{"c"}, onnxtest.Int("axis", 1)),
			n("Relu", []string{"c"}, []string{"y"})},
		Initializers: []onnxtest.Tensor{onnxtest.I("none", []int64{0}, 1),
			onnxtest.I("along", []int64{1}, 1)},
		Inputs:  []onnxtest.Value{onnxtest.In("x", 3, 8, 5)},
		Outputs: []onnxtest.Value{onnxtest.In("y"), onnxtest.In("b")},
	}
	if c := both(t, p, m, 4, normal(rand.New(rand.NewPCG(18, 18)), 3, 8, 5)); c.Waits != 1 {
		t.Errorf("%+v", c)
	}
}

// TestPlaces gathers at places that come with the bag, and leaves those beyond an axis to the CPU,
// which says what is wrong.
func TestPlaces(t *testing.T) {
	p, r := processorFor(t), rand.New(rand.NewPCG(13, 13))
	m := onnxtest.Model{
		Opset: 21, Nodes: []onnxtest.Node{onnxtest.N("Neg", []string{"x"}, []string{"a"}),
			onnxtest.N("Gather", []string{"a", "at"}, []string{"y"}, onnxtest.Int("axis", 1))},
		Inputs: []onnxtest.Value{onnxtest.In("x", 3, 8, 5),
			{Name: "at", Type: onnxtest.Int64, Dims: []any{2, 2}}},
		Outputs: []onnxtest.Value{onnxtest.In("y")},
	}
	both(t, p, m, 2, normal(r, 3, 8, 5), tensor.From(tensor.Int64, []int64{7, 0, -8, 3}, 2, 2))
	g := must.Get(compile(m.Bytes(), false))(t)
	if _, err := g.run([]*tensor.Tensor{normal(r, 3, 8, 5),
		tensor.From(tensor.Int64, []int64{8, 0, 1, 3}, 2, 2)},
		p.Load().Session(false)); err == nil {
		t.Error("place 8 of 8 was found")
	}
}

// TestProducts multiplies vectors, and matrices whose sums are so long that they are cut.
func TestProducts(t *testing.T) {
	p, r := processorFor(t), rand.New(rand.NewPCG(14, 14))
	for _, c := range []struct{ a, b []int }{
		{[]int{9}, []int{9, 4}}, {[]int{5, 9}, []int{9}}, {[]int{9}, []int{9}}, {[]int{9},
			[]int{3, 9, 4}}, {[]int{3, 5, 9}, []int{9}}, {[]int{2, 3, 5, 9}, []int{9, 4}},
		{[]int{1, 70_000}, []int{70_000, 3}}, {[]int{70, 5000}, []int{5000, 3}},
		{[]int{2, 1, 17_000}, []int{2, 17_000, 70}}, {[]int{1100, 1100}, []int{1100, 65}},
	} {
		m := onnxtest.Model{
			Opset: 21, Nodes: []onnxtest.Node{onnxtest.N("MatMul", []string{"x", "z"},
				[]string{"y"})},
			Inputs: []onnxtest.Value{onnxtest.In("x", dims(c.a)...),
				onnxtest.In("z", dims(c.b)...)}, Outputs: []onnxtest.Value{onnxtest.In("y")},
		}
		both(t, p, m, 1, normal(r, c.a...), normal(r, c.b...))
	}
	m := onnxtest.Model{
		Opset: 21, Nodes: []onnxtest.Node{onnxtest.N("Gemm", []string{"x", "w", "b"}, []string{"y"},
			onnxtest.Float("alpha", 0.5), onnxtest.Float("beta", -2), onnxtest.Int("transA", 1))},
		Initializers: []onnxtest.Tensor{constant("w", normal(r, 6000, 5)),
			constant("b", normal(r, 5))},
		Inputs:  []onnxtest.Value{onnxtest.In("x", 6000, 67)},
		Outputs: []onnxtest.Value{onnxtest.In("y")},
	}
	both(t, p, m, 1, normal(r, 6000, 67))
	tall := onnxtest.Model{
		Opset: 21, Nodes: []onnxtest.Node{onnxtest.N("MatMul", []string{"x", "w"}, []string{"a"}),
			onnxtest.N("Add", []string{"a", "b"}, []string{"c"}), onnxtest.N("Tanh", []string{"c"},
				[]string{"y"})},
		Initializers: []onnxtest.Tensor{constant("w", normal(r, 5000, 5)),
			constant("b", normal(r, 5))},
		Inputs:  []onnxtest.Value{onnxtest.In("x", 3, 5000)},
		Outputs: []onnxtest.Value{onnxtest.In("y")},
	}
	g, err := compile(tall.Bytes(), true) // with bias and activation in the product
	if err != nil {
		t.Fatal(err)
	}
	x := normal(r, 3, 5000)
	want := must.Get(g.run([]*tensor.Tensor{x}, nil))(t)
	got, err := g.run([]*tensor.Tensor{x}, p.Load().Session(false))
	if err != nil || !(distance(got[0], want[0]) <= tolerance) {
		t.Errorf("off by %g of the largest element, %v", distance(got[0], want[0]), err)
	}
}

func dims(shape []int) (d []any) {
	for _, n := range shape {
		d = append(d, n)
	}
	return d
}

// TestLongLoops leaves a window of more taps than a loop may have rounds to the CPU.
func TestLongLoops(t *testing.T) {
	p, r := processorFor(t), rand.New(rand.NewPCG(15, 15))
	pool := onnxtest.Model{
		Opset: 21, Nodes: []onnxtest.Node{onnxtest.N("AveragePool", []string{"x"}, []string{"y"},
			onnxtest.Ints("kernel_shape", 200, 200))},
		Inputs:  []onnxtest.Value{onnxtest.In("x", 1, 1, 200, 201)},
		Outputs: []onnxtest.Value{onnxtest.In("y")},
	}
	both(t, p, pool, 0, normal(r, 1, 1, 200, 201))
	conv := onnxtest.Model{
		Opset: 21, Nodes: []onnxtest.Node{onnxtest.N("Conv", []string{"x", "w"}, []string{"y"})},
		Initializers: []onnxtest.Tensor{constant("w", normal(r, 1, 1, 200, 200))},
		Inputs:       []onnxtest.Value{onnxtest.In("x", 1, 1, 200, 201)},
		Outputs:      []onnxtest.Value{onnxtest.In("y")},
	}
	both(t, p, conv, 0, normal(r, 1, 1, 200, 201))
}
