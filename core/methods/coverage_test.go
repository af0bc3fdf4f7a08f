package methods_test

import (
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"path"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
	"github.com/bagscope/bagscope/onnxbackend"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// coverageBags is how many bags of each kind TestCoverage explains. examples/paper/README.md has
// the figures of more.
var coverageBags = flag.Int("coverage-bags", 12,
	"bags of each kind whose intervals TestCoverage checks")

// TestCoverage checks that the 95 % intervals of Consensus hold the values that 100 times the
// contexts give, for the same ranks and weights, and that leading scores which are called separated
// stay the same.
func TestCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	for _, c := range []struct {
		name string
		bags func(t *testing.T, n int) (func(i int) *core.Bag, []*onnxbackend.Model)
	}{
		{"digits", filedBags(testfile.Read, "models/mnist/encoded_bags.npz",
			"models/mnist/mi_attn_pooling.onnx")},
		{"pictures of digits", filedBags(testfile.ReadRestricted, "models/mnist/test_bags.npz",
			"models/mnist/mi_attn.onnx", "models/mnist/mi_net_embedding.onnx")},
		{"colon cancer", filedBags(testfile.ReadRestricted, "data/crc/test_bags.npz",
			"models/crc/mi_attn.onnx", "models/crc/mi_net_instance.onnx")},
		{"vectors", vectorBags},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := *coverageBags
			bag, models := c.bags(t, n)
			var held, all, separated, classes, same float64
			var shares []float64 // of each bag
			for i := range n {
				for m, model := range models {
					if i%len(models) != m {
						continue
					}
					ev := must.Get(model.Bind(t.Context(), bag(i)))(t)
					h, a, s, k, e := intervals(t, ev, uint64(i))
					shares = append(shares, h/a)
					held, all, separated, classes, same = held+h, all+a, separated+s, classes+k,
						same+e
				}
			}
			t.Logf("%.1f %% of %.0f intervals hold; %.0f of %.0f classes are separated, of which "+
				"%.1f %% keep their leading instances",
				100*held/all, all, separated, classes, 100*same/separated)
			// The intervals of one bag hold or fail together, so that chance is that of the bags.
			mean, deviation := stat.MeanStdDev(shares, nil)
			chance := 3 * deviation / math.Sqrt(float64(len(shares)))
			if !(mean+chance >= .92 && mean-chance <= .98) {
				t.Errorf("%.1f %% of a bag's intervals hold, up to %.1f %% of chance", 100*mean,
					100*chance)
			}
			if separated > 20 && same/separated < .95 {
				t.Errorf("%.1f %% of the separated classes keep their leading instances",
					100*same/separated)
			}
		})
	}
}

// intervals counts the intervals of one bag that hold, all of them, the classes called separated,
// all of them, and those called separated whose leading instances stay.
func intervals(
	t *testing.T, ev core.Evaluator, seed uint64,
) (held, all, separated, classes, same float64) {
	t.Helper()
	rows, isSeparated, isSame, err := methods.ConsensusTargets(context.Background(), ev,
		core.GameOptions{Seed: seed}, 100)
	if err != nil {
		t.Fatal(err)
	}
	for class, row := range rows {
		scale := 0.0
		for _, v := range row {
			scale = max(scale, math.Abs(v.Score))
		}
		for _, v := range row {
			reach := v.StdErr * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: v.Freedom}.Quantile(.975)
			if all++; math.Abs(v.Score-v.Target) <= reach+1e-6*scale {
				held++
			}
		}
		classes++
		if isSeparated[class] {
			if separated++; isSame[class] {
				same++
			}
		}
	}
	return held, all, separated, classes, same
}

