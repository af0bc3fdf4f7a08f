package export

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/tools/train/dataset"
	"github.com/bagscope/bagscope/tools/train/network"
)

// pairs are the four kinds of networks for the four kinds of bags of the paper.
func pairs() []*dataset.Set {
	features := func(name string, classes, n int) *dataset.Set {
		s := &dataset.Set{Name: name, Title: name, Scale: core.ScaleLogits, Shape: []int{n}}
		for c := range classes {
			s.Classes = append(s.Classes, fmt.Sprint("class ", c))
		}
		return s
	}
	pictures := func(name string, classes int, shape ...int) *dataset.Set {
		s := features(name, classes, 1)
		s.Shape = shape
		return s
	}
	return []*dataset.Set{features("sival", 13, 30), features("musk1", 2, 166),
		features("fox", 2, 230), pictures("mnist", 4, 1, 28, 28), pictures("crc", 2, 3, 27, 27)}
}

// random returns a network, as a set's bags would train one, and preprocessing that is not the
// identity.
func random(
	t *testing.T, kind network.Kind, set *dataset.Set, preset network.Preset,
) (*network.Network, dataset.Preprocess) {
	t.Helper()
	r := must.Get(network.For(kind, set.Shape, len(set.Classes), set.Scale, preset))(t)
	net := must.Get(network.New(r.Architecture, 7))(t)
	p := dataset.Preprocess{Scale: 1. / 255}
	for i := range set.Shape[0] {
		p.Mean, p.Std = append(p.Mean, .3+.01*float64(i%20)), append(p.Std, .2+.005*float64(i%30))
	}
	if len(set.Shape) == 1 {
		p.Scale, p.Std[3] = 1, math.Inf(1)
	}
	return net, p
}

func bag(r *rand.Rand, set *dataset.Set, k int) *core.Bag {
	b := &core.Bag{Name: "bag", Shape: set.Shape, Raw: len(set.Shape) == 3}
	n := k
	for _, d := range set.Shape {
		n *= d
	}
	for range n {
		if b.Raw {
			b.Values = append(b.Values, float32(r.IntN(256)))
		} else {
			b.Values = append(b.Values, float32(r.NormFloat64()))
		}
	}
	return b
}

// TestExportedModelEqualsGraph compares every exported network with its Gorgonia graph, and checks
// that the engine pools all coalitions together.
func TestExportedModelEqualsGraph(t *testing.T) {
	const tolerance = 1e-5
	for _, set := range pairs() {
		for _, kind := range append(network.Kinds(), "summing mi-gnn") {
			t.Run(set.Name+" "+string(kind), func(t *testing.T) {
				preset := network.Paper
				if kind == "summing mi-gnn" {
					kind, preset = network.MIGNN, network.Summing
				}
				net, p := random(t, kind, set, preset)
				file := must.Get(Model(net, set, p, "0"))(t)
				m := must.Get(onnxbackend.Open(file, onnxbackend.Options{}))(t)
				r := rand.New(rand.NewPCG(1, 1))
				for _, k := range []int{1, 2, 13} {
					b := bag(r, set, k)
					seen := must.Get(p.Apply(b))(t)
					want := must.Get(net.Predict(seen))(t)
					got := must.Get(m.Predict(context.Background(), b))(t)
					outputs := map[string][]float64{}
					for _, o := range got.Outputs {
						outputs[o.Name] = o.Data
					}
					same(t, Logits, got.Scores, want.Logits, tolerance)
					switch kind {
					case network.MINetInstance:
						same(t, Predictions, outputs[Predictions], want.Predictions, tolerance)
					case network.MIAttn:
						same(t, Attention, outputs[Attention], want.Attention, tolerance)
					case network.MIGNN:
						// neither where it sums
						same(t, Clustering, outputs[Clustering], want.Attention, tolerance)
					}
				}
				ev := must.Get(m.Bind(context.Background(), bag(r, set, 13)))(t)
				must.Equal(t, ev.(*onnxbackend.Bound).Strategy(), strategy(net))
			})
		}
	}
}

// strategy is how the engine should evaluate coalitions. In mi-gnn what an instance passes through
// the rectifier depends on the other members of the coalition, so that no table of instances serves
// all coalitions.
func strategy(net *network.Network) string {
	switch net.Kind {
	case network.MIAttn:
		return "attention"
	case network.MIGNN:
		return onnxbackend.StrategyMembers
	}
	return string(net.Pool)
}

func same(t *testing.T, what string, got []float64, want []float32, tolerance float64) {
	t.Helper()
	must.Equal(t, len(got), len(want), what)
	for i, v := range got {
		must.Equal(t, math.Abs(v-float64(want[i])) <= tolerance*max(1, math.Abs(v)), true, what, i,
			v, want[i])
	}
}
