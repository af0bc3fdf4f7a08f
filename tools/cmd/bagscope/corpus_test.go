package main

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// TestCorpusGo reads the corpus by the Go packages.
func TestCorpusGo(t *testing.T) {
	testfile.Corpus(t, func(t *testing.T, c testfile.CorpusCase) ([]float64, int) {
		model := must.Get(os.ReadFile(c.Model))(t)
		m := must.Get(onnxbackend.Open(model, onnxbackend.Options{}))(t)
		data := must.Get(os.ReadFile(c.File))(t)
		o := bagio.Options{Array: c.Array, InstanceShape: m.Info().InstanceShape(),
			Places: m.Info().Places, Covariates: m.Info().Covariates,
			UsualColumns: m.Card().Columns}
		if p := m.Card().Patch; p != nil {
			o.Patch = bagio.PatchOptions{Size: p.Size}
		}
		set := must.Get(bagio.Read(filepath.Base(c.File), data, o))(t)
		bag := must.Get(set.Bag(c.Index))(t)
		in := &ask.Input{Engine: m, Set: set, Bag: bag}
		p := must.Get(ask.Predict(t.Context(), in, nil))(t)
		return scoresOf(p), bag.Len()
	})
}

// TestCorpusCommandLine reads the corpus by the command predict.
func TestCorpusCommandLine(t *testing.T) {
	testfile.Corpus(t, func(t *testing.T, c testfile.CorpusCase) ([]float64, int) {
		at := []string{"predict", "--model", c.Model, "--bag", c.File, "--index",
			strconv.Itoa(c.Index), "--json"}
		if c.Array != "" {
			at = append(at, "--array", c.Array)
		}
		var p ask.Prediction
		clitest.Decode(t, succeed(t, at...), &p)
		return scoresOf(&p), p.Bag.Instances
	})
}

// scoresOf returns the probabilities of a prediction.
func scoresOf(p *ask.Prediction) (scores []float64) {
	for _, c := range p.Classes {
		scores = append(scores, float64(c.Score))
	}
	return scores
}
