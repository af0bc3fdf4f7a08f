//go:build unix

package cohort

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/tools/service/query"
)

var bags = flag.Int("bags", 48,
	"TestLoop: bags in the cohort; 10000 measures what the pipeline costs")

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
	set, err := bagio.Read("bags.npz", file, query.Cut{}.Options(engine))
	if err != nil {
		t.Fatal(err)
	}
	out := make([][]byte, len(list))
	next := make(chan int)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for i := range next {
				var settings query.Settings
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
				in, err := query.NewInput(t.Context(), engine, set, l.Index)
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
				if err := query.WriteJSON(&b, x.JSON()); err != nil {
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

// A cohort has the bytes of a loop over explain. The test logs the overhead of the pipeline.
func TestLoop(t *testing.T) {
	const request = `{"methods":["milli"],"samples":150}`
	list := digitLines(t, *bags)
	name := manifest(t, list...)
	workers := runtime.GOMAXPROCS(0)
	begin, used := time.Now(), processor(t)
	want := loop(t, list, request, workers)
	plain, plainUsed := time.Since(begin), processor(t)-used
	for _, runner := range []string{"prism", "direct"} {
		o := Options{Manifest: name, Out: filepath.Join(t.TempDir(), "out"),
			Request: json.RawMessage(request), Metrics: []string{}, Runner: runner}
		begin, used = time.Now(), processor(t)
		run(t, o)
		took, tookUsed := time.Since(begin), processor(t)-used
		begin, used = time.Now(), processor(t)
		run(t, o)
		again, againUsed := time.Since(begin), processor(t)-used
		t.Logf("%d bags, %d workers, ms a bag (of processor time): a loop %.1f (%.2f); %s %.1f "+
			"(%.2f), %.2f times (%.2f times); all of it found by the next run %.2f (%.2f)",
			len(list), workers, ms(plain, len(list)), ms(plainUsed, len(list)), runner, ms(took,
				len(list)), ms(tookUsed, len(list)),
			took.Seconds()/plain.Seconds(), tookUsed.Seconds()/plainUsed.Seconds(), ms(again,
				len(list)), ms(againUsed, len(list)))
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
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil ||
				string(r.Explanation)+"\n" != string(want[i]) {
				t.Fatalf("%s, line %d: %v\n%.300s\nwant\n%.300s", runner, i, err, r.Explanation,
					want[i])
			}
		}
	}
}

func ms(d time.Duration, n int) float64 { return float64(d.Microseconds()) / 1000 / float64(n) }

// processor is the time that this process has had of all processors, which other programs do not
// lengthen as they do the time on the clock.
func processor(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
