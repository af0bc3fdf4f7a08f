package onnxbackend_test

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/valyala/fastjson"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/testfile"
	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// goldenTolerance is relative to the largest logit; PyTorch made them.
const goldenTolerance = 1e-4

// setBag reads bag b of an .npz bag set of raw pixels.
func setBag(t testing.TB, data []byte, b int) *core.Bag {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	member := func(name string) ([]int, []float64) {
		f, err := z.Open(name + ".npy")
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		return enginetest.ParseNpy(t, raw)
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

// TestGoldenLogits compares predictions with those of the PyTorch original. A clone has the
// features that the encoder gives, and the network behind it; MNIST's pictures may not be shipped.
func TestGoldenLogits(t *testing.T) {
	for _, c := range []struct {
		name, model string
		bags        func(t testing.TB) []byte
	}{
		{"features", "models/mnist/mi_attn_pooling.onnx", func(t testing.TB) []byte {
			return testfile.Read(t, "models/mnist/encoded_bags.npz")
		}},
		{"pictures", "models/mnist/mi_attn.onnx", func(t testing.TB) []byte {
			return testfile.ReadRestricted(t, "models/mnist/test_bags.npz")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			golden := fastjson.MustParseBytes(testfile.Read(t, "golden/mnist_mi_attn.json"))
			set := c.bags(t)
			m := enginetest.OpenTestFile(t, Options{}, c.model)
			bags := golden.GetArray("bags")
			if len(bags) == 0 {
				t.Fatal("no golden bags")
			}
			for _, g := range bags {
				p, err := m.Predict(context.Background(), setBag(t, set, g.GetInt("index")))
				if err != nil {
					t.Fatal(err)
				}
				enginetest.CheckNear(t, "logits", p.Scores, floats(g.GetArray("logits")),
					goldenTolerance)
			}
		})
	}
}

// TestGoldenDigits compares the outputs of the whole networks on digits of the project's own with
// those of ONNX Runtime.
func TestGoldenDigits(t *testing.T) {
	golden := fastjson.MustParseBytes(testfile.Read(t, "golden/digits.json"))
	for name, outputs := range map[string][]string{
		"mi_attn": {"logits", "attention"}, "mi_net_embedding": {"logits"},
	} {
		t.Run(name, func(t *testing.T) {
			m := enginetest.OpenTestFile(t, Options{}, "models/mnist/"+name+".onnx")
			bags := golden.GetArray(name)
			if len(bags) != 6 {
				t.Fatalf("%d golden bags, want 6", len(bags))
			}
			for i, g := range bags {
				p, err := m.Predict(context.Background(), setBag(t, digitBags(t), i))
				if err != nil {
					t.Fatal(err)
				}
				for j, output := range outputs {
					if p.Outputs[j].Name != output {
						t.Fatalf("output %d is %q, want %q", j, p.Outputs[j].Name, output)
					}
					enginetest.CheckNear(t, output, p.Outputs[j].Data, floats(g.GetArray(output)),
						goldenTolerance)
				}
			}
		})
	}
}

func floats(list []*fastjson.Value) []float64 {
	var values []float64
	for _, v := range list {
		values = append(values, v.GetFloat64())
	}
	return values
}

// trainedModels are trained networks of the paper's architectures, each with a bag of raw pixels.
var trainedModels = []struct {
	name   string
	layers int // activations that the passes move into layers
	open   func(t testing.TB, o Options) *Model
	bags   func(t testing.TB) []byte
}{
	{"mnist/mi_attn", 6, func(t testing.TB, o Options) *Model {
		return enginetest.OpenTestFile(t, o, "models/mnist/mi_attn.onnx")
	}, digitBags},
	{"mnist/mi_net_embedding", 4, func(t testing.TB, o Options) *Model {
		return enginetest.OpenTestFile(t, o, "models/mnist/mi_net_embedding.onnx")
	}, digitBags},
	{"tissue/mi_attn", 6, func(t testing.TB, o Options) *Model {
		return openTissue(t, o, tissueAttention)
	}, tissueBags},
	{"tissue/mi_net_instance", 5, func(t testing.TB, o Options) *Model {
		return openTissue(t, o, tissueInstances)
	}, tissueBags},
}

// benchBag is a bag of k instances: those of the first bag, from the beginning again.
func benchBag(b *testing.B, set []byte, k int) *core.Bag {
	bag := setBag(b, set, 0)
	list := make([]int, k)
	for i := range list {
		list[i] = i % bag.Len()
	}
	return bag.Select(list)
}

// benchModels are networks with bags of the sizes that the paper's data sets have.
var benchModels = []struct {
	name string
	k    int
	open func(t testing.TB, o Options) *Model
	bags func(t testing.TB) []byte
}{
	{"mnist", 30, trainedModels[0].open, digitBags},
	{"tissue", 264, trainedModels[2].open, tissueBags},
}

func BenchmarkForward(b *testing.B) {
	for _, c := range benchModels {
		bag := benchBag(b, c.bags(b), c.k)
		m := c.open(b, Options{})
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := m.Predict(context.Background(), bag); err != nil {
					b.Fatal(err)
				}
			}
		})
		ev, err := m.Bind(context.Background(), bag)
		if err != nil {
			b.Fatal(err)
		}
		z := core.NewCoalitions(c.k, 1)
		half := make([]int, c.k/2)
		for i := range half {
			half[i] = 2 * i
		}
		z.AppendMembers(half...)
		dst := make([]float64, ev.Task().Classes)
		b.Run(c.name+"/coalition", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := ev.Evaluate(context.Background(), dst, z); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkBind(b *testing.B) {
	bag := benchBag(b, digitBags(b), 30)
	m := enginetest.OpenTestFile(b, Options{}, "models/mnist/mi_attn.onnx")
	for b.Loop() {
		if _, err := m.Bind(context.Background(), bag); err != nil {
			b.Fatal(err)
		}
	}
}
