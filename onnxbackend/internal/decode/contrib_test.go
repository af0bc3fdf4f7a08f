package decode_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/internal/advice"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// contrib makes a node of ONNX Runtime's own operators.
func contrib(op string, in []string, a ...ot.Attribute) ot.Node {
	n := ot.N(op, in, []string{"y"}, a...)
	n.Domain = "com.microsoft"
	return n
}

// TestOptimisedModels reads files that ONNX Runtime has optimised too far, and follows the advice.
func TestOptimisedModels(t *testing.T) {
	book := advice.Of(t)
	for domain, want := range map[string]string{"com.microsoft": "WordConvEmbedding",
		"com.microsoft.nchwc": "ReorderInput"} {
		t.Run(domain, func(t *testing.T) {
			node := ot.N(want, []string{"bag"}, []string{"y"})
			node.Domain = domain
			model := largest(2, node)
			model.Domains = map[string]int{domain: 1}
			_, err := onnxbackend.Open(model.Bytes(), onnxbackend.Options{})
			var gap *onnxbackend.UnsupportedError
			must.As(t, err, &gap, want)
			dir := t.TempDir()
			must.Do(t, os.WriteFile(filepath.Join(dir, "before.onnx"),
				enginetest.AttentionModel().Bytes(), 0o644))
			book.Follow(t, dir, "before.onnx", err.Error())
			made := must.Get(os.ReadFile(filepath.Join(dir, "model.onnx")))(t)
			enginetest.Open(t, made, onnxbackend.Options{})
		})
	}
}

// TestUnsupportedOperatorsOfONNXRuntime checks that errors name the operator and the reason.
func TestUnsupportedOperatorsOfONNXRuntime(t *testing.T) {
	codes := ot.Tensor{Name: "w", Type: 2, Dims: []int{2, 1, 8}, Ints32: make([]int32, 16)}
	bits := func(k, n int64, a ...ot.Attribute) ot.Node {
		return contrib("MatMulNBits", []string{"bag", "w", "s"},
			append(a, ot.Int("K", k), ot.Int("N", n))...)
	}
	block := ot.Int("block_size", 16)
	heads := ot.Int("num_heads", 2)
	unread := contrib("SkipSimplifiedLayerNormalization", []string{"bag", "bag", "s"})
	unread.Out = []string{"", "y"}
	for _, c := range []struct {
		name string
		node ot.Node
		want string
	}{
		{"activation", contrib("FusedGemm", []string{"bag", "s"}, ot.Text("activation", "Mish")),
			`activation "Mish"`},
		{"an output that is not computed", unread, "its output 1"},
		{"a quantised result without a type", contrib("QLinearSigmoid", []string{"bag", "s", "",
			"s"}), "zero point"},
		{"recurrent", contrib("DynamicQuantizeLSTM", []string{"bag", "w", "w"}),
			"op_types_to_quantize"},
		{"no heads", contrib("MultiHeadAttention", []string{"bag", "bag", "bag"}),
			"number of heads"},
		{"angles of a run", contrib("RotaryEmbedding", []string{"bag", "r", "r", "r"}),
			"angles are not constants"},
		{"turned and scaled", contrib("RotaryEmbedding", []string{"bag", "s", "w2", "w2"},
			ot.Float("scale", 2)), "does not scale"},
		{"turned of two dimensions", contrib("RotaryEmbedding", []string{"bag", "s", "w2", "w2"}),
			"three or four dimensions"},
		{"earlier places", contrib("MultiHeadAttention", []string{"bag", "bag", "bag", "", "", "",
			"bag", "bag"}, heads), "without a cache"},
		{"turned", contrib("Attention", []string{"bag", "bag"}, heads, ot.Int("do_rotary", 1)),
			"enable_rotary_embeddings"},
		{"widths", contrib("Attention", []string{"bag", "bag"}, heads,
			ot.Ints("qkv_hidden_sizes", 1)), "three numbers"},
		{"a mask of unknown rank", contrib("Attention", []string{"bag", "bag", "", "r"}, heads),
			"one to three dimensions"},
		{"bits", bits(16, 2, block, ot.Int("bits", 3)), "2, 4 or 8 bits"},
		{"blocks", bits(16, 2), "too many or none"},
		{"too many numbers", bits(1<<20, 1<<20, block), "too many or none"},
		{"negative", bits(-16, 2, block), "too many or none"},
		{"other shapes", bits(40, 2, block), "have shape"},
		{"weights of a run", contrib("MatMulNBits", []string{"bag", "r", "s"}, block,
			ot.Int("K", 16), ot.Int("N", 2)), "not constants"},
		{"order", contrib("MatMulNBits", []string{"bag", "w", "s", "", "s"}, block,
			ot.Int("K", 16), ot.Int("N", 2)), "order of an index"},
		{"zero points", contrib("MatMulNBits", []string{"bag", "w", "s", "w"}, block,
			ot.Int("K", 16), ot.Int("N", 2)), "zero points"},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := largest(2, ot.N("Relu", []string{"bag"}, []string{"r"}), c.node)
			model.Initializers = []ot.Tensor{codes, ot.F("s", []float32{1, 1}, 2),
				ot.F("w2", make([]float32, 4), 2, 2)}
			_, err := onnxbackend.Open(model.Bytes(), onnxbackend.Options{})
			var gap *onnxbackend.UnsupportedError
			must.As(t, err, &gap, c.want, c.node.Op)
		})
	}
}

