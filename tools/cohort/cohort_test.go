package cohort

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// TestMain runs the tests, or a cohort for a test that is to kill it.
func TestMain(m *testing.M) {
	flag.Parse()
	beam.Init()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	log.SetLogger(&log.Standard{Level: log.SevFatal})
	if options := os.Getenv("BAGSCOPE_COHORT"); options != "" {
		var o Options
		if err := json.Unmarshal([]byte(options), &o); err != nil {
			panic(err)
		}
		hold, _ := strconv.ParseInt(os.Getenv("BAGSCOPE_HOLD"), 10, 64)
		// The process says that it reads the deadly file, and waits for its end. After as many bags
		// as BAGSCOPE_HOLD, if it is set, it also waits.
		testHookRead = func(name string) {
			if hold > 0 && progress.done.Load() >= hold {
				select {}
			}
			if name == os.Getenv("BAGSCOPE_DEADLY") {
				fmt.Println("reads")
				select {}
			}
		}
		if _, err := Run(context.Background(), o); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(inFolder(m.Run))
}

// inFolder runs with a temporary folder of its own, in which Beam leaves an empty one at each run.
func inFolder(run func() int) int {
	folder, err := os.MkdirTemp("", "cohort-*")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	os.Setenv("TMPDIR", folder)
	return run()
}

// repo returns where a file of the repository is.
func repo(t testing.TB, name string) string {
	t.Helper()
	return must.Get(filepath.Abs(filepath.Join("..", "..", filepath.FromSlash(name))))(t)
}

const (
	digits      = "examples/digits/model.onnx"
	digitBags   = "examples/digits/bags.npz" // six
	tiny        = "wasm/parity/testdata/tiny.onnx"
	tinyBags    = "wasm/parity/testdata/tiny.csv"
	quickly     = `{"methods":["milli","single"],"samples":40}`
	digitsCount = 6
)

// manifest writes lines, of which those that are no strings become JSON, and returns the file's
// name.
func manifest(t testing.TB, lines ...any) string {
	t.Helper()
	var b bytes.Buffer
	for _, l := range lines {
		if text, ok := l.(string); ok {
			b.WriteString(text + "\n")
			continue
		}
		b.Write(mustJSON(l))
		b.WriteByte('\n')
	}
	name := filepath.Join(t.TempDir(), "manifest.jsonl")
	must.Do(t, os.WriteFile(name, b.Bytes(), 0o600))
	return name
}

// mixed returns n lines of two models and two sites, each with a seed of its own.
func mixed(t testing.TB, n int) []any {
	var list []any
	for i := range n {
		seed := uint64(i)
		l := Line{Model: repo(t, digits), Bag: repo(t, digitBags), Index: i % digitsCount,
			Site: []string{"Ulm", "Graz, Süd"}[i/3%2], Seed: &seed}
		if i%4 == 3 {
			l.Model, l.Bag, l.Index = repo(t, tiny), repo(t, tinyBags), i/4%3
		}
		list = append(list, l)
	}
	return list
}

func run(t testing.TB, o Options) *Summary {
	t.Helper()
	if o.Out == "" {
		o.Out = filepath.Join(t.TempDir(), "out")
	}
	return must.Get(Run(t.Context(), o))(t)
}

// outputs returns what a run wrote, by name, all but the records.
func outputs(t testing.TB, out string) map[string]string {
	t.Helper()
	files := map[string]string{}
	must.Do(t, fs.WalkDir(os.DirFS(out), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(name, "bags/") {
			return err
		}
		data, err := os.ReadFile(filepath.Join(out, name))
		files[name] = string(data)
		return err
	}))
	return files
}

// same compares what two runs wrote.
func same(t testing.TB, what string, got, want map[string]string) {
	t.Helper()
	must.Equal(t, len(want) >= 9, true, what, len(got), len(want))
	must.Equal(t, len(got), len(want), what)
	for name := range want {
		must.Equal(t, got[name], want[name], what, name)
	}
}

// results reads the lines of a file of results.
func results(t testing.TB, text string) []result {
	t.Helper()
	var list []result
	for line := range strings.Lines(text) {
		var r result
		must.Do(t, json.Unmarshal([]byte(line), &r))
		list = append(list, r)
	}
	return list
}

// letters reads the dead letters.
func letters(t testing.TB, text string) []failure {
	t.Helper()
	var list []failure
	for line := range strings.Lines(text) {
		var f failure
		must.Do(t, json.Unmarshal([]byte(line), &f))
		list = append(list, f)
	}
	return list
}

