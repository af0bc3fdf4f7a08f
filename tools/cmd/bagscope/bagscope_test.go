package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

const (
	exampleModel = "../../../examples/digits/model.onnx"
	exampleBags  = "../../../examples/digits/bags.npz"
)

// bagscope runs the program in this process.
func bagscope(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errors bytes.Buffer
	code = run(t.Context(), args, &out, &errors)
	return code, out.String(), errors.String()
}

// succeed runs the program and fails the test unless it did what it was asked, silently on stderr.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errors := bagscope(t, args...)
	if code != ExitDone || errors != "" {
		t.Fatalf("bagscope %s: exit code %d, stderr %q", strings.Join(args, " "), code, errors)
	}
	return out
}

// decode reads JSON into v, and into an object whose keys can be looked at.
func decode(t *testing.T, text string, v any) map[string]json.RawMessage {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
	keys := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(text), &keys); err != nil {
		t.Fatal(err)
	}
	return keys
}

// wantKeys fails when an object lacks a key on which scripts rely.
func wantKeys(t *testing.T, object map[string]json.RawMessage, keys string) {
	t.Helper()
	for _, k := range strings.Fields(keys) {
		if _, ok := object[k]; !ok {
			t.Errorf("the key %q is missing", k)
		}
	}
}

// shared returns a file of the shared material, or skips the test where there is none.
func shared(t *testing.T, name string) string {
	t.Helper()
	root := os.Getenv("BAGSCOPE_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "shared")
	}
	file := filepath.Join(root, filepath.FromSlash(name))
	if _, err := os.Stat(file); err != nil {
		t.Skipf("%s is not here; BAGSCOPE_SHARED names the folder of shared material", file)
	}
	return file
}

