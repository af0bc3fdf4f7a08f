package onnxbackend_test

import (
	"testing"

	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// sequenceModel is a model with a sequence of tensors.
func sequenceModel() ot.Model {
	return ot.Model{Opset: 17, Inputs: []ot.Value{ot.In("bag", "k", 3)},
		Outputs: []ot.Value{ot.In("scores", "n")}, Initializers: []ot.Tensor{
			ot.F("row", []float32{2, 3, 5}, 1, 3), ot.I("axis", []int64{0}, 1)},
		Nodes: ot.Nodes(`s = SequenceConstruct(row, bag); y = ConcatFromSequence<axis=0>(s)
			scores = ReduceSum<keepdims=0>(y, axis)`)}
}

// FuzzDecode opens arbitrary bytes: no panic, no unbounded memory.
func FuzzDecode(f *testing.F) {
	f.Add(enginetest.AttentionModel().Bytes())
	f.Add(pictureModel().Bytes())
	f.Add(enginetest.SqueezeModel().Bytes())
	f.Add(recurrentModel().Bytes())
	f.Add(enginetest.LoopModel(false).Bytes())
	f.Add(enginetest.FunctionModel().Bytes())
	f.Add(sequenceModel().Bytes())
	f.Add(external().Bytes())
	f.Add([]byte{})
	files := ExternalFiles(map[string][]byte{"m.onnx.data": externalFloats()})
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := Open(data, Options{External: files, Limits: enginetest.Tight}); err != nil {
			enginetest.CheckTyped(t, err)
		}
	})
}

// FuzzRun also binds, evaluates and predicts with whatever opens.
func FuzzRun(f *testing.F) {
	f.Add(enginetest.AttentionModel().Bytes())
	f.Add(pictureModel().Bytes())
	f.Add(enginetest.SqueezeModel().Bytes())
	f.Add(recurrentModel().Bytes())
	f.Add(enginetest.LoopModel(false).Bytes())
	f.Add(enginetest.FunctionModel().Bytes())
	f.Add(enginetest.ReshapeModel("shape").Bytes())
	f.Add(enginetest.PaddedModel().Bytes())
	f.Add(enginetest.PassModel([]ot.Node{
		enginetest.Unary("Shape", "bag", "s"), enginetest.Binary("Gather", "s", "i1", "n"),
		enginetest.Binary("Unsqueeze", "n", "i0", "u"),
		enginetest.Binary("Reshape", "bag", "same", "r"), enginetest.Binary("MatMul", "r", "W",
			"a"),
		enginetest.Binary("Add", "a", "b", "c"), enginetest.Normalizer("c", "d"),
		enginetest.Unary("Relu", "d", "e"), enginetest.Normalizer("e",
			"g"), ot.N("Gemm", []string{"g", "Wt", "row"}, []string{"y"}, ot.Float("alpha", 2)),
	}).Bytes())
	f.Fuzz(func(t *testing.T, data []byte) { use(t, data) })
}

// FuzzMutant runs well-formed models that say other things than one that is valid: the first byte
// chooses that one, the others what is changed.
func FuzzMutant(f *testing.F) {
	models := mutable(f)
	for i := range models {
		f.Add([]byte{byte(i), 0, 1, 2, 3})
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		if len(choices) == 0 || len(choices) > 64 {
			return
		}
		use(t, mutant(models[int(choices[0])%len(models)], choices[1:]))
	})
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
		Nodes: ot.Nodes(`p = Reshape(bag, to); c = Conv<pads=[1, 0, 0, 0]>(p, w); r = LeakyRelu(c)
			g = GlobalAveragePool(r); f = Reshape(g, flat); m = ReduceMax<axes=[0], keepdims=0>(f)
			logits = MatMul(m, o)`),
	}
}

// recurrentModel reads the instances in order, both ways, and scores the last states.
func recurrentModel() ot.Model {
	return ot.Model{
		Opset: 14,
		Initializers: []ot.Tensor{
			ot.I("one", []int64{1}, 1), ot.I("flat", []int64{-1}, 1), ot.F("w",
				[]float32{1, 2, 3, -1, -2, -3}, 1, 3, 2), ot.F("r", []float32{1, -1, 2}, 1, 3, 1),
			ot.F("w2", []float32{1, 2, 3, -1, 1, 2, 3, -1}, 2, 4, 1), ot.F("r2",
				[]float32{1, -1, 2, 1, 1, 1, -1, 1}, 2, 4, 1),
		},
		Inputs:  []ot.Value{ot.In("bag", "k", 2)},
		Outputs: []ot.Value{ot.In("logits", 2)},
		Nodes: ot.Nodes(`x = Unsqueeze(bag, one); y = GRU<hidden_size=1>(x, w, r)
			z = Squeeze(y, one); , h = LSTM<hidden_size=1, direction="bidirectional">(z, w2, r2)
			logits = Reshape(h, flat)`),
	}
}
