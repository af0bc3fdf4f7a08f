package onnxbackend_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// TestSplitEqualsWhole explains pictures by models of pictures, and their features by the same
// models after Split: all scores must be the same up to rounding.
func TestSplitEqualsWhole(t *testing.T) {
	const zoo = "onnxbackend/testdata/zoo/"
	for name, shape := range map[string][]int{
		"examples/digits/model.onnx":                    {1, 28, 28},
		"examples/tissue/model.onnx":                    {3, 27, 27},
		"examples/tissue/networks/mi-net.onnx":          {3, 27, 27},
		"examples/tissue/networks/mi-net-instance.onnx": {3, 27, 27},
		"examples/tissue/networks/mi-gnn.onnx":          {3, 27, 27},
		zoo + "pictures/legacy-11.onnx":                 {2, 9, 9},
		zoo + "pictures/dynamo-21.onnx":                 {2, 9, 9},
		zoo + "lowered_pictures/qdq.onnx":               {2, 9, 9},
		zoo + "lowered_pictures/slim.onnx":              {2, 9, 9},
		zoo + "keras_conv_pictures/tf2onnx-18.onnx":     {9, 9, 2},
		zoo + "encoder_fused_attention/dynamo-21.onnx":  {2, 4, 4},
		zoo + "encoder_transformer/legacy-17.onnx":      {2, 4, 4},
		zoo + "encoder_windows/dynamo-18.onnx":          {2, 4, 4},
		zoo + "encoder_gru/legacy-11.onnx":              {2, 4, 4},
		zoo + "jax_pictures/jax2onnx-23.onnx":           {9, 9, 2},
	} {
		t.Run(name, func(t *testing.T) {
			data := must.Get(os.ReadFile(filepath.Join(enginetest.RepositoryFile(t, "."), name)))(t)
			m := enginetest.Open(t, data, onnxbackend.Options{})
			e := must.Get(m.Split(t.Context(), shape))(t)
			bag := enginetest.ShapedBag(9, shape...)
			features := must.Get(e.Encode(t.Context(), bag))(t)
			want, got := scoresUnder(t, m, bag), scoresUnder(t, m, features)
			for i, v := range want {
				must.Equal(t, math.Abs(v-got[i]) <= 1e-5, true, got, want)
			}
		})
	}
}

// scoresUnder returns the prediction and the scores of two methods for all classes.
func scoresUnder(t *testing.T, m *onnxbackend.Model, bag *core.Bag) []float64 {
	t.Helper()
	b := must.Get(m.Bind(t.Context(), bag))(t)
	r := must.Get(core.Explain(t.Context(), b,
		core.Request{Methods: []core.Method{methods.OneRemoved{},
			methods.RandomSHAP{Sampling: methods.Sampling{Samples: 100}}}}))(t)
	out := slices.Clone(r.Prediction)
	for _, e := range r.Explanations {
		out = append(out, e.Scores...)
	}
	return out
}

// TestHelpersShareHalves encodes pictures and evaluates their features with a helper that has the
// whole model, which was never split: the same bits as alone.
func TestHelpersShareHalves(t *testing.T) {
	for name, shape := range map[string][]int{
		"examples/tissue/networks/mi-gnn.onnx":                    {3, 27, 27},
		"onnxbackend/testdata/zoo/encoder_windows/dynamo-18.onnx": {2, 4, 4},
	} {
		t.Run(name, func(t *testing.T) {
			open := func() *onnxbackend.Model {
				return enginetest.OpenRepositoryFile(t, onnxbackend.Options{Workers: 1}, name)
			}
			m := open()
			e := must.Get(m.Split(t.Context(), shape))(t)
			helpers, done := enginetest.HelpersOf(open()), atomic.Int64{}
			send := helpers.Send
			helpers.Send = func(ctx context.Context, i int, task []byte) ([]byte, error) {
				reply, err := send(ctx, i, task)
				if err == nil {
					done.Add(1)
				}
				return reply, err
			}
			// The other goroutine may have done all tasks before the helper takes one.
			shared := func(work func()) bool {
				done.Store(0)
				for range 1000 {
					if work(); done.Load() > 0 {
						return true
					}
				}
				return false
			}
			pictures := enginetest.ShapedBag(31, shape...)
			features := must.Get(e.Encode(t.Context(), pictures))(t)
			if !shared(func() {
				together := must.Get(e.EncodeWith(t.Context(), pictures, helpers))(t)
				must.EqualSlices(t, features.Values, together.Values, "features differ")
			}) {
				t.Error("the helper encoded nothing")
			}
			b, z := enginetest.Bind(t, m, features, helpers), enginetest.RandomCoalitions(31, 300)
			want := scoresOf(t, b, nil, z)
			if b.Shares(helpers) && !shared(func() {
				must.Equal(t, equalBits(want, scoresOf(t, b, helpers, z)), true,
					"helpers change scores")
			}) {
				t.Error("the helper evaluated nothing")
			}
			must.Equal(t, b.Shares(helpers), b.Strategy() == onnxbackend.StrategyMembers,
				"coalitions of strategy")
		})
	}
}