// TestUsage gives the program what it cannot take: one sentence on stderr, nothing on stdout.
func TestUsage(t *testing.T) {
	both := "--model " + exampleModel + " --bag " + exampleBags
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"explian", ExitUsage, "did you mean explain?"},
		{"frobnicate", ExitUsage, "bagscope --help"},
		{"--colour", ExitUsage, "unknown flag"},
		{"predict --colour", ExitUsage, "bagscope predict --help"},
		{"predict", ExitUsage, "--model is missing"},
		{"predict --model m.onnx", ExitUsage, "--bag is missing"},
		{"predict " + both + " --max-work -1", ExitUsage, "--max-work"},
		{"predict " + both + " --max-work 1", ExitFailed, "the limit of 1 units of work in a run"},
		{"predict --model", ExitUsage, "needs an argument"},
		{"predict m.onnx", ExitUsage, "files are named with flags"},
		{"inspect", ExitUsage, "--model is missing"},
		{"evaluate --model m.onnx", ExitUsage, "--bags is missing"},
		{"explain " + both + " --method shapley", ExitUsage, "milli"},
		{"explain " + both + " --method single,combined --coalitions rows.txt", ExitUsage, "none of the methods asked for samples"},
		{"explain " + both + " --samples many", ExitUsage, "--samples"},
		{"explain " + both + " --samples 0", ExitUsage, "at least one"},
		{"explain " + both + " --alpha 0", ExitUsage, "between 0 and 1"},
		{"explain " + both + " --alpha 1", ExitUsage, "between 0 and 1"},
		{"explain " + both + " --alpha NaN", ExitUsage, "between 0 and 1"},
		{"explain " + both + " --mean-bag -1", ExitUsage, "--mean-bag"},
		{"explain " + both + " --preset own", ExitUsage, "default, paper, reference"},
		{"explain " + both + " --rank best", ExitUsage, "negative-class, explained-class"},
		{"explain " + both + " --distance l1", ExitUsage, "l2, cosine"},
		{"explain " + both + " --efficiency yes", ExitUsage, "uniform"},
		{"explain " + both + " --output odds", ExitUsage, "prob, logit"},
		{"explain " + both + " --settings imagenet", ExitUsage, "mnist"},
		{"explain " + both + " --seed -1", ExitUsage, "--seed"},
		{"explain " + both + " --budget -1", ExitUsage, "--budget"},
		{"explain " + both + " --memory -1", ExitUsage, "--memory"},
		{"explain " + both + " --workers -1", ExitUsage, "--workers"},
		{"explain " + both + " --top -1", ExitUsage, "--top"},
		{"explain " + both + " --class 4", ExitUsage, `3 "an 8 and a 9"`},
		{"explain " + both + " --index 6", ExitUsage, "no bag 6"},
		{"explain " + both + " --index -1", ExitUsage, "no bag -1"},
		{"explain " + both + " --method all --png x.png", ExitUsage, "--png draws one method"},
		{"evaluate --model m --bags b --metrics fame", ExitUsage, "ndcg"},
		{"evaluate --model m --bags b --limit -2", ExitUsage, "--limit"},
		{"predict --model nowhere.onnx --bag b", ExitFailed, "no file nowhere.onnx"},
		{"predict --bag nowhere.npy --model " + exampleModel, ExitFailed, "no file nowhere.npy"},
		{"predict --bag " + exampleBags + " --model " + exampleBags, ExitFailed, ""},
		{"predict --bag " + exampleModel + " --model " + exampleModel, ExitFailed, ""},
		{"explain " + both + " --budget 5", ExitFailed, "budget"},
		{"explain " + both + " --memory 1 --method milli --samples 50000", ExitFailed, "MB are allowed; "},
		{"explain " + both + " --samples 50", ExitUsage, "--samples has no effect on consensus; choose a method that takes it: random_shap, "},
		{"explain " + both + " --method single,one-removed --mean-bag 9", ExitUsage, "--mean-bag has no effect on single, one_removed; "},
		{"explain " + both + " --method single --csv nowhere/x.csv", ExitFailed, "nowhere/x.csv"},
	} {
		code, out, errors := bagscope(t, strings.Fields(c.args)...)
		if code != c.code || out != "" {
			t.Errorf("%s: exit code %d, want %d; stdout %q, stderr %q", c.args, code, c.code, out, errors)
		}
		if !strings.Contains(errors, c.says) || !strings.HasPrefix(errors, "bagscope: ") || strings.Count(errors, "\n") != 1 {
			t.Errorf("%s: stderr %q is not one line with %q", c.args, errors, c.says)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, command := range []string{"predict", "explain", "evaluate", "inspect", "methods", "version"} {
		if out := succeed(t); !strings.Contains(out, command) {
			t.Errorf("the help does not name %s", command)
		}
		if out := succeed(t, command, "--help"); !strings.Contains(out, "--json") {
			t.Errorf("the help of %s does not name --json", command)
		}
	}
}

func TestVersion(t *testing.T) {
	file, err := os.ReadFile("../../../version.txt")
	if err != nil {
		t.Fatal(err)
	}
	version := strings.TrimSpace(string(file))
	if out := succeed(t, "version"); out != "bagscope "+version+", kernels "+kernel.Level()+"\n" {
		t.Errorf("version prints %q, want %s", out, version)
	}
	var v struct{ Version string }
	if decode(t, succeed(t, "version", "--json"), &v); v.Version != version {
		t.Errorf("version --json says %q", v.Version)
	}
}

// TestStopped runs with a context that has ended, as after Ctrl-C.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, command := range [][]string{
		{"explain", "--model", exampleModel, "--bag", exampleBags, "--method", "all"},
		{"evaluate", "--model", exampleModel, "--bags", exampleBags},
	} {
		var out, errors bytes.Buffer
		if code := run(ctx, command, &out, &errors); code != ExitFailed || !strings.Contains(errors.String(), "stopped before") || out.Len() > 0 {
			t.Errorf("%s: exit code %d, stderr %q, stdout %q", command[0], code, errors.String(), out.String())
		}
	}
}
