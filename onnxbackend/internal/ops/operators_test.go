package ops_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// operatorTolerance is absolute for numbers below 1, else relative.
const operatorTolerance = 1e-6

// runOperator runs one node on tensors and returns its outputs.
func runOperator(opset int, node ot.Node, in []ot.Tensor, outputs int) ([]*tensor.Tensor, error) {
	data, given := operatorModel(opset, node, in, outputs)
	limits := enginetest.LimitsOf(onnxbackend.Limits{})
	file, err := decode.Decode(data, limits.Decoding)
	if err != nil {
		return nil, err
	}
	g, err := graph.New(file, limits.Runs)
	if err != nil {
		return nil, err
	}
	return runGraph(g, given)
}

// operatorModel writes a graph of one node and returns it with the values of its inputs. Tensors
// without a name are inputs of the graph, one named "const" is an initializer, one without a type
// is an omitted input.
func operatorModel(
	opset int, node ot.Node, in []ot.Tensor, outputs int,
) ([]byte, []*tensor.Tensor) {
	m := ot.Model{Opset: opset}
	node.In, node.Out = nil, nil
	var given []*tensor.Tensor
	for i, t := range in {
		name := fmt.Sprintf("x%d", i)
		switch {
		case t.Type == 0:
			name = ""
		case t.Name == "const":
			t.Name = name
			m.Initializers = append(m.Initializers, t)
		default:
			m.Inputs = append(m.Inputs, ot.Value{Name: name, Type: t.Type})
			given = append(given, denseTensor(t))
		}
		node.In = append(node.In, name)
	}
	for i := range outputs {
		name := fmt.Sprintf("y%d", i)
		node.Out = append(node.Out, name)
		m.Outputs = append(m.Outputs, ot.Value{Name: name})
	}
	m.Nodes = []ot.Node{node}
	return m.Bytes(), given
}

func denseTensor(t ot.Tensor) *tensor.Tensor {
	typ := tensor.Type(t.Type)
	x := tensor.New(typ, t.Dims...)
	switch typ {
	case tensor.Float32:
		copy(tensor.Of[float32](x), t.Floats)
	case tensor.Float64:
		copy(tensor.Of[float64](x), t.Doubles)
	case tensor.Int64:
		copy(tensor.Of[int64](x), t.Ints64)
	case tensor.Int32:
		copy(tensor.Of[int32](x), t.Ints32)
	case tensor.Bool, tensor.Uint8:
		for i, v := range t.Ints32 {
			tensor.Of[uint8](x)[i] = uint8(v)
		}
	}
	return x
}

// TestOperators holds the first output of every case to its answer.
func TestOperators(t *testing.T) {
	eachCase(t, func(t *testing.T, name string, c operatorCase) {
		out := must.Get(runOperator(c.opset, enginetest.Op(name, c.attrs...), c.in, 1))(t)
		got, err := out[0].Float64s()
		if err != nil || !slices.Equal(out[0].Shape, c.shape) || len(got) != len(c.want) {
			t.Fatalf("%v %v, want %v %v", out[0].Shape, err, c.shape, c.want)
		}
		for i, v := range got {
			w := c.want[i]
			if v != w && !(math.Abs(v-w) <= operatorTolerance*(1+math.Abs(w))) &&
				!(math.IsNaN(v) && math.IsNaN(w)) {
				t.Fatalf("%v, want %v", got, c.want)
			}
		}
	})
}

// TestFurtherOutputs checks outputs beyond the first.
func TestFurtherOutputs(t *testing.T) {
	for _, c := range []struct {
		opset int
		node  ot.Node
		in    []ot.Tensor
		want  [][]float64
	}{
		{13, enginetest.Op("TopK"), []ot.Tensor{ot.F("", []float32{2, 5, 5, 1}, 4),
			ot.I("", []int64{3}, 1)},
			[][]float64{{5, 5, 2}, {1, 2, 0}}},
		{13, enginetest.Op("MaxPool", ot.Ints("kernel_shape", 2)),
			[]ot.Tensor{ot.F("", []float32{1, 2, 0, 4, 3, 9}, 2, 1, 3)}, [][]float64{{2, 2, 4, 9},
				{1, 1, 3, 5}}},
		{13, enginetest.Op("Dropout"), []ot.Tensor{ot.F("", []float32{3, 4}, 2)},
			[][]float64{{3, 4}, {1, 1}}},
		{9, enginetest.Op("Dropout"), []ot.Tensor{ot.F("", []float32{3, 4}, 2)},
			[][]float64{{3, 4}, {1, 1}}},
		{18, enginetest.Op("Split", ot.Int("num_outputs", 2)),
			[]ot.Tensor{ot.F("", []float32{1, 2, 3}, 3)},
			[][]float64{{1, 2}, {3}}},
		{13, enginetest.Op("Split", ot.Int("axis", 1)),
			[]ot.Tensor{grid, ot.I("", []int64{1, 2}, 2)},
			[][]float64{{1, 4}, {2, 3, 5, 6}}},
		{17, enginetest.Op("LayerNormalization", ot.Float("epsilon", 0)),
			[]ot.Tensor{ot.F("", []float32{1, 5}, 2), ot.F("", []float32{1, 1}, 2)},
			[][]float64{{-1, 1}, {3}, {.5}}},
	} {
		t.Run(c.node.Op, func(t *testing.T) {
			out := must.Get(runOperator(c.opset, c.node, c.in, len(c.want)))(t)
			for i, w := range c.want {
				got, _ := out[i].Float64s()
				enginetest.CheckNear(t, fmt.Sprintf("output %d", i), got, w, operatorTolerance)
			}
		})
	}
}

