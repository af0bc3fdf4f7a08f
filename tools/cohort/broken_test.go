package cohort

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/must"
)

// TestDeadLetters puts 1 % of broken inputs of many sorts into a cohort. Each ends in the dead
// letters with its kind, and none of the others does.
func TestDeadLetters(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(folder, name)
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	good := func(i int) Line {
		return Line{Model: repo(t, tiny), Bag: repo(t, tinyBags), Index: i % 3, Site: "A"}
	}
	change := func(f func(l *Line)) Line {
		l := good(0)
		f(&l)
		return l
	}
	npz := must.Get(os.ReadFile(repo(t, digitBags)))(t)
	broken := []struct {
		line       any
		kind, says string
	}{
		{`{"model":`, "manifest", "unexpected EOF"},
		{`{"model":"m","bag":"b","colour":"red"}`, "manifest", "colour"},
		{change(func(l *Line) { l.Model = "nowhere.onnx" }), "file", "nowhere.onnx"},
		{change(func(l *Line) { l.Bag = "nowhere.csv" }), "file", "nowhere.csv"},
		{change(func(l *Line) { l.Bag = "ftp://example.org/b.npz" }), "file", "ftp"},
		{change(func(l *Line) { l.Bag = os.DevNull }), "file", "pipe or device"},
		{change(func(l *Line) { l.Model = os.DevNull }), "file", "pipe or device"},
		{change(func(l *Line) { l.Model = write("broken.onnx", "no model") }), "format", ""},
		{change(func(l *Line) {
			l.Model, l.Bag = repo(t, digits),
				write("cut.npz", string(npz[:len(npz)/2]))
		}), "format", ""},
		{change(func(l *Line) { l.Bag = repo(t, digitBags) }), "bag", "shape"},
		{change(func(l *Line) { l.Bag = write("nan.csv", "bag,a,b\n1,2,NaN\n") }), "bag", ""},
		{change(func(l *Line) { l.Index = 1000 }), "setting", "no bag 1000"},
		{change(func(l *Line) { l.Request = json.RawMessage(`{"samples":0}`) }), "setting",
			"must be at least 1"},
		{change(func(l *Line) { l.Request = json.RawMessage(`{"sample":9}`) }), "setting",
			"sample"},
		{change(func(l *Line) { l.Request = json.RawMessage(`{"class":"purple"}`) }), "setting",
			"purple"},
		{change(func(l *Line) { l.Index, l.Request = 1, json.RawMessage(`{"budget":1}`) }),
			"budget", ""},
		{change(func(l *Line) { l.Index, l.Labels = 1, []int{1} }), "bag", "1 instance labels"},
	}
	n := 100 * len(broken)
	list := make([]any, n)
	for i := range n {
		list[i] = good(i)
		if i%100 == 57 {
			list[i] = broken[i/100].line
		}
	}
	out := filepath.Join(folder, "out")
	s := run(t, Options{Manifest: manifest(t, list...), Out: out,
		Request: json.RawMessage(`{"methods":["single"]}`), Workers: 2})
	if s.Lines != int64(n) || s.Failed != int64(len(broken)) || s.Finished != int64(n-len(broken)) {
		t.Errorf("%+v", s)
	}
	dead := letters(t, outputs(t, out)["dead-letters.jsonl"])
	must.Equal(t, len(dead), len(broken))
	kinds := map[string]int64{}
	for i, want := range broken {
		kinds[want.kind]++
		if f := dead[i]; f.Line != 100*i+58 || f.Kind != want.kind ||
			!strings.Contains(f.Reason, want.says) || f.Reason == "" {
			t.Errorf("letter %d: %+v, want kind %s, a reason with %q", i, f, want.kind, want.says)
		}
	}
	must.Equal(t, fmt.Sprint(s.Kinds), fmt.Sprint(kinds), s.Kinds, kinds)
}

// A panic of the program fails one bag and does not end the run.
func TestPanic(t *testing.T) {
	if _, _, err := (&config{}).work(t.Context(), nil); failureKind(err) != "internal" {
		t.Errorf("%v is of kind %q", err, failureKind(err))
	}
}

// TestRunFails where results cannot be written, which is no bag's fault.
func TestRunFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(file, nil, 0o600))
	for _, runner := range []string{"prism", "direct"} {
		_, err := Run(t.Context(), Options{Manifest: manifest(t, mixed(t, 3)...),
			Out: filepath.Join(file, "out"), Request: json.RawMessage(quickly), Runner: runner})
		must.Equal(t, err != nil, true, runner, err)
		must.Equal(t, strings.Contains(err.Error(), "file"), true, runner, err)
		must.Equal(t, strings.Contains(err.Error(), "\n"), false, runner, err)
	}
}

func TestOptions(t *testing.T) {
	name := manifest(t, mixed(t, 1)...)
	for _, c := range []struct {
		o      Options
		option string
	}{
		{Options{Out: "o"}, "manifest"}, {Options{Manifest: name}, "out"},
		{Options{Manifest: name, Out: "o", Runner: "mars"}, "runner"},
		{Options{Manifest: name, Out: "o", Runner: "flink"}, "endpoint"},
		{Options{Manifest: name, Out: "o", Runner: "spark"}, "endpoint"},
		{Options{Manifest: name, Out: "o", Runner: "dataflow"}, "runner"},
		{Options{Manifest: name, Out: "o", Metrics: []string{"luck"}}, "metrics"},
		{Options{Manifest: name, Out: "o", Request: json.RawMessage(`{"alpha":2}`)}, "request"},
		{Options{Manifest: name, Out: "o", Request: json.RawMessage(`{"methods":["luck"]}`)},
			"request"},
		{Options{Manifest: name, Out: "o", Workers: -1}, "workers"},
		{Options{Manifest: name, Out: "o", Memory: -1}, "memory"},
		{Options{Manifest: name, Out: "o", Batch: -1}, "batch"},
		{Options{Manifest: name, Out: "o", PerFile: -1}, "lines-per-file"},
		{Options{Manifest: name, Out: "s3://b/out[1]"}, "out"},
	} {
		if _, err := Run(t.Context(), c.o); err == nil ||
			!strings.HasPrefix(err.Error(), "--"+c.option+" ") {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
	*jobopts.EnvironmentType, *jobopts.Endpoint = "PROCESS", "localhost:1"
	defer func() { *jobopts.EnvironmentType, *jobopts.Endpoint = "", "" }()
	if _, err := Run(t.Context(), Options{Manifest: name, Out: "o", Runner: "flink"}); err == nil ||
		!strings.HasPrefix(err.Error(), "--environment_config ") {
		t.Error(err)
	}
}

// TestChangedFile checks that a file that is replaced between its hash and its decoding is not
// used.
func TestChangedFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "bags.csv")
	for _, changed := range []bool{false, true} {
		must.Do(t, os.WriteFile(name, []byte("bag,f1\na,1\n"), 0o600))
		f, err := readLocal(t.Context(), name, Layout{}, bagio.Options{})
		must.Do(t, err)
		if changed {
			must.Do(t, os.WriteFile(name, []byte("bag,f1\na,2\na,3\n"), 0o600))
		}
		_, err = f.set()
		if changed != errors.As(err, new(*FileError)) || !changed && err != nil {
			t.Errorf("changed %v: %v", changed, err)
		}
	}
}
