package suffix_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// heads are ends of models: what may follow the pooled row "p" of four numbers up to "logits".
func heads() map[string][]ot.Node {
	end := ot.N("Squeeze", []string{"y", "axis0"}, []string{"logits"})
	return map[string][]ot.Node{
		"two layers": ot.Nodes(`v = Gemm(p, V, bias); r = Relu(v); y = Gemm<alpha=2.0>(r, U, bias)
			logits = Squeeze(y, axis0)`),
		"two linear layers": {ot.N("MatMul", []string{"p", "V"}, []string{"v"}),
			ot.N("MatMul", []string{"v", "U"}, []string{"y"}), end},
		"scaled layer, softmax": ot.Nodes(`v = Gemm<beta=0.5>(p, V, bias); y = Softmax<axis=1>(v)
			logits = Squeeze(y, axis0)`),
		"row read twice": ot.Nodes(`v = MatMul(p, V); top = ReduceMax<axes=[1]>(p); y = Add(v, top)
			logits = Squeeze(y, axis0)`),
		"reshaped before and after": ot.Nodes(`q = Reshape(p, flat); v = MatMul(q, V); t = Tanh(v)
			logits = Reshape(t, flat)`),
		"wider layer": ot.Nodes(`v = MatMul(p, W9); r = LeakyRelu(v); y = MatMul(r, V9)
			logits = Squeeze(y, axis0)`),
		"transposed row": ot.Nodes(`q = Transpose(p); y = Gemm<transA=1>(q, V)
			logits = Squeeze(y, axis0)`),
	}
}

// headModel pools "h" to one line and ends in a head.
func headModel(pool, head []ot.Node) ot.Model {
	m := poolModel(13, 4)
	r := rand.New(rand.NewPCG(5, 5))
	m.Initializers = append(m.Initializers, enginetest.RandomTensor(r, "U", 2, 2),
		enginetest.RandomTensor(r, "W9", 4, 9), enginetest.RandomTensor(r, "V9", 9, 2))
	m.Nodes = append(m.Nodes[:3:3], append(slices.Clone(pool), head...)...)
	return m
}

// pools are ways to "p", a line of four numbers.
func pools() map[string][]ot.Node {
	return map[string][]ot.Node{
		"mean": {ot.N("ReduceMean", []string{"h"}, []string{"p"}, ot.Ints("axes", 0))},
		"max":  {ot.N("ReduceMax", []string{"h"}, []string{"p"}, ot.Ints("axes", 0))},
		"attention": ot.Nodes(`a1 = ReduceSum<keepdims=1>(a, axis1); at = Transpose(a1)
			w = Softmax<axis=1>(at); p = MatMul(w, h)`),
	}
}

// TestMaskedHeads pools under heads that run for all coalitions at once, some of them inside the
// sum, and compares with the whole graph.
func TestMaskedHeads(t *testing.T) {
	for how, pool := range pools() {
		for what, head := range heads() {
			t.Run(how+"/"+what, func(t *testing.T) {
				for _, k := range []int{1, 4, 70} {
					bag, model := enginetest.SmallBag(k, 3), headModel(pool, head).Bytes()
					b := enginetest.OpenAndBind(t, model, onnxbackend.Options{}, bag)
					must.Equal(t, b.Strategy(), how, k)
					enginetest.CheckStrategyEqualsPlain(t, b, model, bag)
				}
			})
		}
	}
}

// TestMaskedAllocations checks that a batch allocates for itself and not for each coalition.
func TestMaskedAllocations(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the collector empties pools
	for how, pool := range pools() {
		for what, head := range heads() {
			bag := enginetest.SmallBag(264, 3)
			b := enginetest.OpenAndBind(t, headModel(pool, head).Bytes(), onnxbackend.Options{},
				bag)
			count := func(n int) float64 {
				z := enginetest.RandomCoalitions(264, n)
				dst := make([]float64, n*b.Task().Classes)
				return testing.AllocsPerRun(5, func() {
					must.Do(t, b.Evaluate(context.Background(), dst, z))
				})
			}
			count(1024) // the first run makes room
			if few, many := count(64), count(1024); many > few+32 {
				t.Errorf("%s, %s: %v allocations for 1024 coalitions and %v for 64", how, what,
					many, few)
			}
		}
	}
}

// BenchmarkMasked evaluates 1000 coalitions of a bag that is encoded: of small models, and of gated
// attention over 512 features.
func BenchmarkMasked(b *testing.B) {
	run := func(name string, ev *onnxbackend.Bound) {
		b.Run(name, func(b *testing.B) {
			z := enginetest.RandomCoalitions(ev.Task().Instances, 1000)
			dst := make([]float64, 1000*ev.Task().Classes)
			b.ReportAllocs()
			for b.Loop() {
				must.Do(b, ev.Evaluate(context.Background(), dst, z))
			}
		})
	}
	for name, pool := range pools() {
		run(name, enginetest.OpenAndBind(b, headModel(pool, heads()["two layers"]).Bytes(),
			onnxbackend.Options{},
			enginetest.SmallBag(264, 3)))
	}
	gated := enginetest.OpenTestFile(b, onnxbackend.Options{}, "models/zoo/abmil_gated/model.onnx")
	for _, k := range []int{264, 1000} {
		run(fmt.Sprintf("gated/%d", k), bindTo(b, gated, bagFor(gated, k)))
	}
}

// TestManyInstancesArePooled has so many instances that a float32 sum over them is not exact:
// verification must accept the pooled strategies nevertheless.
func TestManyInstancesArePooled(t *testing.T) {
	bag := &core.Bag{Shape: []int{3}, Values: make([]float32, 3*200_000)}
	for i := range bag.Values {
		bag.Values[i] = float32(i%97)/97 - .2
	}
	for how, pool := range pools() {
		b := enginetest.OpenAndBind(t, headModel(pool, heads()["two linear layers"]).Bytes(),
			onnxbackend.Options{}, bag)
		must.Equal(t, b.Strategy(), how)
		must.Equal(t, len(b.Notes()), 0)
	}
}
