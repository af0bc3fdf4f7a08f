package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// randomMusk is a file of Musk1's form with bags of random instances, half of them positive.
func randomMusk(t *testing.T, dir string, bags int) {
	t.Helper()
	var b strings.Builder
	b.WriteString("bag,label")
	for f := range 166 {
		fmt.Fprintf(&b, ",f%d", f)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 3 * bags {
		fmt.Fprintf(&b, "\nmolecule %d,%d", i/3, i/3%2)
		for range 166 {
			fmt.Fprintf(&b, ",%.3f", r.NormFloat64())
		}
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "musk1.csv"), []byte(b.String()+"\n"), 0o644))
}

// study rejects a network on bags that it was trained on, and only on these.
func TestStudyRejectsTrainingBags(t *testing.T) {
	data, models := t.TempDir(), t.TempDir()
	randomMusk(t, data, 20)
	if code, _, errors := bagscope(t, "train", "--dataset", "musk1", "--data", data, "--model",
		"mi-net", "--repeat", "0", "--epochs", "1", "--out", models); code != cli.ExitDone {
		t.Fatal(errors)
	}
	args := func(more ...string) []string {
		return append([]string{"study", "--dataset", "musk1", "--data", data, "--models", models,
			"--out", t.TempDir(), "--method", "single", "--metrics", "aopc-r"}, more...)
	}
	succeed(t, args()...)
	other := args()
	other[2] = "musk" // its other name
	succeed(t, other...)
	move := func(from, to string) {
		t.Helper()
		must.Do(t, os.Rename(filepath.Join(models, "musk1", from), filepath.Join(models, "musk1",
			to)))
	}
	refused := func(says string, args ...string) {
		t.Helper()
		if code, out, errors := bagscope(t, args...); code != cli.ExitFailed || out != "" ||
			!strings.Contains(errors, says) {
			t.Errorf("exit code %d, %q, %q; want %q", code, out, errors, says)
		}
	}
	move("0", "1")
	refused("trained for repeat 0 of Musk1, so its training bags may include test bags of repeat 1",
		args()...)
	// whose bags they are is not known
	succeed(t, args("--bags", filepath.Join(data, "musk1.csv"))...)
	move("1", "0")
	randomMusk(t, data, 24)
	refused("trained on another split of Musk1", args()...)
	must.Do(t, os.Remove(filepath.Join(models, "musk1", "0", "mi-net.json")))
	succeed(t, args()...)
}
