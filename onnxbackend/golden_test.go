package onnxbackend

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/valyala/fastjson"

	"github.com/bagscope/bagscope/core"
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
		return parseNpy(t, raw)
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

func TestGoldenLogits(t *testing.T) {
	golden := fastjson.MustParseBytes(readShared(t, "golden", "mnist_mi_attn.json"))
	set := readShared(t, "models", "mnist", "test_bags.npz")
	m := openShared(t, Options{}, "models", "mnist", "mi_attn.onnx")
	bags := golden.GetArray("bags")
	if len(bags) == 0 {
		t.Fatal("no golden bags")
	}
	for _, g := range bags {
		p, err := m.Predict(context.Background(), setBag(t, set, g.GetInt("index")))
		if err != nil {
			t.Fatal(err)
		}
		var want []float64
		for _, v := range g.GetArray("logits") {
			want = append(want, v.GetFloat64())
		}
		near(t, "logits", p.Scores, want, goldenTolerance)
	}
}

func TestTrainedCutEqualsPlain(t *testing.T) {
	set := readShared(t, "models", "mnist", "test_bags.npz")
	for _, name := range []string{"mi_attn.onnx", "mi_net_embedding.onnx"} {
		t.Run(name, func(t *testing.T) {
			cutEqualsPlain(t, openShared(t, Options{}, "models", "mnist", name), setBag(t, set, 0))
		})
	}
	set = readShared(t, "data", "crc", "test_bags.npz")
	for _, name := range []string{"mi_attn.onnx", "mi_net_instance.onnx"} {
		t.Run("crc/"+name, func(t *testing.T) {
			cutEqualsPlain(t, openShared(t, Options{}, "models", "crc", name), setBag(t, set, 0).Select([]int{0, 5, 2, 9, 11, 3, 30}))
		})
	}
}

func benchBag(b *testing.B, set string, k int) *core.Bag {
	bag := setBag(b, readShared(b, set, map[string]string{"models/mnist": "test_bags.npz", "data/crc": "test_bags.npz"}[set]), 0)
	list := make([]int, k)
	for i := range list {
		list[i] = i % bag.Len()
	}
	return bag.Select(list)
}

func BenchmarkForward(b *testing.B) {
	for _, c := range []struct {
		name, set string
		k         int
	}{{"mnist", "models/mnist", 30}, {"crc", "data/crc", 264}} {
		bag := benchBag(b, c.set, c.k)
		m := openShared(b, Options{}, "models", c.name, "mi_attn.onnx")
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
	bag := benchBag(b, "models/mnist", 30)
	m := openShared(b, Options{}, "models", "mnist", "mi_attn.onnx")
	for b.Loop() {
		if _, err := m.Bind(context.Background(), bag); err != nil {
			b.Fatal(err)
		}
	}
}
