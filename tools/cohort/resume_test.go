package cohort

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
)

// records returns the finished bags of a folder, each with the time at which it was written.
func records(t testing.TB, out string) map[string]time.Time {
	t.Helper()
	found := map[string]time.Time{}
	must.Do(t, fs.WalkDir(os.DirFS(out), "bags", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".json") {
			return nil // it may be written just now
		}
		info, err := d.Info()
		if err == nil {
			found[name] = info.ModTime()
		}
		return err
	}))
	return found
}

// TestKilled kills a run in the middle. The next one explains none of the bags that were finished,
// and ends with the bytes of a run that nobody killed.
func TestKilled(t *testing.T) {
	const bags = 120
	o := Options{Manifest: manifest(t, mixed(t, bags)...),
		Request: json.RawMessage(`{"methods":["all"],"samples":300}`), Workers: 2, Batch: 8}
	o.Out = filepath.Join(t.TempDir(), "whole")
	run(t, o)
	want := outputs(t, o.Out)
	all := records(t, o.Out)

	o.Out = filepath.Join(t.TempDir(), "killed")
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), "BAGSCOPE_COHORT="+string(mustJSON(o)),
		fmt.Sprint("BAGSCOPE_HOLD=", bags/5))
	must.Do(t, child.Start())
	for end := time.Now().Add(patience); len(records(t, o.Out)) < bags/5; time.Sleep(
		time.Millisecond) {
		must.Equal(t, time.Now().After(end), false, "the run finishes no bags")
	}
	child.Process.Kill()
	child.Wait()
	before := records(t, o.Out)
	must.Equal(t, len(before) != 0, true, len(before), len(all))
	must.Equal(t, len(before) < len(all), true, len(before), len(all))
	must.Fail(t, must.Err(os.Stat(filepath.Join(o.Out, "results.jsonl"))))
	run(t, o)
	same(t, "after the kill", outputs(t, o.Out), want)
	after := records(t, o.Out)
	must.Equal(t, len(after), len(all))
	for name, when := range before {
		must.Equal(t, after[name].Equal(when), true, name)
	}
	left, err := fs.Glob(os.DirFS(o.Out), "bags/*/.writing-*")
	must.Do(t, err, left)
	must.Equal(t, len(left) <= 0, true, left)
}

// A record with one changed digit is not reused. The bag is explained again, with the same result.
func TestChangedRecordIsExplainedAgain(t *testing.T) {
	o := Options{Manifest: manifest(t, mixed(t, 6)...), Out: filepath.Join(t.TempDir(), "out"),
		Request: json.RawMessage(`{"methods":["milli"],"samples":50}`)}
	run(t, o)
	want := outputs(t, o.Out)
	all := records(t, o.Out)
	digit := regexp.MustCompile(`0\.\d{3}`)
	for name := range all {
		path := filepath.Join(o.Out, name)
		data := must.Get(os.ReadFile(path))(t)
		at := digit.FindIndex(data)
		must.Equal(t, at != nil, true, data)
		data[at[1]-1] = '0' + (data[at[1]-1]-'0'+1)%10
		must.Do(t, os.WriteFile(path, data, 0o600))
		break
	}
	if run(t, o); progress.reused.Load() != int64(len(all)-1) {
		t.Errorf("%d of %d records are reused", progress.reused.Load(), len(all))
	}
	same(t, "after a digit was changed", outputs(t, o.Out), want)
}

// A record is reused exactly if nothing that it depends on has changed.
func TestReuse(t *testing.T) {
	folder, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	copyFile := func(from, to string) {
		data := must.Get(os.ReadFile(repo(t, from)))(t)
		must.Do(t, os.WriteFile(filepath.Join(folder, to), data, 0o600))
	}
	copyFile(tiny, "m.onnx")
	copyFile(tinyBags, "b.csv")
	name := filepath.Join(folder, "manifest.csv")
	ask := func(text string, o Options) (reused int64) {
		t.Helper()
		// as another process
		models, bagFiles = lru[*model]{capacity: models.capacity},
			lru[*bagFile]{capacity: bagFiles.capacity}
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
		o.Manifest, o.Out = name, out
		if s := run(t, o); s.Failed > 0 {
			t.Fatalf("%+v", s)
		}
		return progress.reused.Load()
	}
	two := "model,bag,index\nm.onnx,b.csv,0\nm.onnx,b.csv,1\n"
	expect := func(what string, got, want int64) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %d bags were there, want %d", what, got, want)
		}
	}
	expect("nothing yet", ask(two, Options{}), 0)
	expect("again", ask(two, Options{Workers: 3, Batch: 1, PerFile: 1}), 2)
	expect("in another order, with a site", ask(
		"bag,index,model,site\nb.csv,1,m.onnx,A\nb.csv,0,m.onnx,B\n", Options{}), 2)
	expect("one more", ask(two+"m.onnx,b.csv,2\n", Options{}), 2)
	expect("other settings", ask(two, Options{Request: json.RawMessage(
		`{"methods":["milli"],"samples":30}`)}), 0)
	expect("other metrics", ask(two, Options{Metrics: []string{"srg"}}), 0)
	expect("another seed", ask("model,bag,index,seed\nm.onnx,b.csv,0,1\nm.onnx,b.csv,1,0\n",
		Options{}), 1)
	expect("own seeds", ask(two, Options{OwnSeeds: true}), 0)
	must.Do(t, os.WriteFile(filepath.Join(folder, "m.bagscope.json"),
		[]byte(`{"classes":["none","a","b"]}`), 0o600))
	expect("a card", ask(two, Options{}), 0)
	must.Do(t, os.Remove(filepath.Join(folder, "m.bagscope.json")))
	data := must.Get(os.ReadFile(filepath.Join(folder, "b.csv")))(t)
	must.Do(t, os.WriteFile(filepath.Join(folder, "b.csv"), append(data, '\n'), 0o600))
	expect("another file of bags", ask(two, Options{}), 0)
	for key := range records(t, out) {
		must.Do(t, os.WriteFile(filepath.Join(out, key), []byte(`{"rows":[`), 0o600))
	}
	expect("broken records", ask(two, Options{}), 0)
}