// TestOperatorErrors gives operators what they cannot take.
func TestOperatorErrors(t *testing.T) {
	for _, c := range []struct {
		name  string
		opset int
		node  ot.Node
		in    []ot.Tensor
	}{
		{"division by zero", 13, enginetest.Op("Div"), []ot.Tensor{ot.I("", []int64{1}, 1),
			ot.I("", []int64{0}, 1)}},
		{"mixed types", 13, enginetest.Op("Add"), []ot.Tensor{grid, ot.I("", []int64{0}, 1)}},
		{"no broadcast", 13, enginetest.Op("Add"), []ot.Tensor{grid, ot.F("", []float32{1, 2}, 2)}},
		{"inner sizes", 13, enginetest.Op("MatMul"), []ot.Tensor{grid, grid}},
		{"index outside", 13, enginetest.Op("Gather"), []ot.Tensor{grid, ot.I("", []int64{2}, 1)}},
		{"too many wanted", 13, enginetest.Op("TopK"), []ot.Tensor{grid, ot.I("", []int64{4}, 1)}},
		{"axis outside", 13, enginetest.Op("Softmax", ot.Int("axis", 2)), []ot.Tensor{grid}},
		{"axis twice", 13, enginetest.Op("ReduceSum"),
			[]ot.Tensor{grid, ot.I("", []int64{0, -2}, 2)}},
		{"window too large", 13, enginetest.Op("MaxPool", ot.Ints("kernel_shape", 4)),
			[]ot.Tensor{ot.F("", []float32{1}, 1, 1, 1)}},
		{"huge window", 13, enginetest.Op("MaxPool", ot.Ints("kernel_shape", 1<<40)),
			[]ot.Tensor{ot.F("", []float32{1}, 1, 1, 1)}},
		{"stride of zero", 13, enginetest.Op("MaxPool", ot.Ints("kernel_shape", 1),
			ot.Ints("strides", 0)),
			[]ot.Tensor{ot.F("", []float32{1}, 1, 1, 1)}},
		{"channels", 13, enginetest.Op("Conv"), []ot.Tensor{ot.F("", []float32{1, 2}, 1, 2, 1),
			ot.F("", []float32{1}, 1, 1, 1)}},
		{"impossible shape", 13, enginetest.Op("Reshape"),
			[]ot.Tensor{grid, ot.I("", []int64{4, -1}, 2)}},
		{"huge expansion", 13, enginetest.Op("Expand"), []ot.Tensor{ot.F("", []float32{1}, 1),
			ot.I("", []int64{1 << 40}, 1)}},
		{"overflowing expansion", 13, enginetest.Op("Expand"),
			[]ot.Tensor{ot.F("", []float32{1}, 1), ot.I("", []int64{1 << 40, 1 << 40}, 2)}},
		{"endless range", 13, enginetest.Op("Range"),
			[]ot.Tensor{ot.I("", []int64{0}), ot.I("", []int64{1}), ot.I("", []int64{0})}},
		{"permutation", 13, enginetest.Op("Transpose", ot.Ints("perm", 0, 0)), []ot.Tensor{grid}},
		{"step of zero", 13, enginetest.Op("Slice"), []ot.Tensor{grid, ot.I("", []int64{0}, 1),
			ot.I("", []int64{1}, 1), ot.I("", []int64{0}, 1), ot.I("", []int64{0}, 1)}},
		{"training", 13, enginetest.Op("Dropout"), []ot.Tensor{grid, ot.F("", []float32{.5}),
			bools([]int32{1})}},
		{"no parts", 17, enginetest.Op("DFT"), []ot.Tensor{grid}},
		{"imaginary parts", 17, enginetest.Op("DFT", ot.Int("onesided", 1)),
			[]ot.Tensor{ot.F("", []float32{1, 2}, 1, 1, 2)}},
		{"axis of parts", 20, enginetest.Op("DFT"), []ot.Tensor{ot.F("", []float32{1, 2}, 1, 1, 2),
			omitted, ot.I("", []int64{2})}},
		{"length of 0", 20, enginetest.Op("DFT"), []ot.Tensor{ot.F("", []float32{1, 2}, 1, 1, 2),
			ot.I("", []int64{0})}},
		{"huge length", 20, enginetest.Op("DFT"), []ot.Tensor{ot.F("", []float32{1, 2}, 1, 1, 2),
			ot.I("", []int64{math.MaxInt64})}},
		{"frames too long", 17, enginetest.Op("STFT"), []ot.Tensor{ot.F("", []float32{1, 2},
			1, 2, 1), ot.I("", []int64{1}), omitted, ot.I("", []int64{3})}},
		{"steps of 0", 17, enginetest.Op("STFT"), []ot.Tensor{ot.F("", []float32{1, 2},
			1, 2, 1), ot.I("", []int64{0}), omitted, ot.I("", []int64{2})}},
		{"negative size", 17, enginetest.Op("HannWindow"), []ot.Tensor{ot.I("", []int64{-1})}},
		{"window beyond the picture", 18, enginetest.Op("LpPool", ot.Ints("kernel_shape", 5)),
			[]ot.Tensor{ot.F("", []float32{3, -4, 0}, 1, 1, 3)}},
		{"unknown padding", 13, enginetest.Op("Pad", ot.Text("mode", "mirror")),
			[]ot.Tensor{grid, ot.I("", []int64{1, 1, 1, 1}, 4)}},
	} {
		t.Run(c.node.Op+": "+c.name, func(t *testing.T) {
			if out, err := runOperator(c.opset, c.node, c.in, 1); err == nil {
				t.Errorf("it computed %v", out[0].Shape)
			} else {
				enginetest.CheckTyped(t, err)
			}
		})
	}
}

