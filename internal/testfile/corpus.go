package testfile

import (
	"encoding/json"
	"math"
	"path/filepath"
	"testing"
)

// A CorpusCase is a row of the table of files that every face of bagscope reads, see
// testdata/corpus/make.py.
type CorpusCase struct {
	Name        string // name of a subtest
	Model, File string // absolute paths
	Array       string // the array of features, or ""
	Index       int    // position of the bag in the file
	Instances   int
	Prediction  []float64 // probabilities of the classes, computed by NumPy
}

// CorpusCases returns the table.
func CorpusCases(t *testing.T) []CorpusCase {
	t.Helper()
	var cases []CorpusCase
	if err := json.Unmarshal(Read(t, "corpus/corpus.json"), &cases); err != nil {
		t.Fatal(err)
	}
	for i := range cases {
		c := &cases[i]
		c.Name = c.File
		if c.Array != "" {
			c.Name += "#" + c.Array
		}
		c.Model = filepath.Join(root(t), filepath.FromSlash(c.Model))
		c.File = filepath.Join(root(t), filepath.FromSlash(c.File))
	}
	return cases
}

// Corpus runs a test for each row of the table, and checks the prediction and the number of
// instances that predict returns. The tolerance is that of engines in float32.
func Corpus(t *testing.T, predict func(*testing.T, CorpusCase) (prediction []float64, k int)) {
	t.Helper()
	for _, c := range CorpusCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			got, k := predict(t, c)
			if k != c.Instances || len(got) != len(c.Prediction) {
				t.Fatalf("%d instances, want %d; prediction %v", k, c.Instances, got)
			}
			for i, want := range c.Prediction {
				if !(math.Abs(got[i]-want) <= 1e-6) {
					t.Fatalf("the prediction is %v, want %v", got, c.Prediction)
				}
			}
		})
	}
}
