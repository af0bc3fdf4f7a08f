package enginetest

import (
	"archive/zip"
	"bytes"
	"io"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
)

// TissueAttention and TissueInstances are networks of the tissue example. They have the
// architectures of the paper's networks for colon cancer.
const TissueAttention, TissueInstances = "model.onnx", "networks/mi-net-instance.onnx"

// OpenTissue opens a network of the tissue example.
func OpenTissue(t testing.TB, o onnxbackend.Options, name string) *onnxbackend.Model {
	t.Helper()
	return OpenRepositoryFile(t, o, "examples/tissue/"+name)
}

// DigitBags returns the bag set of the digits example: patches of raw pixels.
func DigitBags(t testing.TB) []byte {
	t.Helper()
	return readRepositoryFile(t, "examples/digits/bags.npz")
}

// TissueBags returns the bag set of the tissue example: patches of raw pixels.
func TissueBags(t testing.TB) []byte {
	t.Helper()
	return readRepositoryFile(t, "examples/tissue/bags.npz")
}

// SetBag returns bag b of an .npz bag set of raw pixels.
func SetBag(t testing.TB, data []byte, b int) *core.Bag {
	t.Helper()
	z := must.Get(zip.NewReader(bytes.NewReader(data), int64(len(data))))(t)
	member := func(name string) ([]int, []float64) {
		f := must.Get(z.Open(name + ".npy"))(t)
		raw := must.Get(io.ReadAll(f))(t)
		return ParseNpy(t, raw)
	}
	_, offsets := member("offsets")
	shape, values := member("instances")
	bag := &core.Bag{Name: "bag", Shape: shape[1:], Raw: true}
	stride := bag.Stride()
	for _, v := range values[int(offsets[b])*stride : int(offsets[b+1])*stride] {
		bag.Values = append(bag.Values, float32(v))
	}
	return bag
}

// A TrainedModel is a trained network with a bag set of raw pixels.
type TrainedModel struct {
	Name   string
	Layers int // activations that the passes move into layers
	Open   func(t testing.TB, o onnxbackend.Options) *onnxbackend.Model
	Bags   func(t testing.TB) []byte
}

// TrainedModels are networks of the paper's architectures.
var TrainedModels = []TrainedModel{
	{"mnist/mi_attn", 6, committed("models/mnist/mi_attn.onnx"), DigitBags},
	{"mnist/mi_net_embedding", 4, committed("models/mnist/mi_net_embedding.onnx"), DigitBags},
	{"tissue/mi_attn", 6, tissue(TissueAttention), TissueBags},
	{"tissue/mi_net_instance", 5, tissue(TissueInstances), TissueBags},
}

func committed(name string) func(testing.TB, onnxbackend.Options) *onnxbackend.Model {
	return func(t testing.TB, o onnxbackend.Options) *onnxbackend.Model {
		return OpenTestFile(t, o, name)
	}
}

func tissue(name string) func(testing.TB, onnxbackend.Options) *onnxbackend.Model {
	return func(t testing.TB, o onnxbackend.Options) *onnxbackend.Model {
		return OpenTissue(t, o, name)
	}
}

// EachBenchModel runs a benchmark on networks with bags of the sizes that the paper's data sets
// have.
func EachBenchModel(b *testing.B, f func(name string, m TrainedModel, bag *core.Bag)) {
	f("mnist", TrainedModels[0], BenchBag(b, DigitBags(b), 30))
	f("tissue", TrainedModels[2], BenchBag(b, TissueBags(b), 264))
}

// BenchBag returns a bag of k instances: those of the first bag of a set, as often as needed.
func BenchBag(b *testing.B, set []byte, k int) *core.Bag {
	bag := SetBag(b, set, 0)
	list := make([]int, k)
	for i := range list {
		list[i] = i % bag.Len()
	}
	return bag.Select(list)
}