// TestSingleOperandsAreKept reads the only operand of a variadic operator again, after the result
// has been freed and other values have been written.
func TestSingleOperandsAreKept(t *testing.T) {
	for _, op := range []string{"Sum", "Max", "Min", "Mean"} {
		t.Run(op, func(t *testing.T) {
			m := ot.Model{Opset: 13, Inputs: []ot.Value{ot.In("bag", "k", 2)},
				Outputs: []ot.Value{ot.In("y", 2)}, Nodes: []ot.Node{
					ot.N("CumSum", []string{"bag", "axis"}, []string{"h"}),
					ot.N(op, []string{"h"}, []string{"same"}),
					ot.N("CumSum", []string{"same", "axis"}, []string{"a"}),
					ot.N("CumSum", []string{"a", "axis"}, []string{"b"}),
					ot.N("CumSum", []string{"b", "axis"}, []string{"c"}),
					ot.N("Sub", []string{"h", "c"}, []string{"d"}),
					ot.N("ReduceMax", []string{"d"}, []string{"y"}, ot.Ints("axes", 0),
						ot.Int("keepdims", 0)),
				}, Initializers: []ot.Tensor{ot.I("axis", []int64{1})}}
			opened := must.Get(onnxbackend.Open(m.Bytes(), onnxbackend.Options{}))(t)
			bag := enginetest.SmallBag(1, 2)
			bag.Values = []float32{2, 3} // sums along the row: 2 5, 2 7, 2 9, 2 11
			p := must.Get(opened.Predict(t.Context(), bag))(t)
			enginetest.CheckNear(t, "scores", p.Scores, []float64{0, -6}, 0)
		})
	}
}

// TestEveryOperatorIsTested fails for a row of the table that no case runs, and for cases of
// operators that the table lacks.
func TestEveryOperatorIsTested(t *testing.T) {
	seen := map[string]bool{}
	for name := range operatorCases {
		seen[name] = true
		must.Equal(t, ops.Lookup("", name) != nil, true, name)
	}
	for _, c := range controlCases {
		seen[c.node.Op] = true
	}
	for _, c := range recurrentCases {
		seen[c.op] = true
	}
	for _, name := range ops.Names() {
		must.Equal(t, seen[name], true, name)
	}
}

