//go:build gpu

package gpu

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// pooling is models of instances of 6 features, (k, 6), that are encoded to 40, pooled by some
// nodes from h (k, 40) and a (k, 2) to p, and told apart in two classes. The layer in between is
// wider than what it reads, so that it does not move into the sums.
func pooling(r *rand.Rand) map[string]onnxtest.Model {
	n, ints := onnxtest.N, onnxtest.Ints
	model := func(width int, nodes ...onnxtest.Node) onnxtest.Model {
		m := onnxtest.Model{
			Opset: 13, Inputs: []onnxtest.Value{onnxtest.In("bag", "k", 6)},
			Outputs: []onnxtest.Value{onnxtest.In("logits", 1, 2)},
			Initializers: []onnxtest.Tensor{
				constant("W", normal(r, 6, 40)), constant("V", normal(r, 40, 2)), constant("wide",
					normal(r, width, 100)), constant("head", normal(r, 100, 2)),
				onnxtest.I("axis0", []int64{0}, 1), onnxtest.I("three", []int64{3}, 1),
				onnxtest.I("flat", []int64{1, -1}, 2),
			},
			Nodes: []onnxtest.Node{n("MatMul", []string{"bag", "W"}, []string{"g"}),
				n("Tanh", []string{"g"}, []string{"h"}), n("MatMul", []string{"h", "V"},
					[]string{"a"})},
		}
		m.Nodes = append(m.Nodes, nodes...)
		m.Nodes = append(m.Nodes, n("Reshape", []string{"p", "flat"}, []string{"row"}),
			n("MatMul", []string{"row", "wide"}, []string{"m"}), n("Tanh", []string{"m"},
				[]string{"t"}), n("MatMul", []string{"t", "head"}, []string{"logits"}))
		return m
	}
	reduce := func(op string) onnxtest.Model {
		return model(40, n(op, []string{"h"}, []string{"p"}, ints("axes", 0)))
	}
	return map[string]onnxtest.Model{
		"mean": reduce("ReduceMean"), "max": reduce("ReduceMax"), "min": reduce("ReduceMin"),
		"logsumexp": reduce("ReduceLogSumExp"),
		"sum":       model(40, n("ReduceSum", []string{"h", "axis0"}, []string{"p"})),
		"topk": model(120, n("TopK", []string{"h", "three"}, []string{"p", ""},
			onnxtest.Int("axis", 0))),
		"attention": model(80, n("Transpose", []string{"a"}, []string{"at"}, ints("perm", 1, 0)),
			n("Softmax", []string{"at"}, []string{"w"}, onnxtest.Int("axis", 1)),
			n("MatMul", []string{"w", "h"}, []string{"p"})),
		"max+mean": model(80, n("ReduceMax", []string{"h"}, []string{"u"}, ints("axes", 0)),
			n("ReduceMean", []string{"h"}, []string{"v"}, ints("axes", 0)),
			n("Concat", []string{"u", "v"}, []string{"p"}, onnxtest.Int("axis", 1))),
	}
}

// TestCoalitions pools coalitions of bags of several sizes on the device, in every way in which the
// CPU pools them all at once, and wants the CPU's scores.
func TestCoalitions(t *testing.T) {
	p, r := processorFor(t), rand.New(rand.NewPCG(8, 8))
	for name, model := range pooling(r) {
		t.Run(name, func(t *testing.T) {
			cpu, gpu := openBoth(t, p, model.Bytes())
			for _, k := range []int{3, 33, 2100} {
				bag := &core.Bag{Shape: []int{6}, Values: tensor.Of[float32](normal(r, k, 6))}
				z := core.NewCoalitions(k, 70)
				for range 70 {
					z.AppendMembers(r.Perm(k)[:min(3, k)+r.IntN(k-min(3, k)+1)]...)
				}
				scores := func(m *onnxbackend.Model) (y []float64, notes string) {
					ev := must.Get(m.Bind(context.Background(), bag))(t)
					if s := ev.(*onnxbackend.Bound).Strategy(); s != name {
						t.Fatalf("k %d: strategy %s", k, s)
					}
					y = make([]float64, z.Len()*2)
					must.Do(t, ev.Evaluate(context.Background(), y, z))
					return y, strings.Join(ev.(core.Noter).Notes(), " ")
				}
				want, _ := scores(cpu)
				got, notes := scores(gpu)
				if d := apart(got, want); !(d <= tolerance) {
					t.Errorf("k %d: scores are off by %g of the largest", k, d)
				}
				if said := p.Name() + " pools coalitions."; !strings.Contains(notes, said) ||
					strings.Contains(notes, "lost") {
					t.Errorf("k %d: notes %q", k, notes)
				}
			}
		})
	}
}

// TestSurrogate explains a bag with the Gram matrix computed on the device, from as many coalitions
// as make the system well or barely determined: the scores are within the tolerance of the CPU's.
func TestSurrogate(t *testing.T) {
	p, r := processorFor(t), rand.New(rand.NewPCG(9, 9))
	cpu, gpu := openBoth(t, p, pooling(r)["attention"].Bytes())
	const k = 90
	bag := &core.Bag{Shape: []int{6}, Values: tensor.Of[float32](normal(r, k, 6))}
	for _, samples := range []int{100, 600} {
		sampling := methods.Sampling{Samples: samples}
		for _, method := range []core.Method{methods.MILLI{Sampling: sampling},
			methods.RandomSHAP{Sampling: sampling}} {
			explain := func(m *onnxbackend.Model) (scores []float64) {
				ev := must.Get(m.Bind(context.Background(), bag))(t)
				report := must.Get(core.Explain(context.Background(), ev,
					core.Request{Methods: []core.Method{method}}))(t)
				for _, e := range report.Explanations {
					scores = append(scores, e.Scores...)
				}
				return scores
			}
			if d := apart(explain(gpu), explain(cpu)); !(d <= tolerance) {
				t.Errorf("%s of %d coalitions: scores are off by %g of the largest", method.Name(),
					samples, d)
			}
		}
	}
}
