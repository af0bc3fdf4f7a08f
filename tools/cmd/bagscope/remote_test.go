package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// alike compares two answers: every number within 1e-6 of the other, all else equal but for what a server does not say of its
// model: its hash, and the notes.
func alike(t *testing.T, what, got, want string) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal([]byte(got), &a); err != nil {
		t.Fatalf("%s: %v in %.300s", what, err, got)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatalf("%s: %v in %.300s", what, err, want)
	}
	compare(t, what, "", a, b)
}

func compare(t *testing.T, what, key string, a, b any) {
	switch y := b.(type) {
	case map[string]any:
		x, ok := a.(map[string]any)
		if !ok || len(x) != len(y) {
			t.Errorf("%s, %s: %v, want %v", what, key, a, b)
			return
		}
		for k := range y {
			if k != "sha256" && k != "notes" && !(key == ".model" && k == "name") {
				compare(t, what, key+"."+k, x[k], y[k])
			}
		}
	case []any:
		x, ok := a.([]any)
		if !ok || len(x) != len(y) {
			t.Errorf("%s, %s: %v, want %v", what, key, a, b)
			return
		}
		for i := range y {
			compare(t, what, key, x[i], y[i])
		}
	case float64:
		if x, ok := a.(float64); !ok || math.Abs(x-y) > 1e-6 {
			t.Errorf("%s, %s: %v, want %v", what, key, a, b)
		}
	default:
		if a != b {
			t.Errorf("%s, %s: %v, want %v", what, key, a, b)
		}
	}
}

// TestRemote: a model of our own server, and one of a server that has it from that one, are explained as the file is by
// the plain way, every coalition a run of the whole graph, and so for every command that takes a model. The fast way is as
// near, where no order of instances hangs on the last digits.
func TestRemote(t *testing.T) {
	first := serving(t, "--models", filepath.Dir(exampleModel))
	near := "oip+" + first + "/model"
	far := "oip+" + serving(t, "--model", near) + "/model"
	for _, c := range []struct{ command, args string }{
		{"predict", "--index 2"},
		{"explain", "--index 1 --method single,one_removed,inherent,random_shap,guided_lime,milli --samples 40"},
		{"explain", "--method random_shap --output logit --samples 60 --seed 9 --class an_8"},
		{"evaluate", "--method single,inherent --limit 1 --metrics ndcg"},
		{"tune", "--alphas .05,.1 --betas 0 --samples 20 --limit 1"},
		{"samples", "--method milli --sizes 20 --limit 1"},
	} {
		bags := "--bags"
		if c.command == "predict" || c.command == "explain" {
			bags = "--bag"
		}
		args := append([]string{c.command, bags, exampleBags, "--json"}, strings.Fields(c.args)...)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "an_8", "an 8")
		}
		want := succeed(t, append(args, "--model", exampleModel, "--plain")...)
		if strings.HasPrefix(c.args, "--index") {
			alike(t, "the fast way, "+c.args, succeed(t, append(args, "--model", exampleModel)...), want)
		}
		alike(t, c.command+" "+c.args, succeed(t, append(args, "--model", near)...), want)
		if c.command == "predict" {
			alike(t, "by two servers, "+c.args, succeed(t, append(args, "--model", far)...), want)
		}
	}
	var seen struct {
		Classes []string
		Output  string
		Notes   []string
	}
	if err := json.Unmarshal([]byte(succeed(t, "inspect", "--model", near, "--json")), &seen); err != nil || len(seen.Classes) != 4 || seen.Output != "logits" || !strings.Contains(strings.Join(seen.Notes, " "), "elsewhere") {
		t.Errorf("%v: %+v", err, seen)
	}
	if text := succeed(t, "inspect", "--model", near); !strings.Contains(text, "axis 0 of bag") {
		t.Errorf("%s", text)
	}
	picture := filepath.Join(t.TempDir(), "bag.png")
	succeed(t, "figure", "--kind", "bag", "--model", near, "--bag", exampleBags, "--samples", "30", "--out", picture)
	if info, err := os.Stat(picture); err != nil || info.Size() == 0 {
		t.Errorf("no figure: %v", err)
	}
}

// TestRemoteStudy: a study finds its models on a server by their names, and its tables are those of the files.
func TestRemoteStudy(t *testing.T) {
	model, err := os.ReadFile(exampleModel)
	if err != nil {
		t.Fatal(err)
	}
	folder, flat, other := t.TempDir(), t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "digits", "1"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{filepath.Join(folder, "digits", "1", "mi_attn.onnx"), filepath.Join(flat, "digits.1.mi-attn.onnx")} {
		if err := os.WriteFile(file, model, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	study := func(models, out string) string {
		return succeed(t, "study", "--dataset", "digits", "--models", models, "--bags", exampleBags, "--limit", "2", "--repeats", "2", "--method", "single", "--metrics", "ndcg", "--json", "--out", out)
	}
	server := "oip+" + serving(t, "--models", flat)
	want := study(folder, other)
	for _, models := range []string{server, server + "/"} {
		alike(t, models, study(models, t.TempDir()), want)
	}
}

// TestRemoteUsage: what makes no sense for a model that runs elsewhere is said in words.
func TestRemoteUsage(t *testing.T) {
	near := "oip+" + serving(t, "--models", filepath.Dir(exampleModel)) + "/model"
	folder := t.TempDir()
	blank := filepath.Join(folder, "token")
	if err := os.WriteFile(blank, []byte("two words\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	token := filepath.Join(folder, "good")
	if err := os.WriteFile(token, []byte("0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	secret := serving(t, "--models", filepath.Dir(exampleModel), "--token-file", token)
	succeed(t, "predict", "--model", "oip+"+secret+"/model", "--bag", exampleBags, "--model-token-file", token)
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"predict --plain --model " + near, ExitUsage, "runs elsewhere"},
		{"predict --max-work 5 --model " + near, ExitUsage, "runs elsewhere"},
		{"predict --device gpu --model " + near, ExitUsage, "runs elsewhere"},
		{"predict --model-requests -1 --model " + near, ExitUsage, "--model-requests"},
		{"predict --model " + near + "x", ExitFailed, "404"},
		{"predict --model oip+http://127.0.0.1:1/m --model-token-file " + blank, ExitFailed, "no blanks"},
		{"predict --model oip+http://me:pw@127.0.0.1:1/m", ExitFailed, "no password"},
		{"predict --model oip+" + secret + "/model", ExitFailed, "token"},
		{"explain --memory 1 --model " + near, ExitFailed, "MB are allowed"},
		{"inspect --stage plan --model " + near, ExitUsage, "runs elsewhere"},
		{"serve --model model.onnx", ExitUsage, "oip+http"},
		{"serve --model " + near + " --model " + near, ExitFailed, "two models"},
		{"study --dataset digits --out " + folder + " --models oip+" + secret, ExitFailed, "token"},
		{"study --dataset digits --out " + folder + " --models " + strings.TrimSuffix(near, "/model"), ExitFailed, "mi_net"},
	} {
		args := strings.Fields(c.args)
		if args[0] == "predict" || args[0] == "explain" {
			args = append(args, "--bag", exampleBags)
		}
		code, out, errors := bagscope(t, args...)
		if code != c.code || out != "" || !strings.Contains(errors, c.says) || strings.Count(errors, "\n") != 1 {
			t.Errorf("%s: exit code %d, want %d; stdout %.100q, stderr %q", c.args, code, c.code, out, errors)
		}
	}
}