// filedBags opens a bag set and models from files.
func filedBags(
	read func(t testing.TB, name string) []byte, set string, models ...string,
) func(t *testing.T, n int) (func(i int) *core.Bag, []*onnxbackend.Model) {
	return func(t *testing.T, _ int) (func(i int) *core.Bag, []*onnxbackend.Model) {
		bags := must.Get(bagio.Read(path.Base(set), read(t, set), bagio.Options{}))(t)
		var opened []*onnxbackend.Model
		for _, name := range models {
			m := must.Get(onnxbackend.Open(read(t, name), onnxbackend.Options{}))(t)
			opened = append(opened, m)
		}
		return func(i int) *core.Bag {
			return must.Get(bags.Bag(i % bags.Len()))(t)
		}, opened
	}
}

// vectorBags makes bags of 12 to 200 random vectors and two networks of random weights: gated
// attention, and max pooling behind a hidden layer.
func vectorBags(t *testing.T, _ int) (func(i int) *core.Bag, []*onnxbackend.Model) {
	const features, hidden, classes = 8, 12, 3
	rng := rand.New(rand.NewPCG(3, 4))
	weights := func(name string, scale float64, dims ...int) ot.Tensor {
		n := 1
		for _, d := range dims {
			n *= d
		}
		values := make([]float32, n)
		for i := range values {
			values[i] = float32(scale * rng.NormFloat64())
		}
		return ot.F(name, values, dims...)
	}
	attention := ot.Model{
		Opset: 13,
		Initializers: []ot.Tensor{
			weights("v", .5, features, hidden), weights("u", .5, features, hidden), weights("w", 2,
				hidden, 1),
			weights("c", 2, features, classes),
		},
		Inputs:  []ot.Value{ot.In("bag", "k", features)},
		Outputs: []ot.Value{ot.In("logits", 1, classes)},
		Nodes: []ot.Node{
			ot.N("MatMul", []string{"bag", "v"}, []string{"bv"}), ot.N("Tanh", []string{"bv"},
				[]string{"tanh"}),
			ot.N("MatMul", []string{"bag", "u"}, []string{"bu"}), ot.N("Sigmoid", []string{"bu"},
				[]string{"gate"}),
			ot.N("Mul", []string{"tanh", "gate"}, []string{"gated"}), ot.N("MatMul",
				[]string{"gated", "w"}, []string{"a"}),
			ot.N("Softmax", []string{"a"}, []string{"p"}, ot.Int("axis", 0)), ot.N("Transpose",
				[]string{"p"}, []string{"pt"}),
			ot.N("MatMul", []string{"pt", "bag"}, []string{"pooled"}), ot.N("MatMul",
				[]string{"pooled", "c"}, []string{"logits"}),
		},
	}
	largest := ot.Model{
		Opset: 13,
		Initializers: []ot.Tensor{weights("h", .5, features, hidden),
			weights("c", 1, hidden, classes)},
		Inputs:  []ot.Value{ot.In("bag", "k", features)},
		Outputs: []ot.Value{ot.In("logits", 1, classes)},
		Nodes: []ot.Node{
			ot.N("MatMul", []string{"bag", "h"}, []string{"bh"}), ot.N("Relu", []string{"bh"},
				[]string{"r"}),
			ot.N("ReduceMax", []string{"r"}, []string{"pooled"}, ot.Ints("axes", 0),
				ot.Int("keepdims", 1)),
			ot.N("MatMul", []string{"pooled", "c"}, []string{"logits"}),
		},
	}
	var models []*onnxbackend.Model
	for _, m := range []ot.Model{attention, largest} {
		opened, err := onnxbackend.Open(m.Bytes(),
			onnxbackend.Options{Card: []byte(`{"scale":"logits"}`)})
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, opened)
	}
	return func(i int) *core.Bag {
		rng := rand.New(rand.NewPCG(uint64(i), 9))
		bag := &core.Bag{Shape: []int{features},
			Values: make([]float32, features*(12+rng.IntN(189)))}
		for j := range bag.Values {
			bag.Values[j] = float32(rng.NormFloat64())
		}
		return bag
	}, models
}
