package onnxbackend_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/valyala/fastjson"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// goldenTolerance is relative to the largest logit; PyTorch made them.
const goldenTolerance = 1e-4

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
			must.Equal(t, len(bags) != 0, true, "no golden bags")
			for _, g := range bags {
				bag := enginetest.SetBag(t, set, g.GetInt("index"))
				p := must.Get(m.Predict(context.Background(), bag))(t)
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
			must.Equal(t, len(bags), 6)
			for i, g := range bags {
				bag := enginetest.SetBag(t, enginetest.DigitBags(t), i)
				p := must.Get(m.Predict(context.Background(), bag))(t)
				var alike *Prediction
				predicted := func(p *Prediction) error { alike = p; return nil }
				must.Do(t, must.Err(m.BindPredicted(t.Context(), bag, nil, nil, predicted)), alike,
					p)
				must.Equal(t, reflect.DeepEqual(alike, p), true, alike, p)
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

func BenchmarkForward(b *testing.B) {
	enginetest.EachBenchModel(b, func(name string, c enginetest.TrainedModel, bag *core.Bag) {
		m := c.Open(b, Options{})
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				must.Get(m.Predict(context.Background(), bag))(b)
			}
		})
		ev, err := m.Bind(context.Background(), bag)
		must.Do(b, err)
		z := core.NewCoalitions(bag.Len(), 1)
		half := make([]int, bag.Len()/2)
		for i := range half {
			half[i] = 2 * i
		}
		z.AppendMembers(half...)
		dst := make([]float64, ev.Task().Classes)
		b.Run(name+"/coalition", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				must.Do(b, ev.Evaluate(context.Background(), dst, z))
			}
		})
	})
}

func BenchmarkBind(b *testing.B) {
	bag := enginetest.BenchBag(b, enginetest.DigitBags(b), 30)
	m := enginetest.OpenTestFile(b, Options{}, "models/mnist/mi_attn.onnx")
	for b.Loop() {
		must.Get(m.Bind(context.Background(), bag))(b)
	}
}
