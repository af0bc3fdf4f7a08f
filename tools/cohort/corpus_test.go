package cohort

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
)

// TestCorpus explains every file of the corpus in one cohort.
func TestCorpus(t *testing.T) {
	var lines []any
	for _, c := range testfile.CorpusCases(t) {
		lines = append(lines, Line{Model: c.Model, Bag: c.File, Index: c.Index,
			Request: fmt.Appendf(nil, `{"array":%q}`, c.Array)})
	}
	out := filepath.Join(t.TempDir(), "out")
	run(t, Options{Manifest: manifest(t, lines...), Out: out,
		Request: json.RawMessage(`{"methods":["single"]}`)})
	text := must.Get(os.ReadFile(filepath.Join(out, "results.jsonl")))(t)
	list := results(t, string(text))
	if len(list) != len(lines) {
		failed, _ := os.ReadFile(filepath.Join(out, "dead-letters.jsonl"))
		t.Fatalf("%d of %d lines have a result:\n%s", len(list), len(lines), failed)
	}
	testfile.Corpus(t, func(t *testing.T, c testfile.CorpusCase) ([]float64, int) {
		var got struct {
			Bag        struct{ Instances int }
			Prediction []float64
		}
		must.Do(t, json.Unmarshal(list[0].Explanation, &got))
		list = list[1:]
		return got.Prediction, got.Bag.Instances
	})
}
