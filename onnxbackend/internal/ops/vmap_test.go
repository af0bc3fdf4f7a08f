package ops

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A vmapCase is a node with the inputs of one coalition.
type vmapCase struct {
	op    string
	opset int
	attrs []decode.Attribute
	in    []vmapInput
	outs  int
	each  bool // one call for each coalition is expected
}

// A vmapInput describes an input that differs between coalitions (stacked), or is the same for all.
type vmapInput struct {
	shape   []int
	ints    []int64 // its values, else random ones
	stacked bool
}

func stackedOf(shape ...int) vmapInput { return vmapInput{shape: shape, stacked: true} }
func sameOf(shape ...int) vmapInput    { return vmapInput{shape: shape} }
func listOf(v ...int64) vmapInput      { return vmapInput{shape: []int{len(v)}, ints: v} }
func intAttr(name string, v int64) decode.Attribute {
	return decode.Attribute{Name: name, Kind: decode.KindInt, Int: v}
}
func intsAttr(name string, v ...int64) decode.Attribute {
	return decode.Attribute{Name: name, Kind: decode.KindInts, Ints: v}
}

var vmapCases = []vmapCase{
	{op: "Add", in: []vmapInput{stackedOf(3, 4), sameOf(4)}},
	{op: "Add", in: []vmapInput{stackedOf(4), sameOf(3, 4)}},
	{op: "Sub", in: []vmapInput{sameOf(2, 3, 4), stackedOf(3, 1)}},
	{op: "Mul", in: []vmapInput{stackedOf(), stackedOf(3, 4)}},
	{op: "Div", in: []vmapInput{stackedOf(3, 1), stackedOf(2, 1, 4)}},
	{op: "Max", in: []vmapInput{stackedOf(3), sameOf(2, 3), stackedOf(2, 1)}},
	{op: "MatMul", in: []vmapInput{stackedOf(3, 4), sameOf(4, 5)}},
	{op: "MatMul", in: []vmapInput{stackedOf(4), sameOf(4, 5)}},
	{op: "MatMul", in: []vmapInput{stackedOf(3, 4), stackedOf(4, 5)}},
	{op: "MatMul", in: []vmapInput{sameOf(3, 4), stackedOf(4, 5)}},
	{op: "MatMul", in: []vmapInput{stackedOf(3, 4), stackedOf(2, 4, 5)}},
	{op: "MatMul", in: []vmapInput{stackedOf(2, 3, 4), sameOf(2, 4, 5)}},
	{op: "MatMul", in: []vmapInput{stackedOf(3, 4), sameOf(2, 4, 5)}},
	{op: "MatMul", in: []vmapInput{stackedOf(1, 4), stackedOf(4, 5), sameOf(5)}},
	{op: "MatMul", in: []vmapInput{stackedOf(4), stackedOf(4)}, each: true},
	{op: "MatMul", in: []vmapInput{stackedOf(3, 4), stackedOf(4)}, each: true},
	{op: "MatMul", in: []vmapInput{stackedOf(3, 4), sameOf(4)}, each: true},
	{op: "MatMul", in: []vmapInput{stackedOf(4), sameOf(2, 4, 5)}, each: true},
	{op: "Gemm", in: []vmapInput{stackedOf(3, 4), sameOf(4, 5), sameOf(5)}},
	{op: "Gemm", in: []vmapInput{stackedOf(3, 4), sameOf(5, 4), sameOf(1, 5)},
		attrs: []decode.Attribute{intAttr("transB", 1)}},
	{op: "Gemm", in: []vmapInput{stackedOf(3, 4), sameOf(4, 5), sameOf(3, 5)}, each: true},
	{op: "Gemm", in: []vmapInput{stackedOf(4, 3), sameOf(4, 5)},
		attrs: []decode.Attribute{intAttr("transA", 1)}, each: true},
	{op: "Gemm", in: []vmapInput{sameOf(3, 4), stackedOf(4, 5)}, each: true},
	{op: "Tanh", in: []vmapInput{stackedOf(3, 4)}},
	{op: "Softmax", in: []vmapInput{stackedOf(3, 4)}},
	{op: "Softmax", in: []vmapInput{stackedOf(3, 4)},
		attrs: []decode.Attribute{intAttr("axis", 0)}},
	{op: "Softmax", opset: 11, in: []vmapInput{stackedOf(2, 3, 4)}},
	{op: "Softmax", opset: 11, in: []vmapInput{stackedOf(2, 3, 4)},
		attrs: []decode.Attribute{intAttr("axis", -2)}},
	{op: "LogSoftmax", in: []vmapInput{stackedOf(3, 4)},
		attrs: []decode.Attribute{intAttr("axis", 0)}},
	{op: "LayerNormalization", opset: 17, in: []vmapInput{stackedOf(3, 4), sameOf(4), sameOf(4)}},
	{op: "LayerNormalization", opset: 17, in: []vmapInput{stackedOf(3, 4), sameOf(3, 4)},
		attrs: []decode.Attribute{intAttr("axis", 0)}},
	{op: "ReduceMean", in: []vmapInput{stackedOf(3, 4)},
		attrs: []decode.Attribute{intsAttr("axes", 0)}},
	{op: "ReduceMean", in: []vmapInput{stackedOf(3, 4)},
		attrs: []decode.Attribute{intsAttr("axes", -1, 0), intAttr("keepdims", 0)}},
	{op: "ReduceMax", in: []vmapInput{stackedOf(3, 4)}, each: true},
	{op: "ReduceSum", in: []vmapInput{stackedOf(3, 4), listOf(0)}},
	{op: "ReduceSum", in: []vmapInput{stackedOf(3, 4), listOf(-2)},
		attrs: []decode.Attribute{intAttr("keepdims", 0)}},
	{op: "ReduceSum", in: []vmapInput{stackedOf(3, 4)}, each: true},
	{op: "ArgMax", in: []vmapInput{stackedOf(3, 4)}},
	{op: "TopK", in: []vmapInput{stackedOf(5, 4), listOf(2)},
		attrs: []decode.Attribute{intAttr("axis", 0)}, outs: 2},
	{op: "CumSum", opset: 14, in: []vmapInput{stackedOf(5, 4), {ints: []int64{0}}}},
	{op: "Transpose", in: []vmapInput{stackedOf(2, 3, 4)},
		attrs: []decode.Attribute{intsAttr("perm", 1, 2, 0)}},
	{op: "Transpose", in: []vmapInput{stackedOf(2, 3)}, each: true},
	{op: "Concat", in: []vmapInput{sameOf(1, 4), stackedOf(3, 4)},
		attrs: []decode.Attribute{intAttr("axis", 0)}},
	{op: "Concat", in: []vmapInput{stackedOf(3, 4), sameOf(3, 1), stackedOf(3, 2)},
		attrs: []decode.Attribute{intAttr("axis", -1)}},
	{op: "Split", in: []vmapInput{stackedOf(4, 3)}, outs: 2},
	{op: "Split", in: []vmapInput{stackedOf(4, 3), listOf(1, 2)},
		attrs: []decode.Attribute{intAttr("axis", -1)}, outs: 2},
	{op: "Slice", in: []vmapInput{stackedOf(5, 4), listOf(1, -3), listOf(4, 9), listOf(0, -1)}},
	{op: "Slice", in: []vmapInput{stackedOf(5, 4), listOf(3), listOf(-9), listOf(0), listOf(-2)}},
	{op: "Slice", in: []vmapInput{stackedOf(5, 4), listOf(1), listOf(4)}, each: true},
	{op: "Gather", in: []vmapInput{stackedOf(5, 4), listOf(2, 0, -1)}},
	{op: "Gather", in: []vmapInput{stackedOf(5, 4), {ints: []int64{1}}},
		attrs: []decode.Attribute{intAttr("axis", -1)}},
	{op: "Gather", in: []vmapInput{sameOf(5, 4),
		{shape: []int{2}, ints: []int64{2, 0}, stacked: true}}, each: true},
	{op: "GatherElements", in: []vmapInput{stackedOf(3, 2),
		{shape: []int{2, 2}, ints: []int64{2, 0, 1, 1}, stacked: true}}},
	{op: "Reshape", in: []vmapInput{stackedOf(3, 4), listOf(2, -1)}},
	{op: "Reshape", in: []vmapInput{stackedOf(3, 4), listOf(0, 2, 2)}},
	{op: "Flatten", in: []vmapInput{stackedOf(3, 4)},
		attrs: []decode.Attribute{intAttr("axis", 0)}},
	{op: "Squeeze", in: []vmapInput{stackedOf(1, 4, 1)}},
	{op: "Squeeze", in: []vmapInput{stackedOf(1, 4, 1), listOf(-1)}},
	{op: "Unsqueeze", in: []vmapInput{stackedOf(3), listOf(0, -1)}},
	{op: "Shape", in: []vmapInput{stackedOf(3, 4)}},
	{op: "Size", in: []vmapInput{stackedOf(3, 4)}},
	{op: "Conv", in: []vmapInput{stackedOf(2, 3, 5, 5), sameOf(4, 3, 3, 3), sameOf(4)}},
	{op: "BatchNormalization", in: []vmapInput{stackedOf(3, 2), sameOf(2), sameOf(2), sameOf(2),
		{shape: []int{2}}}},
	{op: "MaxPool", in: []vmapInput{stackedOf(1, 2, 4, 4)},
		attrs: []decode.Attribute{intsAttr("kernel_shape", 2, 2)}},
	{op: "MaxPool", in: []vmapInput{stackedOf(1, 2, 4, 4)},
		attrs: []decode.Attribute{intsAttr("kernel_shape", 2, 2)}, outs: 2, each: true},
	{op: "Clip", in: []vmapInput{stackedOf(3, 4), sameOf()}},
	{op: "Tile", in: []vmapInput{stackedOf(3, 2), listOf(2, 1)}, each: true},
	{op: "Einsum", in: []vmapInput{stackedOf(3, 2), stackedOf(2, 4)},
		attrs: []decode.Attribute{{Name: "equation", Kind: decode.KindString, String: "ij,jk->ik"}},
		each:  true},
}