// TestWorkers: no byte of the output depends on the workers, the batches or the engine in this
// process.
func TestWorkers(t *testing.T) {
	name := manifest(t, append(mixed(t, 41), Line{Model: "gone.onnx", Bag: "b"}, "{",
		Line{Model: repo(t, digits), Bag: repo(t, tinyBags)})...)
	o := Options{Manifest: name, Request: json.RawMessage(quickly),
		Metrics: []string{"ndcg", "aopc-r"}, PerFile: 20}
	var want map[string]string
	for _, c := range []struct {
		name           string
		workers, batch int
		runner         string
	}{
		{"one worker", 1, 0, ""}, {"five workers", 5, 0, ""}, {"batches of one", 3, 1, ""},
		{"one batch", 4, 1000, ""}, {"direct", 2, 7, "direct"},
	} {
		o.Out, o.Workers, o.Batch, o.Runner = filepath.Join(t.TempDir(), "out"), c.workers, c.batch,
			c.runner
		if s := run(t, o); s.Lines != 44 || s.Finished != 41 || s.Failed != 3 ||
			s.Kinds["file"] != 1 || s.Kinds["manifest"] != 1 || s.Kinds["bag"] != 1 {
			t.Fatalf("%s: %+v", c.name, s)
		}
		got := outputs(t, o.Out)
		if want == nil {
			want = got
		}
		same(t, c.name, got, want)
	}
	last := 0
	for _, name := range []string{"results-00000.jsonl", "results-00001.jsonl",
		"results-00002.jsonl"} {
		for _, r := range results(t, want[name]) {
			if r.Line != last+1 {
				t.Errorf("%s: line %d follows %d", name, r.Line, last)
			}
			last = r.Line
		}
	}
	must.Equal(t, last, 41)
}

// TestWithoutRequest runs with the defaults, whether a program states no request or an empty one.
func TestWithoutRequest(t *testing.T) {
	for _, runner := range []string{"prism", "direct"} {
		for name, request := range map[string]json.RawMessage{"none": nil, "empty": {}} {
			t.Run(runner+"/"+name, func(t *testing.T) {
				s := run(t, Options{Manifest: manifest(t, mixed(t, 1)...), Runner: runner,
					Request: request})
				must.Equal(t, s.Finished, 1, s)
			})
		}
	}
}

// TestModelsAreOpenedOnce, however many batches name them.
func TestModelsAreOpenedOnce(t *testing.T) {
	models = lru[*model]{capacity: models.capacity}
	before := opened.Load()
	run(t, Options{Manifest: manifest(t, mixed(t, 24)...), Request: json.RawMessage(quickly),
		Workers: 4, Batch: 1})
	must.Equal(t, (opened.Load() - before), 2)
}

// rowsOf reads a table, each row by its columns.
func rowsOf(t testing.TB, text string) []map[string]string {
	t.Helper()
	all := must.Get(csv.NewReader(strings.NewReader(text)).ReadAll())(t)
	var rows []map[string]string
	for _, cells := range all[1:] {
		row := map[string]string{}
		for i, cell := range cells {
			row[all[0][i]] = cell
		}
		rows = append(rows, row)
	}
	return rows
}

func parse(t testing.TB, text string) float64 {
	t.Helper()
	return must.Get(strconv.ParseFloat(text, 64))(t)
}

// near wants a cell to hold a number up to rounding.
func near(t testing.TB, what, cell string, want float64) {
	t.Helper()
	must.Equal(t, math.Abs(parse(t, cell)-want) <= 1e-12*math.Max(1, math.Abs(want)), true, what,
		want)
}

// TestFoldsOfCohort explains a bag by the models of a folder, as one, and by a folder without any.
// The name of the folder is a pattern of other names, and a card names a file that is no fold.
func TestFoldsOfCohort(t *testing.T) {
	bag := repo(t, "examples/digits/bags.npz")
	folds := filepath.Join(t.TempDir(), "m[1]")
	must.Do(t, os.CopyFS(folds, os.DirFS(repo(t, "examples/digits/folds"))))
	for name, text := range map[string]string{"encoder.onnx": "is no model of bags",
		"slides.bagscope.json": `{"encoder": "encoder.onnx"}`} {
		must.Do(t, os.WriteFile(filepath.Join(folds, name), []byte(text), 0o666))
	}
	o := Options{Manifest: manifest(t, Line{Model: folds, Bag: bag},
		Line{Model: t.TempDir(), Bag: bag}), Out: filepath.Join(t.TempDir(), "out"),
		Request: json.RawMessage(`{"methods":["one_removed"]}`)}
	s := run(t, o)
	must.Equal(t, s.Finished, 1)
	files := outputs(t, o.Out)
	var x ask.Explanation
	must.Do(t, json.Unmarshal(results(t, files["results.jsonl"])[0].Explanation, &x))
	must.Equal(t, len(x.Folds), 5)
	must.Equal(t, len(x.Explanations[0].Folds.Scores), 5)
	must.Contain(t, files["dead-letters.jsonl"], "a folder without .onnx files")
}
