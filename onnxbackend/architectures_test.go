package onnxbackend_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// A relatedBag is a bag of testdata/relations and PyTorch's scores of it.
type relatedBag struct {
	Instances, Adjacency [][]float32
	Scores               []float64
}

// TestArchitecturesOverAdjacency explains torchmil's models of an adjacency matrix, as
// tools/python/tests/exporters/table.py exported them, and compares scores with PyTorch's and
// explanations with predictions of bags without the other instances.
func TestArchitecturesOverAdjacency(t *testing.T) {
	text := must.Get(os.ReadFile("testdata/relations/expected.json"))(t)
	var all map[string]relatedBag
	must.Do(t, json.Unmarshal(text, &all))
	must.Equal(t, len(all), 6)
	for name, want := range all {
		t.Run(name, func(t *testing.T) {
			data := must.Get(os.ReadFile("testdata/relations/" + name + ".onnx"))(t)
			m := enginetest.Open(t, data, onnxbackend.Options{})
			bag := &core.Bag{Shape: []int{len(want.Instances[0])},
				Values:    slices.Concat(want.Instances...),
				Relations: &core.Relations{Dense: slices.Concat(want.Adjacency...)}}
			p := must.Get(m.Predict(context.Background(), bag))(t)
			enginetest.CheckNear(t, "scores", p.Scores, want.Scores, zooTolerance)
			for _, k := range []int{1, 7, 64} {
				checkExplained(t, m, neighbouring(bag, k))
			}
		})
	}
}

// neighbouring returns k instances of a bag with noise, each joined with itself and the next ones
// by random weights, as edges.
func neighbouring(bag *core.Bag, k int) *core.Bag {
	r := rand.New(rand.NewPCG(uint64(k), 3))
	out := &core.Bag{Shape: bag.Shape, Relations: &core.Relations{Edges: []core.Edge{}}}
	for i := range k {
		for _, v := range bag.Instance(i % bag.Len()) {
			out.Values = append(out.Values, v+float32(r.NormFloat64())/2)
		}
		for j := i; j < min(i+3, k); j++ {
			w := float32(r.Float64()/4 + .1)
			out.Relations.Edges = append(out.Relations.Edges, core.Edge{From: int32(i),
				To: int32(j), Weight: w})
			if i != j {
				out.Relations.Edges = append(out.Relations.Edges, core.Edge{From: int32(j),
					To: int32(i), Weight: w})
			}
		}
	}
	return out
}

// checkExplained compares the scores of random coalitions, and One Removed, with predictions.
func checkExplained(t *testing.T, m *onnxbackend.Model, bag *core.Bag) {
	t.Helper()
	b := enginetest.Bind(t, m, bag, nil)
	checkRelated(t, m, b, bag)
	if bag.Len() == 1 {
		return
	}
	report := must.Get(core.Explain(context.Background(), b,
		core.Request{Methods: []core.Method{methods.OneRemoved{}}}))(t)
	scores := func(bag *core.Bag) float64 {
		p := must.Get(m.Predict(context.Background(), bag))(t)
		return p.Scores[0]
	}
	// What is left of the whole bag's score is compared: the difference itself, which may be small,
	// has the rounding of both scores.
	whole := scores(bag)
	var got, want []float64
	for i := range bag.Len() {
		var rest []int
		for j := range bag.Len() {
			if j != i {
				rest = append(rest, j)
			}
		}
		got = append(got, whole-report.Explanations[0].Scores[i])
		want = append(want, scores(bag.Select(rest)))
	}
	enginetest.CheckNear(t, "score without an instance", got, want, 1e-5)
}