// small is enough for the tensors of vmapCases.
var small = machine.Limits{Elements: 1 << 20, Bytes: 1 << 26}

// TestVmap checks that a Vmap returns for each coalition the bits that the node's function returns
// for it alone, by any strategy.
func TestVmap(t *testing.T) {
	const count = 3
	r := rand.New(rand.NewPCG(4, 4))
	for _, c := range vmapCases {
		opset := c.opset
		if opset == 0 {
			opset = 13
		}
		n := &Node{Node: compute.Node{Op: c.op, Opset: opset, Inputs: len(c.in),
			Outputs: max(1, c.outs), Attributes: c.attrs}}
		f, gap, broken := Lookup("", c.op).Build(n, compute.NewPacks(nil))
		must.Do(t, gap)
		must.Do(t, broken)
		one, all, stacked := make([][]*tensor.Tensor, count), make([]*tensor.Tensor, len(c.in)),
			make([]bool, len(c.in))
		for i, in := range c.in {
			stacked[i] = in.stacked
			for j := range count {
				x := tensor.New(tensor.Float32, in.shape...)
				for i := range x.Len() {
					tensor.Of[float32](x)[i] = float32(r.NormFloat64())
				}
				if in.ints != nil {
					x = tensor.From(tensor.Int64, in.ints, in.shape...)
				}
				if j > 0 && !in.stacked {
					x = one[0][i]
				}
				one[j] = append(one[j], x)
			}
			all[i] = one[0][i]
			if in.stacked {
				all[i] = tensor.New(one[0][i].Type, append([]int{count}, in.shape...)...)
				for j := range count {
					copy(all[i].Bytes()[j*len(one[j][i].Bytes()):], one[j][i].Bytes())
				}
			}
		}
		v, outputs := NewVmap(n, f, stacked)
		must.Equal(t, !v.OneCall(all), c.each, c.op, c.in)
		m, out := machine.New(small), make([]*tensor.Tensor, n.Outputs)
		for i := range out {
			out[i] = &tensor.Tensor{}
		}
		for range 2 { // what the first run left must not be seen by the second
			must.Do(t, v.Run(m, all, out, count), c.op, c.in)
			m.EndNode()
		}
		for j := range count {
			want := make([]*tensor.Tensor, len(out))
			for i := range want {
				want[i] = &tensor.Tensor{}
			}
			must.Do(t, f(m, one[j], want), c.op)
			m.EndNode()
			for i, w := range want {
				got, shape := out[i].Bytes(), out[i].Shape
				if outputs {
					size := len(got) / count
					got, shape = got[j*size:(j+1)*size], shape[1:]
				}
				if out[i].Type != w.Type || !slices.Equal(shape, w.Shape) ||
					!bytes.Equal(got, w.Bytes()) {
					t.Errorf("%s %v: output %d of coalition %d has shape %v, want %v; %v, want %v",
						c.op, c.in, i, j, shape, w.Shape, got, w.Bytes())
				}
			}
		}
	}
}

// TestVmapRejectsDifferentShapes checks the error for outputs that cannot be stacked.
func TestVmapRejectsDifferentShapes(t *testing.T) {
	n := &Node{Node: compute.Node{Op: "NonZero", Opset: 13, Inputs: 1, Outputs: 1}}
	f, _, _ := Lookup("", n.Op).Build(n, compute.NewPacks(nil))
	v, _ := NewVmap(n, f, []bool{true})
	x := tensor.From(tensor.Float32, []float32{1, 0, 1, 1}, 2, 2)
	must.Equal(t, v.Run(machine.New(small), []*tensor.Tensor{x}, []*tensor.Tensor{{}}, 2),
		ErrShapesDiffer)
}
