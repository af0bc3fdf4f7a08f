package onnxbackend_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
	. "github.com/bagscope/bagscope/onnxbackend"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// BenchmarkEnsemble reports how long five models with gated attention over features of a foundation
// model take as one, relative to the five one after another, encoding included.
func BenchmarkEnsemble(b *testing.B) {
	const k, features, hidden, attention, folds = 1000, 1024, 512, 256, 5
	rng := rand.New(rand.NewPCG(1, 1))
	normal := func(n int, scale float64) []float32 {
		out := make([]float32, n)
		for i := range out {
			out[i] = float32(scale * rng.NormFloat64())
		}
		return out
	}
	var models []core.Model
	for range folds {
		m := ot.Model{Opset: 13, Inputs: []ot.Value{ot.In("x", "k", features)},
			Outputs: []ot.Value{ot.In("y", 1, 2)}, Initializers: []ot.Tensor{
				ot.F("a", normal(features*hidden, .03), features, hidden),
				ot.F("v", normal(hidden*attention, .05), hidden, attention),
				ot.F("u", normal(hidden*attention, .05), hidden, attention),
				ot.F("w", normal(attention, .1), attention, 1),
				ot.F("c", normal(hidden*2, .05), hidden, 2)},
			Nodes: ot.Nodes(`e = MatMul(x, a); h = Relu(e); p = MatMul(h, v); q = Tanh(p)
				r = MatMul(h, u); s = Sigmoid(r); g = Mul(q, s); t = MatMul(g, w)
				o = Softmax<axis=0>(t); z = Transpose(o); n = MatMul(z, h); y = MatMul(n, c)`)}
		models = append(models, must.Get(Open(m.Bytes(),
			Options{Card: []byte(`{"output": "logits"}`)}))(b))
	}
	ensemble := must.Get(core.NewEnsemble(models, ""))(b)
	bag := &core.Bag{Shape: []int{features}, Values: normal(k*features, 1)}
	for _, m := range []core.Method{methods.Consensus{}, methods.OneRemoved{},
		methods.RandomSHAP{}} {
		b.Run(m.Name(), func(b *testing.B) {
			explain := func(models ...core.Model) time.Duration {
				start := time.Now()
				for _, model := range models {
					ev := must.Get(model.Bind(b.Context(), bag))(b)
					must.Get(core.Explain(b.Context(), ev,
						core.Request{Methods: []core.Method{m}}))(b)
				}
				return time.Since(start)
			}
			var one, each time.Duration
			for b.Loop() {
				each += explain(models...)
				one += explain(ensemble)
			}
			b.ReportMetric(float64(one)/float64(each), "times-the-members")
			b.ReportMetric(0, "ns/op")
		})
	}
}
