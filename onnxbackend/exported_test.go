package onnxbackend

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/valyala/fastjson"
)

// exported says how each architecture of testdata/zoo is evaluated, whatever exported it.
var exported = map[string]string{
	"gated_attention":      "attention",
	"multi_head_attention": "attention",
	"clam":                 "attention",
	"survival":             "attention",
	"pictures":             "attention",
	"conjunctive":          "mean",
	"regression":           "sum",
	"logsumexp":            "logsumexp",
	"top_mean":             "topk",
	// What an instance hands on depends on who else is there.
	"additive":         StrategyGathered,
	"dsmil":            StrategyGathered,
	"graph_affinity":   StrategyGathered,
	"graph_neighbours": StrategyGathered,
	"graph_sage":       StrategyGathered,
	"lstm":             StrategyGathered,
	"moments":          StrategyGathered,
	"set_transformer":  StrategyGathered,
	"transmil":         StrategyGathered,
}

// ordered are the architectures in which the places of instances count.
var ordered = map[string]bool{"lstm": true, "transmil": true}

// fixedSize are files whose exporter wrote the 7 instances that it was shown into the graph; other bags do not run in any runtime.
var fixedSize = map[string]bool{"set_transformer/legacy-17.onnx": true, "transmil/legacy-17.onnx": true}

// exportedModels calls f for each file of the zoo with its bags and PyTorch's outputs for them.
func exportedModels(t *testing.T, f func(t *testing.T, m *Model, architecture string, bags []*core.Bag, logits [][]float64)) {
	files, err := filepath.Glob(filepath.Join("testdata", "zoo", "*", "*.onnx"))
	if err != nil || len(files) < 5*len(exported)-6 {
		t.Fatalf("%d models: %v", len(files), err)
	}
	for _, file := range files {
		architecture := filepath.Base(filepath.Dir(file))
		name := architecture + "/" + filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m, err := Open(data, Options{})
			if err != nil {
				t.Fatal(err)
			}
			bags, logits := exportedBags(t, filepath.Join(filepath.Dir(file), "bags.json"), fixedSize[name])
			f(t, m, architecture, bags, logits)
		})
	}
}

// exportedBags reads the bags of an architecture, or only those of 7 instances.
func exportedBags(t *testing.T, file string, sevens bool) (bags []*core.Bag, logits [][]float64) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	v := fastjson.MustParseBytes(text)
	var shape []int
	for _, d := range v.GetArray("shape") {
		shape = append(shape, d.GetInt())
	}
	for _, b := range v.GetArray("bags") {
		if sevens && b.GetInt("instances") != 7 {
			continue
		}
		bag := &core.Bag{Name: "bag", Shape: shape}
		for _, x := range b.GetArray("values") {
			bag.Values = append(bag.Values, float32(x.GetFloat64()))
		}
		var want []float64
		for _, x := range b.GetArray("logits") {
			want = append(want, x.GetFloat64())
		}
		bags, logits = append(bags, bag), append(logits, want)
	}
	if len(bags) == 0 {
		t.Fatalf("%s holds no bags", file)
	}
	return bags, logits
}

// TestExported holds every file to PyTorch's outputs and names how its coalitions are evaluated.
func TestExported(t *testing.T) {
	exportedModels(t, func(t *testing.T, m *Model, architecture string, bags []*core.Bag, logits [][]float64) {
		for i, bag := range bags {
			p, err := m.Predict(context.Background(), bag)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "logits", p.Outputs[0].Data, logits[i], 1e-5)
			ev, err := m.Bind(context.Background(), bag)
			if err != nil {
				t.Fatal(err)
			}
			b := ev.(*Bound)
			if b.Strategy() != exported[architecture] {
				t.Errorf("strategy %s, want %s: %q", b.Strategy(), exported[architecture], b.Notes())
			}
			if want := ordered[architecture]; b.Ordered() != want || slices.Contains(b.Notes(), orderedNote) != want {
				t.Errorf("%d instances: ordered is %v, want %v: %q", bag.Len(), b.Ordered(), want, b.Notes())
			}
		}
	})
}