// TestDoubleNormalizations holds normalisations of float64 to those of float32.
func TestDoubleNormalizations(t *testing.T) {
	x := ot.F("", []float32{1, 2, 3, 7, -1, 0, 4, 8, 2, 2, 5, 1, 0, -3, 9, 6}, 1, 4, 2, 2)
	four := func(v ...float32) ot.Tensor { return ot.F("", v, 4) }
	for _, c := range []struct {
		node ot.Node
		in   []ot.Tensor
	}{
		{enginetest.Op("BatchNormalization"), []ot.Tensor{x, four(1, 2, 3, 4), four(0, 1, 0, 1),
			four(1, 0, 2, 0), four(4, 1, 9, 2)}},
		{enginetest.Op("InstanceNormalization"),
			[]ot.Tensor{x, four(1, 2, 3, 4), four(0, 1, 0, 1)}},
		{enginetest.Op("GroupNormalization", ot.Int("num_groups", 2)),
			[]ot.Tensor{x, four(1, 2, 3, 4), four(0, 1, 0, 1)}},
		{enginetest.Op("LayerNormalization", ot.Int("axis", 2)),
			[]ot.Tensor{x, ot.F("", []float32{1, 2, 3, 4}, 2, 2), ot.F("", []float32{5, 6}, 2)}},
		{enginetest.Op("RMSNormalization"), []ot.Tensor{x, ot.F("", []float32{1, 2}, 2)}},
	} {
		t.Run(c.node.Op, func(t *testing.T) {
			single := must.Get(runOperator(23, c.node, c.in, 1))(t)
			var wide []ot.Tensor
			for _, p := range c.in {
				d := ot.Tensor{Type: ot.Float64, Dims: p.Dims}
				for _, v := range p.Floats {
					d.Doubles = append(d.Doubles, float64(v))
				}
				wide = append(wide, d)
			}
			double := must.Get(runOperator(23, c.node, wide, 1))(t)
			must.Equal(t, double[0].Type, tensor.Float64)
			got, _ := double[0].Float64s()
			want, _ := single[0].Float64s()
			enginetest.CheckNear(t, "in float64", got, want, operatorTolerance)
		})
	}
}

// TestSizesBeforeMemory asks operators for results beyond any limit: each says so before it takes
// memory.
func TestSizesBeforeMemory(t *testing.T) {
	huge := int64(1) << 40
	x, row := ot.F("", []float32{1, 2}, 1, 1, 2), ot.F("", []float32{1}, 1)
	for _, c := range []struct {
		node ot.Node
		in   []ot.Tensor
	}{
		{enginetest.Op("Resize"), []ot.Tensor{x, omitted, ot.F("", []float32{1e4, 1e4, 1e4}, 3)}},
		{enginetest.Op("Resize"), []ot.Tensor{x, omitted, omitted,
			ot.I("", []int64{1, huge, huge}, 3)}},
		{enginetest.Op("ConvTranspose", ot.Ints("strides", 1<<30)), []ot.Tensor{x, x}},
		{enginetest.Op("ConvTranspose", ot.Ints("output_shape", 1<<30)), []ot.Tensor{x, x}},
		{enginetest.Op("Tile"), []ot.Tensor{x, ot.I("", []int64{1, huge, huge}, 3)}},
		{enginetest.Op("Expand"), []ot.Tensor{row, ot.I("", []int64{huge, huge}, 2)}},
		{enginetest.Op("Range"), []ot.Tensor{ot.I("", []int64{0}), ot.I("", []int64{huge}),
			ot.I("", []int64{1})}},
		{enginetest.Op("OneHot"), []ot.Tensor{ot.I("", []int64{0}, 1), ot.I("", []int64{huge}),
			ot.F("", []float32{0, 1}, 2)}},
		{enginetest.Op("ConstantOfShape"), []ot.Tensor{ot.I("", []int64{huge, huge}, 2)}},
		{enginetest.Op("Pad"), []ot.Tensor{row, ot.I("", []int64{huge, huge}, 2)}},
		{enginetest.Op("Einsum", ot.Text("equation", "i,j,k,l,m->ijklm")),
			[]ot.Tensor{wideRow, wideRow, wideRow, wideRow, wideRow}},
	} {
		t.Run(c.node.Op, func(t *testing.T) {
			_, err := runOperator(18, c.node, c.in, 1)
			var limit *onnxbackend.LimitError
			var run *onnxbackend.RunError
			if !errors.As(err, &limit) && !errors.As(err, &run) {
				t.Errorf("%v (%T), want a *LimitError or a *RunError", err, err)
			}
		})
	}
}

var wideRow = ot.F("", make([]float32, 1000), 1000)
