package study

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
	"github.com/bagscope/bagscope/tools/train/dataset"
)

// knownStudy studies a set under a network that knows the labels of its instances.
func knownStudy(t *testing.T, set *dataset.Set, limit int) map[string]map[string]metric.Stat {
	t.Helper()
	methods := must.Get(methods.New([]string{"single", "combined", "random_shap", "milli"},
		set.Settings.Options))(t)
	m := &oracle{truth: set.Truth, scale: set.Scale}
	r := run(t, Options{
		Set: set, Models: []File{{Architectures()[1], 0, "knower"}}, Limit: limit,
		Open: func(_ context.Context, path string) (core.Model, string, error) {
			return m, path, nil
		},
		Job: Job{Truth: set.Truth, Methods: methods,
			Judging: metric.Options{Metrics: []string{metric.NameNDCG, metric.NameAOPCR}}},
	})
	out := map[string]map[string]metric.Stat{}
	for _, table := range r.Tables() {
		out[table.Metric.Name] = map[string]metric.Stat{}
		for _, row := range table.Rows {
			out[table.Metric.Name][row.Method] = row.Overall
		}
	}
	return out
}

// TestStudyOfSeveralLabels checks recordings with several species, half of whose instances have no
// label. The truth of each species judges its own explanations.
func TestStudyOfSeveralLabels(t *testing.T) {
	folder := filepath.Dir(testfile.Restricted(t, "data/birdsong"))
	set := must.Get(dataset.Open("birdsong", folder, dataset.Options{}))(t)
	const bags = 12
	got := knownStudy(t, set, bags)
	single, random := got[metric.NameNDCG]["single"], got[metric.NameNDCG][metric.RowRandom]
	if single.Mean < .999 || random.Mean > .8 || single.N <= bags ||
		single.N >= bags*len(set.Classes)/2 {
		t.Errorf("NDCG: Single %+v, a random order %+v", single, random)
	}
	must.Equal(t, got[metric.NameAOPCR]["single"].N, bags*len(set.Classes))
}

// TestStudyOfRegression explains and judges the number of 8s on its own scale.
func TestStudyOfRegression(t *testing.T) {
	set := must.Get(dataset.Open("counting", "", dataset.Options{Train: 1, Validation: 1,
		Test: 12}))(t)
	got := knownStudy(t, set, 0)
	for _, method := range []string{"single", "combined", "random_shap", "milli"} {
		// The score is a quarter of the count, so that a bag of n loses n/4 to the best order, half
		// of it to a random one.
		if ndcg, aopcr := got[metric.NameNDCG][method].Mean,
			got[metric.NameAOPCR][method].Mean; ndcg < .999 || aopcr < .2 {
			t.Errorf("%s has NDCG@n %.3f and AOPC-R %.3f", method, ndcg, aopcr)
		}
	}
}
