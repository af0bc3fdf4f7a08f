package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
)

// TestExample writes the bundled example again.
func TestExample(t *testing.T) {
	folder := t.TempDir()
	must.Do(t, write(folder))
	for _, name := range []string{"model.onnx", "bags.npz"} {
		got := must.Get(os.ReadFile(filepath.Join(folder, name)))(t)
		want := must.Get(os.ReadFile(filepath.Join("../../../examples/machine", name)))(t)
		must.EqualSlices(t, got, want, name)
	}
}

func TestModelClassifiesBagsOfOtherSeeds(t *testing.T) {
	m := must.Get(onnxbackend.Open(model(), onnxbackend.Options{}))(t)
	for seed := range uint64(50) {
		for _, bag := range newBags(seed) {
			p := must.Get(m.Predict(t.Context(), bag))(t)
			if got := slices.Index(p.Scores, slices.Max(p.Scores)); got != bag.Class[0] {
				t.Errorf("seed %d, %s: class %d, want %d (%v)", seed, bag.Name, got, bag.Class[0],
					p.Scores)
			}
		}
	}
}

func TestMeasurementsMatchTheirLabels(t *testing.T) {
	for _, bag := range newBags(9) {
		must.Do(t, bag.Validate())
		for i, label := range bag.Labels {
			tooHot, tooShaky := bag.Values[2*i] > 1.8, bag.Values[2*i+1] > 1.8
			must.Equal(t, tooHot, label == hot, bag.Name, i, label)
			must.Equal(t, tooShaky, label == worn, bag.Name, i, label)
		}
	}
}
