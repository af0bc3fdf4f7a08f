package onnxbackend

import (
	"testing"

	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// FuzzDecode opens arbitrary bytes: no panic, no unbounded memory.
func FuzzDecode(f *testing.F) {
	f.Add(attentionModel().Bytes())
	f.Add(pictureModel().Bytes())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := Open(data, Options{Limits: Limits{RunBytes: 1 << 24}}); err != nil {
			known(t, err)
		}
	})
}

// FuzzRun also binds, evaluates and predicts with whatever opens.
func FuzzRun(f *testing.F) {
	f.Add(attentionModel().Bytes())
	f.Add(pictureModel().Bytes())
	f.Add(reshapeModel("shape").Bytes())
	f.Add(passModel([]ot.Node{
		op1("Shape", "bag", "s"), op2("Gather", "s", "i1", "n"), op2("Unsqueeze", "n", "i0", "u"), op2("Reshape", "bag", "same", "r"), op2("MatMul", "r", "W", "a"),
		op2("Add", "a", "b", "c"), normalizer("c", "d"), op1("Relu", "d", "e"), normalizer("e", "g"), ot.N("Gemm", []string{"g", "Wt", "row"}, []string{"y"}, ot.Float("alpha", 2)),
	}).Bytes())
	f.Fuzz(func(t *testing.T, data []byte) { use(t, data) })
}

// pictureModel convolves, pools and averages small pictures, flat in the bag.
func pictureModel() ot.Model {
	return ot.Model{
		Opset: 17,
		Initializers: []ot.Tensor{
			ot.F("w", []float32{1, 2, 3, 4, -1, -2, -3, -4}, 2, 1, 2, 2),
			ot.I("to", []int64{-1, 1, 1, 2}, 4), ot.I("flat", []int64{0, -1}, 2),
			ot.F("o", []float32{1, 2, 3, 4, 5, 6}, 2, 3),
		},
		Inputs:  []ot.Value{ot.In("bag", "k", 2)},
		Outputs: []ot.Value{ot.In("logits", 3)},
		Nodes: []ot.Node{
			ot.N("Reshape", []string{"bag", "to"}, []string{"p"}),
			ot.N("Conv", []string{"p", "w"}, []string{"c"}, ot.Ints("pads", 1, 0, 0, 0)),
			ot.N("LeakyRelu", []string{"c"}, []string{"r"}),
			ot.N("GlobalAveragePool", []string{"r"}, []string{"g"}),
			ot.N("Reshape", []string{"g", "flat"}, []string{"f"}),
			ot.N("ReduceMax", []string{"f"}, []string{"m"}, ot.Ints("axes", 0), ot.Int("keepdims", 0)),
			ot.N("MatMul", []string{"m", "o"}, []string{"logits"}),
		},
	}
}
