package onnxbackend_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/whatif"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// Sizes of the example in HIPPO's README, and of its gated attention.
const (
	hippoPatches, hippoFeatures = 1000, 1024
	hippoWidth, hippoGate       = 512, 384
)

// A formula draws uniform numbers in [0, 1) that Python can repeat: SplitMix64 of 0, 1, 2 and so
// on, in multiples of 2^-24.
type formula uint64

// uniform returns a function of each of the next n numbers.
func (f *formula) uniform(n int, value func(u float64) float64) []float32 {
	out := make([]float32, n)
	for i := range out {
		*f += 0x9E3779B97F4A7C15
		z := uint64(*f)
		z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		z ^= z >> 31
		out[i] = float32(value(float64(z>>40) / (1 << 24)))
	}
	return out
}

// layer returns the weights NAME (in, out) and biases NAME.bias, as PyTorch draws them.
func (f *formula) layer(name string, in, out int) []ot.Tensor {
	bounded := func(u float64) float64 { return (2*u - 1) / math.Sqrt(float64(in)) }
	return []ot.Tensor{ot.F(name, f.uniform(in*out, bounded), in, out),
		ot.F(name+".bias", f.uniform(out, bounded), out)}
}

// hippoExample returns the network and the bag of tools/python/benchmarks/greedy.py.
func hippoExample() ([]byte, *core.Bag) {
	var f formula
	m := ot.Model{Opset: 17, Inputs: []ot.Value{ot.In("bag", "instances", hippoFeatures)},
		Outputs: []ot.Value{ot.In("logits", 1, 2)}}
	m.Initializers = slices.Concat(f.layer("encoder", hippoFeatures, hippoWidth),
		f.layer("v", hippoWidth, hippoGate), f.layer("u", hippoWidth, hippoGate),
		f.layer("w", hippoGate, 1), f.layer("head", hippoWidth, 2))
	layer := func(name, in, out string) ot.Node {
		return ot.N("Gemm", []string{in, name, name + ".bias"}, []string{out})
	}
	m.Nodes = []ot.Node{
		layer("encoder", "bag", "encoded"), ot.N("Relu", []string{"encoded"}, []string{"h"}),
		layer("v", "h", "v.out"), ot.N("Tanh", []string{"v.out"}, []string{"value"}),
		layer("u", "h", "u.out"), ot.N("Sigmoid", []string{"u.out"}, []string{"gate"}),
		ot.N("Mul", []string{"value", "gate"}, []string{"gated"}), layer("w", "gated", "w.out"),
		ot.N("Softmax", []string{"w.out"}, []string{"attention"}, ot.Int("axis", 0)),
		ot.N("Transpose", []string{"attention"}, []string{"row"}),
		ot.N("MatMul", []string{"row", "h"}, []string{"pooled"}), layer("head", "pooled", "logits"),
	}
	return m.Bytes(), &core.Bag{Name: "random", Shape: []int{hippoFeatures},
		Values: f.uniform(hippoPatches*hippoFeatures, func(u float64) float64 { return u })}
}

// The steps of Turn remove the patches that hippo.greedy_search of hippo-nn 0.1.0 removes with
// hippo.minimize, in its order. testdata/greedy.json holds what it returned for this network and
// bag, written by tools/python/benchmarks/greedy.py.
func TestTurnEqualsHIPPO(t *testing.T) {
	data := must.Get(os.ReadFile("testdata/greedy.json"))(t)
	var want struct {
		Removed []int
		Values  []float64 // probability of class 1 before and after each removal
	}
	must.Do(t, json.Unmarshal(data, &want))
	model, bag := hippoExample()
	m := must.Get(onnxbackend.Open(model, onnxbackend.Options{}))(t)
	g := must.Get(core.NewGame(enginetest.Bind(t, m, bag, nil), core.GameOptions{}))(t)
	// No probability is below the level, so that the search takes all steps.
	level := 1e-30
	turn := must.Get(whatif.TurnQuestion{Class: 1, Level: &level,
		Most: len(want.Removed)}.Answer(context.Background(), g))(t)
	var removed []int
	values := []float64{turn.From[1]}
	for _, s := range turn.Steps {
		removed, values = append(removed, s.Instance), append(values, s.Values[1])
	}
	must.EqualSlices(t, removed, want.Removed)
	// Both compute in float32.
	enginetest.CheckNear(t, "probability", values, want.Values, 1e-6)
}