// TestSplitRefuses has models without features: one that mixes instances at once, one that reads
// its pictures twice, and one that also reads how many there are.
func TestSplitRefuses(t *testing.T) {
	pictures := func(nodes ...ot.Node) []byte {
		return ot.Model{Opset: 13, Inputs: []ot.Value{ot.In("x", "k", 3, 4, 4)},
			Outputs: []ot.Value{ot.In("y", 3)}, Nodes: nodes}.Bytes()
	}
	mean := func(in, out string) ot.Node {
		return ot.N("ReduceMean", []string{in}, []string{out}, ot.Ints("axes", 0),
			ot.Int("keepdims", 0))
	}
	perChannel := ot.N("ReduceMean", []string{"x"}, []string{"f"}, ot.Ints("axes", 2, 3),
		ot.Int("keepdims", 0))
	for name, model := range map[string][]byte{
		"mixes at once": pictures(mean("x", "m"),
			ot.N("ReduceMean", []string{"m"}, []string{"y"}, ot.Ints("axes", 1, 2),
				ot.Int("keepdims", 0))),
		"two ways": pictures(perChannel, mean("f", "a"), mean("x", "b"),
			ot.N("ReduceMax", []string{"b"}, []string{"c"}, ot.Ints("axes", 1, 2),
				ot.Int("keepdims", 0)), ot.N("Add", []string{"a", "c"}, []string{"y"})),
		"counts": pictures(perChannel, mean("f", "a"), ot.N("Shape", []string{"x"}, []string{"s"}),
			ot.N("Cast", []string{"s"}, []string{"n"}, ot.Int("to", 1)),
			ot.N("ReduceSum", []string{"n"}, []string{"k"}, ot.Int("keepdims", 0)),
			ot.N("Div", []string{"a", "k"}, []string{"y"})),
	} {
		t.Run(name, func(t *testing.T) {
			m := enginetest.Open(t, model, onnxbackend.Options{})
			_, err := m.Split(t.Context(), []int{3, 4, 4})
			var refused *onnxbackend.UnsupportedError
			must.As(t, err, &refused, "as two files")
		})
	}
}

// TestSplitRefusesOtherPaths has a network whose pooling also reads the number of its pictures.
func TestSplitRefusesOtherPaths(t *testing.T) {
	m := enginetest.OpenRepositoryFile(t, onnxbackend.Options{},
		"onnxbackend/testdata/zoo/keras_merged_pictures/tf2onnx-18.onnx")
	_, err := m.Split(t.Context(), []int{9, 9, 2})
	var refused *onnxbackend.UnsupportedError
	must.As(t, err, &refused)
}

// TestSplitChecksPictures reports pictures that the model does not take.
func TestSplitChecksPictures(t *testing.T) {
	m := enginetest.OpenRepositoryFile(t, onnxbackend.Options{}, "examples/tissue/model.onnx")
	_, err := m.Split(t.Context(), []int{3, 32, 32})
	var wrong *core.BagError
	must.As(t, err, &wrong)
}
