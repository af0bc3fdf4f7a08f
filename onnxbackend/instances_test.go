package onnxbackend_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// TestClassifiersOfInstances pools the scores of scikit-learn's models of instances and compares
// the result with what scikit-learn predicts, pooled here. testdata/instances/export.py wrote both.
func TestClassifiersOfInstances(t *testing.T) {
	var expected struct {
		Bag    [][]float32
		Models map[string][][]float64 // (model, instance, class)
	}
	text := must.Get(os.ReadFile("testdata/instances/expected.json"))(t)
	must.Do(t, json.Unmarshal(text, &expected))
	must.Equal(t, len(expected.Models), 15)
	bag := &core.Bag{Shape: []int{len(expected.Bag[0])}, Values: slices.Concat(expected.Bag...)}
	for name, instances := range expected.Models {
		for pool, join := range map[string]func(column []float64) float64{
			"max": slices.Max[[]float64],
			"mean": func(column []float64) (sum float64) {
				for _, v := range column {
					sum += v / float64(len(column))
				}
				return sum
			},
		} {
			t.Run(name+"/"+pool, func(t *testing.T) {
				data := must.Get(os.ReadFile("testdata/instances/" + name + ".onnx"))(t)
				m := enginetest.Open(t, data, Options{Card: []byte(`{"pool": "` + pool + `"}`)})
				var want []float64
				for class := range instances[0] {
					var column []float64
					for _, scores := range instances {
						column = append(column, scores[class])
					}
					want = append(want, join(column))
				}
				got := must.Get(m.Predict(t.Context(), bag))(t)
				enginetest.CheckNear(t, "scores", got.Scores, want, 2e-5)
				// Distances are computed in a Scan over the instances.
				b := enginetest.Bind(t, m, bag, nil)
				if b.Strategy() == StrategyPlain && name != "neighbours" {
					t.Errorf("its instances are not encoded once: %q", b.Notes())
				}
			})
		}
	}
}