// TestPackedAttention evaluates coalitions of packed queries, keys and values as those of a layer
// that reads them one by one, and predicts the same.
func TestPackedAttention(t *testing.T) {
	bag := enginetest.SmallBag(5, 2)
	open := func(nodes ...ot.Node) *onnxbackend.Model {
		layer := len(nodes) - 1
		nodes[layer].Out = []string{"z"}
		nodes = append(nodes, ot.N("Squeeze", []string{"z", "axis0"}, []string{"y"}))
		model := largest(2, append(ot.Nodes(`x = Unsqueeze(bag, axis0)`), nodes...)...)
		model.Initializers = []ot.Tensor{ot.I("axis0", []int64{0}, 1),
			ot.I("five", []int64{0, 0, 2, 3, 1}, 5), ot.I("parts", []int64{0, 2, 4, 1, 3, 5}, 6),
			ot.F("w", []float32{1, 0, 2, 0, 1, 3, 0, 1, 0, 1, -1, 1}, 2, 6)}
		return enginetest.Open(t, model.Bytes(), onnxbackend.Options{})
	}
	heads := ot.Int("num_heads", 2)
	apart := open(ot.N("MatMul", []string{"x", "w"}, []string{"all"}),
		ot.N("Split", []string{"all"}, []string{"q", "k", "v"}, ot.Int("axis", 2)),
		contrib("MultiHeadAttention", []string{"q", "k", "v"}, heads))
	packed := open(ot.N("Gather", []string{"w", "parts"}, []string{"turned"}, ot.Int("axis", 1)),
		ot.N("MatMul", []string{"x", "turned"}, []string{"all"}),
		ot.N("Reshape", []string{"all", "five"}, []string{"heads"}),
		contrib("MultiHeadAttention", []string{"heads"}, heads))
	enginetest.CheckNear(t, "scores", must.Get(packed.Predict(t.Context(), bag))(t).Scores,
		must.Get(apart.Predict(t.Context(), bag))(t).Scores, 1e-6)
	want := enginetest.Bind(t, apart, bag, nil).Strategy()
	must.Equal(t, enginetest.Bind(t, packed, bag, nil).Strategy(), want)
	must.Equal(t, want != onnxbackend.StrategyGathered, true, want)
}

// TestWeightsOfBitsAreBounded reads one factor of few bits in many nodes.
func TestWeightsOfBitsAreBounded(t *testing.T) {
	const k, n = 1 << 10, 1 << 10
	model := largest(2)
	model.Initializers = []ot.Tensor{
		{Name: "w", Type: 2, Dims: []int{n, 1, k / 4}, Raw: make([]byte, k*n/4)},
		ot.F("s", make([]float32, n), n)}
	for range 200 {
		model.Nodes = append(model.Nodes, contrib("MatMulNBits", []string{"bag", "w", "s"},
			ot.Int("bits", 2), ot.Int("K", k), ot.Int("N", n), ot.Int("block_size", k)))
	}
	_, err := onnxbackend.Open(model.Bytes(), onnxbackend.Options{
		Limits: onnxbackend.Limits{RunBytes: 1 << 28}})
	var limit *onnxbackend.LimitError
	must.As(t, err, &limit)
}

// TestMasksBehindCasts masks an instance by a constant, and by what optimizers write between it and
// the layer: a Cast of the mask, or its sum as the number of places.
func TestMasksBehindCasts(t *testing.T) {
	bag := enginetest.SmallBag(2, 2)
	bag.Values = []float32{1, -2, 3, 5}
	between := map[string]ot.Node{
		"mask": ot.N("Identity", []string{"mask"}, []string{"m"}),
		"cast": ot.N("Cast", []string{"mask"}, []string{"m"}, ot.Int("to", 6)),
		"number of places": ot.N("ReduceSum", []string{"mask", "axis1"}, []string{"m"},
			ot.Int("keepdims", 0)),
	}
	predict := func(t *testing.T, first ot.Node, mask string) []float64 {
		layer := contrib("Attention", []string{"x", "w", "", mask}, ot.Int("num_heads", 1))
		layer.Out = []string{"z"}
		model := largest(2, first, ot.N("Unsqueeze", []string{"bag", "axis0"}, []string{"x"}),
			layer, ot.N("Squeeze", []string{"z", "axis0"}, []string{"y"}))
		model.Initializers = []ot.Tensor{ot.I("mask", []int64{1, 0}, 1, 2),
			ot.I("axis0", []int64{0}, 1), ot.I("axis1", []int64{1}, 1),
			ot.F("w", []float32{1, 0, 2, 0, 1, 3, 0, 1, 0, 1, -1, 1}, 2, 6)}
		m := enginetest.Open(t, model.Bytes(), onnxbackend.Options{})
		return must.Get(m.Predict(t.Context(), bag))(t).Scores
	}
	want := predict(t, between["mask"], "mask")
	// Both places read the first one alone: its value is (1, 3) - 2 (-1, 1).
	enginetest.CheckNear(t, "scores", want, []float64{3, 1}, 1e-6)
	for name, node := range between {
		t.Run(name, func(t *testing.T) {
			enginetest.CheckNear(t, "scores", predict(t, node, "m"), want, 1e-6)
		})
	}
}
