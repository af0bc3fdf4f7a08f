package cohort

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// TestTables holds the tables to means that are worked out from the results line by line, and those
// to core/metric.
func TestTables(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	list := mixed(t, 30)
	run(t, Options{Manifest: manifest(t, list...), Out: out, Request: json.RawMessage(quickly)})
	files := outputs(t, out)
	scales := map[string]float64{}
	sums, counts, ndcg, judged := map[string]float64{}, map[string]float64{}, map[string]float64{},
		map[string]float64{}
	for _, r := range results(t, files["results.jsonl"]) {
		for _, row := range r.Summary {
			if row.Mean == nil {
				continue
			}
			key := strings.Join([]string{r.Model, r.Site, row.Method, row.Name}, "|")
			sums[key] += *row.Mean
			counts[key]++
			scales[key] = max(scales[key], row.Scale)
			if j, ok := row.Metrics[metric.NameNDCG]; ok {
				ndcg[key] += j.Value
				judged[key]++
			}
		}
	}
	rows := rowsOf(t, files["tables/cells.csv"])
	seen := 0
	for _, row := range rows {
		key := strings.Join([]string{row["model"], row["site"], row["method"], row["class"]}, "|")
		if row["method"] == metric.RowRandom || row["method"] == metric.RowOracle {
			continue
		}
		seen++
		near(t, key+" explanations", row["explanations"], counts[key])
		near(t, key+" score", row["score"], sums[key]/counts[key])
		near(t, key+" scale", row["scale"], scales[key])
		near(t, key+" ndcg_n", row["ndcg_n"], judged[key])
		if judged[key] > 0 {
			near(t, key+" ndcg", row["ndcg"], ndcg[key]/judged[key])
		}
	}
	must.Equal(t, seen, len(counts))
	must.Equal(t, seen != 0, true, seen, len(counts))
	total := 0.0
	for _, row := range rowsOf(t, files["tables/bags.csv"]) {
		total += parse(t, row["bags"])
	}
	must.Equal(t, total, 30)

	// One bag judged by hand: the labels of the line win over the file's.
	l := list[0].(Line)
	data := must.Get(os.ReadFile(repo(t, digits)))(t)
	engine := must.Get(onnxbackend.Open(data, onnxbackend.Options{}))(t)
	file := must.Get(os.ReadFile(repo(t, digitBags)))(t)
	set := must.Get(bagio.Read("bags.npz", file, ask.ReadOptions{}.Options(engine)))(t)
	bag := must.Get(set.Bag(0))(t)
	labels, inOrder := slices.Clone(bag.Labels), make([]int, bag.Len())
	for i := range labels {
		labels[i] = (labels[i] + 5) % 10 // other digits are the ones to find
		inOrder[i] = i
	}
	l.Labels = labels
	out = filepath.Join(t.TempDir(), "out")
	run(t, Options{Manifest: manifest(t, l), Out: out,
		Request: json.RawMessage(`{"methods":["single"]}`)})
	ev := must.Get(engine.Bind(t.Context(), bag))(t)
	report := must.Get(core.Explain(t.Context(), ev,
		core.Request{Methods: []core.Method{methods.Single{}}}))(t)
	for _, row := range results(t, outputs(t, out)["results.jsonl"])[0].Summary {
		if row.Method != "single" {
			continue
		}
		rel := metric.Relevances(labels, engine.Info().Truth, row.Class, engine.Info().Negative,
			false)
		want, ok := metric.NDCG(metric.Order(report.Explanations[row.Class].Scores, inOrder), rel)
		got, has := row.Metrics[metric.NameNDCG]
		if scale := draw.Scales(report)[row.Class].Own; row.Scale != scale || scale == 0 {
			t.Errorf("class %d: scale %v, want %v", row.Class, row.Scale, scale)
		}
		must.Equal(t, ok, has, row.Class, got.Value, want)
		must.Equal(t, math.Abs(got.Value-want) <= 1e-12, true, row.Class, got.Value, has, want, ok)
	}
}
