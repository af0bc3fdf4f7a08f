//go:build unix

package cohort

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
)

// deadly makes a file whose reader is killed, see lives.
func deadly(t *testing.T, name string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	must.Do(t, os.WriteFile(name, []byte("deadly"), 0o600))
	return name
}

// marks returns how many marks of a sort there are.
func marks(t *testing.T, out, sort string) int {
	t.Helper()
	found := must.Get(filepath.Glob(filepath.Join(out, "attempts", sort+"-*.json")))(t)
	return len(found)
}

// tries returns how often bags were begun alone, all together.
func tries(t *testing.T, out string) (n int) {
	t.Helper()
	found := must.Get(filepath.Glob(filepath.Join(out, "attempts", "bag-*.json")))(t)
	for _, name := range found {
		var m mark
		data, err := os.ReadFile(name)
		if err != nil || json.Unmarshal(data, &m) != nil {
			t.Fatalf("%v: %s", err, data)
		}
		n += m.Ends
	}
	return n
}

// lives runs a cohort in processes of its own, each of which is killed when it reads the deadly
// file, until one comes to its end. It returns how many were killed.
func lives(t *testing.T, o Options, file string) (killed int) {
	t.Helper()
	tried := 0
	for ; killed < 20; killed++ {
		child := exec.CommandContext(t.Context(), os.Args[0])
		child.Env = append(os.Environ(), "BAGSCOPE_COHORT="+string(mustJSON(o)),
			"BAGSCOPE_DEADLY="+file)
		output := must.Get(child.StdoutPipe())(t)
		must.Do(t, child.Start())
		reads := make(chan bool, 1) // whether the process reads the file; false if it has ended
		go func() { reads <- bufio.NewScanner(output).Scan() }()
		select {
		case alive := <-reads:
			if !alive {
				must.Do(t, child.Wait())
				return killed
			}
			if n := tries(t, o.Out); n > tried+1 {
				t.Errorf("life %d: %d bags are tried at a time", killed, n-tried)
			} else {
				tried = n
			}
			child.Process.Kill()
			child.Wait()
		case <-time.After(patience):
			t.Fatal("nothing happens")
		}
	}
	t.Fatal("it never comes to its end")
	return 0
}

// patience is the time in which a process does the next thing, on any machine.
const patience = 2 * time.Minute

// TestDeadlyBag: a bag that kills every process that reads it ends in the dead letters after three,
// whatever is explained beside it, and the others are explained as they are without it.
func TestDeadlyBag(t *testing.T) {
	for _, runner := range []string{"direct", "prism"} {
		file := deadly(t, "bag.npz")
		list := mixed(t, 24)
		bad := list[9].(Line)
		bad.Bag = file
		list[9] = bad
		o := Options{Manifest: manifest(t, list...), Out: filepath.Join(t.TempDir(), "out"),
			Request: json.RawMessage(quickly), Workers: 2, Batch: 4, Runner: runner}
		if killed := lives(t, o, file); killed != 1+maxLineEnds {
			t.Errorf("%s: %d processes were killed", runner, killed)
		}
		found := outputs(t, o.Out)
		dead := letters(t, found["dead-letters.jsonl"])
		if len(dead) != 1 || dead[0].Line != 10 || dead[0].Kind != "crashed" ||
			!strings.Contains(dead[0].Reason, "stopped 3 times at this bag") {
			t.Fatalf("%s: %+v", runner, dead)
		}
		plain := o
		bad.Bag = "gone.npz"
		list[9] = bad
		plain.Manifest, plain.Out = manifest(t, list...), filepath.Join(t.TempDir(), "plain")
		run(t, plain)
		for name, want := range outputs(t, plain.Out) {
			if got := found[name]; got != want &&
				(name == "results.jsonl" || name == "tables/by_class.csv") {
				t.Errorf("%s: %s differs:\n%.300s\nwant\n%.300s", runner, name, got, want)
			}
		}
		if marks(t, o.Out, "batch") != 1 || marks(t, o.Out, "bag") != 1 {
			t.Errorf("%s: %d marks of batches and %d of bags are left", runner,
				marks(t, o.Out, "batch"), marks(t, o.Out, "bag"))
		}
		if s := run(t, o); s.Failed != 1 || s.Kinds["crashed"] != 1 ||
			progress.reused.Load() != 23 {
			t.Errorf("%s: given up, it is tried again: %+v", runner, s)
		}
		_, rest, _ := strings.Cut(dead[0].Reason, "delete the file ")
		mark, _, _ := strings.Cut(rest, " ")
		must.Do(t, os.Remove(filepath.Join(o.Out, mark)))
		must.Do(t, os.Remove(file))
		if s := run(t, o); s.Kinds["file"] != 1 {
			t.Errorf("%s: without its mark it is not tried: %+v", runner, s)
		}
	}
}

// TestDeadlyModel: a model that kills every process that opens it is given up with all its lines
// after a few.
func TestDeadlyModel(t *testing.T) {
	file := deadly(t, "model.onnx")
	list := mixed(t, 24)
	for i := range 60 {
		list = append(list, Line{Model: file, Bag: repo(t, tinyBags), Index: i % 3})
	}
	o := Options{Manifest: manifest(t, list...), Out: filepath.Join(t.TempDir(), "out"),
		Request: json.RawMessage(quickly), Workers: 2, Batch: 4, Runner: "direct"}
	if killed := lives(t, o, file); killed > maxModelEnds+1 {
		t.Errorf("%d processes were killed", killed)
	}
	dead := letters(t, outputs(t, o.Out)["dead-letters.jsonl"])
	if len(dead) != 60 {
		t.Fatalf("%d dead letters", len(dead))
	}
	sorts := map[string]int{}
	for _, l := range dead {
		_, rest, _ := strings.Cut(l.Reason, "times at this ")
		sort, _, _ := strings.Cut(rest, " and does")
		sorts[l.Kind+" "+sort]++
	}
	if sorts["crashed model"] < 55 || sorts["crashed model"]+sorts["crashed bag"] != 60 {
		t.Errorf("%v", sorts)
	}
}

// A run that is stopped deliberately leaves no marks.
func TestStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	o := Options{Manifest: manifest(t, mixed(t, 200)...), Out: filepath.Join(t.TempDir(), "out"),
		Request: json.RawMessage(`{"methods":["all"],"samples":300}`), Workers: 2, Runner: "direct"}
	ended := make(chan error, 1)
	progress.done.Store(0) // of the last run
	read := testHookRead
	defer func() { testHookRead = read }()
	testHookRead = func(string) {
		if progress.done.Load() >= 3 {
			<-ctx.Done()
		}
	}
	go func() {
		_, err := Run(ctx, o)
		ended <- err
	}()
	for len(records(t, o.Out)) < 3 || marks(t, o.Out, "batch") == 0 {
		select {
		case err := <-ended:
			t.Fatalf("there was no mark while it worked: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	stop()
	if err := <-ended; err == nil {
		t.Error("it came to its end")
	}
	if marks(t, o.Out, "batch")+marks(t, o.Out, "bag")+marks(t, o.Out, "model") != 0 {
		t.Error("marks are left")
	}
}
