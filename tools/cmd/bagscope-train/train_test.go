package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// A network that was trained for a short time on drawn digits works with the other commands.
func TestTrain(t *testing.T) {
	dir := t.TempDir()
	args := []string{"train", "--dataset", "digits", "--model", "mi-attn", "--repeat", "3", "--out",
		dir, "--bags", "4", "--validation-bags", "4", "--test-bags", "4", "--epochs", "1"}
	code, out, errors := bagscope(t, args...)
	must.Equal(t, code, cli.ExitDone, errors)
	must.Contain(t, out, "mi-attn")
	model := filepath.Join(dir, "digits", "3", "mi-attn.onnx")
	must.Contain(t, succeed(t, "predict", "--model", model, "--bag", exampleBags), "an 8 and a 9")
	succeed(t, "explain", "--model", model, "--bag", exampleBags, "--method", "inherent")
	// What is there is reported again, not trained again.
	var reports []map[string]any
	before := must.Get(os.Stat(model))(t)
	clitest.Decode(t, `{"reports":`+succeed(t, append(args, "--json")...)+`}`,
		&struct{ Reports *[]map[string]any }{&reports})
	if after, err := os.Stat(model); err != nil || !after.ModTime().Equal(before.ModTime()) ||
		len(reports) != 1 || reports[0]["seed"] != 999. {
		t.Errorf("reported again: %v, %v", reports, err)
	}
	snakeCase(t, reports)
	if best, ok := reports[0]["history"].([]any); !ok || len(best) != 1 ||
		reports[0]["learnt"] == nil || reports[0]["model_sha256"] == nil {
		t.Errorf("the report is %v", reports[0])
	}
}

// Networks that are trained concurrently equal those that are trained one after another.
func TestTrainWorkers(t *testing.T) {
	models := map[string][]byte{}
	for _, workers := range []string{"1", "2"} {
		dir := t.TempDir()
		code, out, errors := bagscope(t, "train", "--dataset", "digits", "--model",
			"mi-net,mi-attn", "--repeat", "1", "--out", dir, "--bags", "4", "--validation-bags",
			"2", "--test-bags", "2", "--epochs", "1", "--workers", workers)
		// This heading begins what is said below the table.
		table, _, _ := strings.Cut(out, "  digits, repeat 1")
		must.Equal(t, code, cli.ExitDone, out, errors)
		must.Equal(t, strings.Count(table, "\n"), 4, out, errors)
		must.Equal(t, strings.Count(errors, "epoch 1,"), 2, out, errors)
		files := must.Get(filepath.Glob(filepath.Join(dir, "digits", "1", "*.onnx")))(t)
		must.Equal(t, len(files), 2, files)
		for _, file := range files {
			data := must.Get(os.ReadFile(file))(t)
			name := filepath.Base(file)
			if before, ok := models[name]; ok && !bytes.Equal(before, data) {
				t.Errorf("%s differs with %s workers", name, workers)
			}
			models[name] = data
		}
	}
}

func TestTrainSearch(t *testing.T) {
	dir := t.TempDir()
	args := []string{"train", "--dataset", "digits", "--model", "mi-net", "--out", dir, "--bags",
		"2", "--validation-bags", "2", "--test-bags", "2", "--epochs", "1"}
	code, out, errors := bagscope(t, append(args, "--search", "2")...)
	must.Equal(t, code, cli.ExitDone, out, errors)
	must.Equal(t, strings.Count(out, "\n"), 6, out, errors)
	must.Equal(t, strings.Contains(errors, "mi-net, trial 1 of 2: epoch 1"), true, out, errors)
	must.Equal(t, strings.Contains(errors, "trial 2 of 2"), true, out, errors)
	recipe := filepath.Join(dir, "digits", "0", "mi-net.recipe.json")
	must.Contain(t, out, "the best recipe is in "+recipe)
	var found struct{ Trials []map[string]any }
	keys := clitest.Decode(t, succeed(t, append(args, "--search", "2", "--json")...), &found)
	clitest.RequireKeys(t, keys, "trials recipe_file")
	must.Equal(t, len(found.Trials), 2, found)
	snakeCase(t, found.Trials)
	if code, _, errors := bagscope(t, append(args, "--recipe", recipe)...); code != cli.ExitDone {
		t.Error(errors)
	}
	if code, _, errors := bagscope(t, "train", "--dataset", "digits", "--out", dir, "--recipe",
		recipe); code != cli.ExitUsage || !strings.Contains(errors, "--model mi-net") {
		t.Errorf("a recipe for all networks: %d, %q", code, errors)
	}
}

// snakeCase wants every key of objects to be written in small letters.
func snakeCase(t *testing.T, value any) {
	t.Helper()
	switch v := value.(type) {
	case []map[string]any:
		for _, o := range v {
			snakeCase(t, o)
		}
	case []any:
		for _, o := range v {
			snakeCase(t, o)
		}
	case map[string]any:
		for key, o := range v {
			must.Equal(t, key, strings.ToLower(key))
			snakeCase(t, o)
		}
	}
}

func TestTrainUsage(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ args, says string }{
		{"train --out " + dir, "--dataset is missing"},
		{"train --dataset digits", "--out is missing"},
		{"train --dataset digits --out x --model net", `the network "net" is unknown`},
		{"train --dataset digits --out x --repeat 10", "not one of the 10 repeats"},
		{"train --dataset digits --out x --epochs -1", "must not be negative"},
		{"train --dataset digits --out x --workers 0", "must be at least 1, got 0"},
		{"train --dataset digits --out x --bags 1000000000", "too many"},
		{"train --dataset digits --out x --all-data", "constants"},
		{"train --dataset digits --out x --model=", "--model is empty"},
		{"train --dataset digits --out x --repeat=", "--repeat is empty"},
		{"train --dataset digits --out x --search 2", "one --model and one --repeat"},
		{"train --dataset letters --out x", "use one of"},
		{"train --dataset digits --out x --preset print", "is unknown"},
		{"train --dataset sival --data " + dir + " --out x", "sival"},
	} {
		t.Run(c.args, func(t *testing.T) {
			code, _, errors := bagscope(t, strings.Fields(c.args)...)
			must.Equal(t, code != cli.ExitDone, true, c.args, code, errors)
			must.Equal(t, strings.Contains(errors, c.says), true, c.args, code, errors)
		})
	}
}
