package cohort

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/service/jsontext"
)

// digitLines are n lines about the bundled digits, each with a seed of its own.
func digitLines(t testing.TB, n int) []any {
	list := make([]any, n)
	for i := range n {
		seed := uint64(i)
		list[i] = Line{Model: repo(t, digits), Bag: repo(t, digitBags), Index: i % digitsCount,
			Seed: &seed}
	}
	return list
}

// loop is the slow twin: it explains the lines one after another on each of some goroutines,
// without Beam, a store or a cohort's caches, and returns the JSON of each.
func loop(t testing.TB, list []any, request string, workers int) [][]byte {
	t.Helper()
	data := must.Get(os.ReadFile(repo(t, digits)))(t)
	engine := must.Get(onnxbackend.Open(data, onnxbackend.Options{Name: "model.onnx",
		Workers: 1}))(t)
	file := must.Get(os.ReadFile(repo(t, digitBags)))(t)
	set := must.Get(bagio.Read("bags.npz", file, ask.ReadOptions{}.Options(engine)))(t)
	out := make([][]byte, len(list))
	next := make(chan int)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for i := range next {
				var settings ask.Settings
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
				in, err := ask.NewInput(t.Context(), engine, set, l.Index)
				if err != nil {
					t.Error(err)
					continue
				}
				x, err := plan.Explain(t.Context(), in, nil)
				if err != nil {
					t.Error(err)
					continue
				}
				var b bytes.Buffer
				if err := jsontext.Write(&b, x.JSON()); err != nil {
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

const loopRequest = `{"methods":["milli"],"samples":150}`

// A cohort has the bytes of a loop over explain.
func TestLoop(t *testing.T) {
	list := digitLines(t, 48)
	name := manifest(t, list...)
	want := loop(t, list, loopRequest, runtime.GOMAXPROCS(0))
	for _, runner := range []string{"prism", "direct"} {
		o := Options{Manifest: name, Out: filepath.Join(t.TempDir(), "out"),
			Request: json.RawMessage(loopRequest), Metrics: []string{}, Runner: runner}
		run(t, o)
		file := must.Get(os.Open(filepath.Join(o.Out, "results.jsonl")))(t)
		defer file.Close()
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<24)
		for i := range list {
			if !lines.Scan() {
				t.Fatalf("%s: line %d is missing: %v", runner, i, lines.Err())
			}
			var r struct{ Explanation json.RawMessage }
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil ||
				string(r.Explanation)+"\n" != string(want[i]) {
				t.Fatalf("%s, line %d: %v\n%.300s\nwant\n%.300s", runner, i, err, r.Explanation,
					want[i])
			}
		}
	}
}
