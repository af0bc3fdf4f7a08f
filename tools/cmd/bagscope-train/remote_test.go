package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// TestRemote: a model on a server gives the results of its file, evaluated without shortcuts.
func TestRemote(t *testing.T) {
	remote := "oip+" + serving(t, "--models", filepath.Dir(exampleModel)) + "/model"
	for _, line := range []string{
		"tune --alphas .05,.1 --betas 0 --samples 20 --limit 1",
		"samples --method milli --sizes 20 --limit 1",
	} {
		args := append(strings.Fields(line), "--bags", exampleBags, "--json")
		want := succeed(t, append(args, "--model", exampleModel, "--plain")...)
		clitest.Alike(t, line, succeed(t, append(args, "--model", remote)...), want)
	}
	picture := filepath.Join(t.TempDir(), "bag.png")
	succeed(t, "figure", "--kind", "bag", "--model", remote, "--bag", exampleBags, "--samples",
		"30", "--out", picture)
	if info, err := os.Stat(picture); err != nil || info.Size() == 0 {
		t.Errorf("no figure: %v", err)
	}
}

// TestRemoteStudy: a study finds its models on a server by their names, and its tables are those
// of the files.
func TestRemoteStudy(t *testing.T) {
	model := must.Get(os.ReadFile(exampleModel))(t)
	folder, flat, other := t.TempDir(), t.TempDir(), t.TempDir()
	must.Do(t, os.MkdirAll(filepath.Join(folder, "digits", "1"), 0o700))
	for _, file := range []string{filepath.Join(folder, "digits", "1", "mi_attn.onnx"),
		filepath.Join(flat, "digits.1.mi-attn.onnx")} {
		must.Do(t, os.WriteFile(file, model, 0o600))
	}
	study := func(models, out string) string {
		return succeed(t, "study", "--dataset", "digits", "--models", models, "--bags", exampleBags,
			"--limit", "2", "--repeats", "2", "--method", "single", "--metrics", "ndcg", "--json",
			"--out", out)
	}
	server := "oip+" + serving(t, "--models", flat)
	want := study(folder, other)
	for _, models := range []string{server, server + "/"} {
		clitest.Alike(t, models, study(models, t.TempDir()), want)
	}
}

// study reports requests that a server rejects and models that it lacks.
func TestRemoteUsage(t *testing.T) {
	folder := t.TempDir()
	token := filepath.Join(folder, "token")
	must.Do(t, os.WriteFile(token, []byte("0123456789abcdef\n"), 0o600))
	secret := serving(t, "--models", filepath.Dir(exampleModel), "--token-file", token)
	open := serving(t, "--models", filepath.Dir(exampleModel))
	for url, says := range map[string]string{secret: "token", open: "mi_net"} {
		t.Run(url, func(t *testing.T) {
			code, out, errors := bagscope(t, "study", "--dataset", "digits", "--out", folder,
				"--models", "oip+"+url)
			if code != cli.ExitFailed || out != "" || !strings.Contains(errors, says) ||
				strings.Count(errors, "\n") != 1 {
				t.Errorf("%s: exit code %d, stdout %.100q, stderr %q", says, code, out, errors)
			}
		})
	}
}
