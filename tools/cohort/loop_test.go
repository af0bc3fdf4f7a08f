package cohort

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/tools/answer"
)

var bags = flag.Int("bags", 48, "TestLoop: bags in the cohort; 10000 measures what the pipeline costs")

// digitLines are n lines about the bundled digits, each with a seed of its own.
func digitLines(t testing.TB, n int) []any {
	list := make([]any, n)
	for i := range n {
		seed := uint64(i)
		list[i] = Line{Model: repo(t, digits), Bag: repo(t, digitBags), Index: i % digitsCount, Seed: &seed}
	}
	return list
}

// loop is the slow twin: it explains the lines one after another on each of some goroutines, without Beam, a store or a
// cohort's caches, and returns the JSON of each.
func loop(t testing.TB, list []any, request string, workers int) [][]byte {
	t.Helper()
	data, err := os.ReadFile(repo(t, digits))
	if err != nil {
		t.Fatal(err)
	}
	engine, err := onnxbackend.Open(data, onnxbackend.Options{Name: "model.onnx", Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(repo(t, digitBags))
	if err != nil {
		t.Fatal(err)
	}
	set, err := bagio.Read("bags.npz", file, answer.Cut{}.Options(engine))
	if err != nil {
		t.Fatal(err)
	}
	out := make([][]byte, len(list))
	next := make(chan int)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for i := range next {
				var settings answer.Settings
				if err := json.Unmarshal([]byte(request), &settings); err != nil {
					t.Error(err)
				}
				l := list[i].(Line)
				settings.Seed, settings.Workers = *l.Seed, 1
				plan, err := settings.Plan()
				if err != nil {
					t.Error(err)
					continue
				}
				bag, err := set.Bag(l.Index)
				if err != nil {
					t.Error(err)
					continue
				}
				x, err := plan.Explain(t.Context(), &answer.Input{Engine: engine, Set: set, Index: l.Index, Bag: bag}, nil)
				if err != nil {
					t.Error(err)
					continue
				}
				var b bytes.Buffer
				if err := answer.WriteJSON(&b, x.JSON()); err != nil {
					t.Error(err)
				}
				out[i] = b.Bytes()
			}
		})
	}
	for i := range list {
		next <- i
	}
	close(next)
	all.Wait()
	return out
}

// TestLoop: a cohort has the bytes of a plain loop. It says what the pipeline costs over one.
func TestLoop(t *testing.T) {
	const request = `{"methods":["milli"],"samples":150}`
	list := digitLines(t, *bags)
	name := manifest(t, list...)
	workers := runtime.GOMAXPROCS(0)
	begin := time.Now()
	want := loop(t, list, request, workers)
	plain := time.Since(begin)
	for _, runner := range []string{"prism", "direct"} {
		o := Options{Manifest: name, Out: filepath.Join(t.TempDir(), "out"), Request: json.RawMessage(request), Metrics: []string{}, Runner: runner}
		begin = time.Now()
		run(t, o)
		took := time.Since(begin)
		begin = time.Now()
		run(t, o)
		t.Logf("%d bags, %d workers: a loop %.1f ms a bag, %s %.1f ms, %.2f of it; all found by the next run, %.2f ms", len(list), workers,
			ms(plain, len(list)), runner, ms(took, len(list)), took.Seconds()/plain.Seconds(), ms(time.Since(begin), len(list)))
		file, err := os.Open(filepath.Join(o.Out, "results.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<24)
		for i := range list {
			if !lines.Scan() {
				t.Fatalf("%s: line %d is missing: %v", runner, i, lines.Err())
			}
			var r struct{ Explanation json.RawMessage }
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil || string(r.Explanation)+"\n" != string(want[i]) {
				t.Fatalf("%s, line %d: %v\n%.300s\nwant\n%.300s", runner, i, err, r.Explanation, want[i])
			}
		}
	}
}

func ms(d time.Duration, n int) float64 { return float64(d.Microseconds()) / 1000 / float64(n) }

// TestTables holds the tables to means that are worked out from the results line by line, and those to core/metric.
func TestTables(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	list := mixed(t, 30)
	run(t, Options{Manifest: manifest(t, list...), Out: out, Request: json.RawMessage(quickly)})
	files := outputs(t, out)
	sums, counts, ndcg, judged := map[string]float64{}, map[string]float64{}, map[string]float64{}, map[string]float64{}
	for _, r := range results(t, files["results.jsonl"]) {
		for _, row := range r.Summary {
			if row.Mean == nil {
				continue
			}
			key := strings.Join([]string{r.Model, r.Site, row.Method, row.Name}, "|")
			sums[key] += *row.Mean
			counts[key]++
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
		near(t, key+" ndcg_n", row["ndcg_n"], judged[key])
		if judged[key] > 0 {
			near(t, key+" ndcg", row["ndcg"], ndcg[key]/judged[key])
		}
	}
	if seen != len(counts) || seen == 0 {
		t.Errorf("%d cells in the table, %d in the results", seen, len(counts))
	}
	total := 0.0
	for _, row := range rowsOf(t, files["tables/bags.csv"]) {
		total += parse(t, row["bags"])
	}
	if total != 30 {
		t.Errorf("%v bags in all", total)
	}

	// One bag judged by hand: the labels of the line win over the file's.
	l := list[0].(Line)
	data, err := os.ReadFile(repo(t, digits))
	if err != nil {
		t.Fatal(err)
	}
	engine, err := onnxbackend.Open(data, onnxbackend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(repo(t, digitBags))
	if err != nil {
		t.Fatal(err)
	}
	set, err := bagio.Read("bags.npz", file, answer.Cut{}.Options(engine))
	if err != nil {
		t.Fatal(err)
	}
	bag, err := set.Bag(0)
	if err != nil {
		t.Fatal(err)
	}
	labels, inOrder := slices.Clone(bag.Labels), make([]int, bag.Len())
	for i := range labels {
		labels[i] = (labels[i] + 5) % 10 // other digits are the ones to find
		inOrder[i] = i
	}
	l.Labels = labels
	out = filepath.Join(t.TempDir(), "out")
	run(t, Options{Manifest: manifest(t, l), Out: out, Request: json.RawMessage(`{"methods":["single"]}`)})
	ev, err := engine.Bind(t.Context(), bag)
	if err != nil {
		t.Fatal(err)
	}
	report, err := core.Explain(t.Context(), ev, core.Request{Methods: []core.Method{core.Single{}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range results(t, outputs(t, out)["results.jsonl"])[0].Summary {
		if row.Method != "single" {
			continue
		}
		rel := metric.Relevances(labels, engine.Info().Truth, row.Class, engine.Info().Negative, false)
		want, ok := metric.NDCG(metric.Order(report.Explanations[row.Class].Scores, inOrder), rel)
		got, has := row.Metrics[metric.NameNDCG]
		if ok != has || math.Abs(got.Value-want) > 1e-12 {
			t.Errorf("class %d: NDCG %v (%v), want %v (%v)", row.Class, got.Value, has, want, ok)
		}
	}
}
