package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
	"github.com/bagscope/bagscope/tools/train/dataset"
)

// firstBags writes the first bags of a part of the drawn digits into a file.
func firstBags(t *testing.T, repeat int, part string, n int) string {
	t.Helper()
	set := must.Get(dataset.Open("digits", "", dataset.Options{}))(t)
	split := must.Get(set.Split(repeat))(t)
	examples := must.Get(split.Part(part))(t)
	var bags []*core.Bag
	for _, e := range examples[:n] {
		bag := must.Get(e.Bag())(t)
		bags = append(bags, bag)
	}
	var b bytes.Buffer
	must.Do(t, bagio.WriteSet(&b, bags...))
	file := filepath.Join(t.TempDir(), "bags.npz")
	must.Do(t, os.WriteFile(file, b.Bytes(), 0o644))
	return file
}

// TestTuneOnParts: a part of a data set is tried as its bags in a file are, with the data set's
// settings.
func TestTuneOnParts(t *testing.T) {
	for _, c := range []struct {
		part   string
		repeat int
		args   []string
	}{
		{"validation", 0, nil},
		{"test", 2, []string{"--repeat", "2", "--part", "test"}},
		{"train", 0, []string{"--part", "train"}},
	} {
		t.Run(c.part, func(t *testing.T) {
			grid := []string{"tune", "--model", exampleModel, "--alphas", ".05,.5", "--betas",
				".01", "--limit", "3", "--json"}
			var got, want tuneJSON
			clitest.Decode(t, succeed(t, append(append(grid, "--dataset", "digits"), c.args...)...),
				&got)
			clitest.Decode(t, succeed(t, append(grid, "--settings", "mnist", "--bags",
				firstBags(t, c.repeat, c.part, 3))...), &want)
			if got.Dataset != "digits" || got.Part != c.part || got.Repeat == nil ||
				*got.Repeat != c.repeat || got.Bags != 3 || got.Samples != 150 {
				t.Errorf("%s: %+v", c.part, got)
			}
			for i := range want.Grid {
				must.Equal(t, got.Grid[i], want.Grid[i], c.part)
			}
		})
	}
	text := succeed(t, "samples", "--model", exampleModel, "--dataset", "digits", "--method",
		"single", "--limit", "2")
	must.Contain(t, text, "2 validation bags of Drawn digits, repeat 0")
}

// The data set supplies the truth table and the classes if the model's card does not.
func TestPartsOfCounting(t *testing.T) {
	model := filepath.Join(t.TempDir(), "ink.onnx")
	must.Do(t, os.WriteFile(model, inkCounter(), 0o644))
	at := []string{"samples", "--model", model, "--method", "single,one_removed", "--limit", "3",
		"--dataset"}
	var out samplesJSON
	clitest.Decode(t, succeed(t, append(at, "counting", "--json")...), &out)
	if len(out.Methods) != 2 || out.Metric != "ndcg" || !(out.Methods[0].Sizes[0].Mean > 0) {
		t.Errorf("%+v", out)
	}
	if code, _, errors := bagscope(t, append(at, "digits")...); code != cli.ExitFailed ||
		!strings.Contains(errors, "ink.onnx: it has 1 classes, and Drawn digits has 4") {
		t.Errorf("a model of another data set: exit code %d, %q", code, errors)
	}
	// The model says nothing of single instances: the method is named, and the way to do without
	// it.
	for _, args := range [][]string{
		append(at[:len(at):len(at)], "counting", "--method", "inherent"),
		{"evaluate", "--model", model, "--bags", exampleBags, "--method", "inherent"},
		{"study", "--dataset", "counting", "--method", "inherent,single", "--limit", "2", "--out",
			t.TempDir(), "--models", modelFolder(t, map[string]string{"mi_net": model})},
	} {
		if code, _, errors := bagscope(t, args...); code != cli.ExitFailed ||
			!strings.Contains(errors, "method inherent is not available: ") ||
			!strings.Contains(errors, "omit the method, or use --method all") {
			t.Errorf("%s: exit code %d, %q", args[0], code, errors)
		}
	}
	clitest.Decode(t, succeed(t, append(at, "counting", "--method", "all", "--sizes", "30",
		"--json")...), &out)
	must.Equal(t, len(out.Skipped), 1, out)
	must.Equal(t, out.Skipped[0].Method, "inherent", out)
	must.Equal(t, len(out.Methods), len(methods.All())-1, out)
	code, _, errors := bagscope(t, "figure", "--kind", "bag", "--model", model, "--bag",
		exampleBags, "--method", "inherent", "--out", filepath.Join(t.TempDir(), "a.svg"))
	must.Equal(t, code, cli.ExitFailed, "a figure of nothing: exit code")
	must.Contain(t, errors, "nothing to draw: method inherent is not available: ")
}

// TestPartsSeen: settings are not tried on bags of another split than the model was trained for,
// but on its own validation bags.
func TestPartsSeen(t *testing.T) {
	data, models := t.TempDir(), t.TempDir()
	randomMusk(t, data, 20)
	if code, _, errors := bagscope(t, "train", "--dataset", "musk", "--data", data, "--model",
		"mi-net", "--repeat", "1", "--epochs", "1", "--out", models); code != cli.ExitDone {
		t.Fatal(errors)
	}
	at := []string{"samples", "--model", filepath.Join(models, "musk1", "1", "mi-net.onnx"),
		"--dataset", "musk", "--data", data, "--method", "single", "--metric", "aopc-r"}
	for _, part := range dataset.PartNames {
		succeed(t, append(at, "--repeat", "1", "--part", part)...)
		code, _, errors := bagscope(t, append(at, "--part", part)...)
		if part == "train" { // bags that a model was trained on are what is asked for
			must.Equal(t, code, cli.ExitDone, errors)
		} else if want := fmt.Sprintf(
			"trained for repeat 1 of Musk1, so its training bags may include %s bags of repeat 0",
			part); code != cli.ExitFailed || !strings.Contains(errors, want) {
			t.Errorf("exit code %d, %q; want %q", code, errors, want)
		}
	}
}
