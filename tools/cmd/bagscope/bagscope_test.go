package main

import (
	"bytes"
	"context"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

const (
	exampleModel = clitest.ExampleModel
	exampleBags  = clitest.ExampleBags
)

// bagscope runs the program in this process.
func bagscope(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return clitest.Run(t, program, args...)
}

// succeed runs a command, which must not fail and must not write to stderr.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	return clitest.Succeed(t, bagscope, args...)
}

// Wrong usage prints one sentence to stderr and nothing to stdout.
func TestUsage(t *testing.T) {
	both := "--model " + exampleModel + " --bag " + exampleBags
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"explian", cli.ExitUsage, "did you mean explain?"},
		{"frobnicate", cli.ExitUsage, "bagscope --help"},
		{"--colour", cli.ExitUsage, "unknown flag"},
		{"explain --seed x", cli.ExitUsage, `--seed must be a whole number from 0 on, got "x"`},
		{"explain --samples 1e3", cli.ExitUsage, `--samples must be a whole number, got "1e3"`},
		{"explain --budget 99999999999999999999", cli.ExitUsage, "--budget is too large"},
		{"serve --memory 1e3", cli.ExitUsage, `--memory must be a whole number, got "1e3"`},
		{"serve --drain x", cli.ExitUsage, `--drain must be a duration such as 30s or 5m, got "x"`},
		{"explain --budget -99999999999999999999", cli.ExitUsage, "--budget is too small"},
		{"predict --colour", cli.ExitUsage, "bagscope predict --help"},
		{"predict", cli.ExitUsage, "--model is missing"},
		{"predict --model m.onnx", cli.ExitUsage, "--bag is missing"},
		{"predict " + both + " --max-work -1", cli.ExitUsage, "--max-work"},
		{"predict " + both + " --max-work 1", cli.ExitFailed,
			"the limit of 1 units of work in a run"},
		{"predict --model", cli.ExitUsage, "needs an argument"},
		{"predict m.onnx", cli.ExitUsage, "use flags to name files"},
		{"inspect", cli.ExitUsage, "--model is missing"},
		{"evaluate --model m.onnx", cli.ExitUsage, "--bags is missing"},
		{"explain " + both + " --method single,combined --coalitions rows.txt", cli.ExitUsage,
			"none of the selected methods samples"},
		{"explain " + both + " --samples many", cli.ExitUsage, "--samples"},
		{"explain " + both + " --alpha NaN", cli.ExitUsage, "between 0 and 1"},
		{"explain " + both + " --seed -1", cli.ExitUsage, "--seed"},
		{"explain " + both + " --budget -1", cli.ExitUsage, "--budget"},
		{"explain " + both + " --memory -1", cli.ExitUsage, "--memory"},
		{"explain " + both + " --workers -1", cli.ExitUsage, "--workers"},
		{"explain " + both + " --top -1", cli.ExitUsage, "--top"},
		{"explain " + both + " --index -1", cli.ExitUsage, "no bag -1"},
		{"explain " + both + " --method all --png x.png", cli.ExitUsage, "--png draws one method"},
		{"explain " + both + " --method all --map x.dzi", cli.ExitUsage, "--map draws one method"},
		{"evaluate --model m --bags b --metrics fame", cli.ExitUsage, "ndcg"},
		{"evaluate --model m --bags b --limit -2", cli.ExitUsage, "--limit"},
		{"predict --model nowhere.onnx --bag b", cli.ExitFailed,
			"the file nowhere.onnx does not exist"},
		{"predict --bag nowhere.npy --model " + exampleModel, cli.ExitFailed,
			"the file nowhere.npy does not exist"},
		{"predict --bag " + exampleBags + " --model " + exampleBags, cli.ExitFailed, ""},
		{"predict --bag " + exampleModel + " --model " + exampleModel, cli.ExitFailed, ""},
		{"explain " + both + " --memory 1 --method milli --samples 50000", cli.ExitFailed,
			"MB are allowed; "},
		{"explain " + both + " --method single,one-removed --mean-bag 9", cli.ExitUsage,
			"--mean-bag: has no effect on single, one_removed; "},
		{"explain " + both + " --method single --csv nowhere/x.csv", cli.ExitFailed,
			"nowhere/x.csv"},
	} {
		t.Run(c.args, func(t *testing.T) {
			code, out, errors := bagscope(t, strings.Fields(c.args)...)
			must.Equal(t, code, c.code, c.args, errors)
			must.Equal(t, out, "", c.args, errors)
			must.Equal(t, strings.Contains(errors, c.says), true, c.args, errors, c.says)
			must.Equal(t, strings.HasPrefix(errors, "bagscope: "), true, c.args, errors, c.says)
			must.Equal(t, strings.Count(errors, "\n"), 1, c.args, errors, c.says)
		})
	}
}

func TestHelp(t *testing.T) {
	for _, command := range []string{"predict", "explain", "evaluate", "inspect", "methods",
		"version"} {
		must.Contain(t, succeed(t), command)
		must.Equal(t, strings.Contains(succeed(t, command, "--help"), "--json"), true, command)
	}
}

func TestVersion(t *testing.T) {
	file := must.Get(os.ReadFile("../../../version.txt"))(t)
	version := strings.TrimSpace(string(file))
	want := "bagscope " + version + ", unknown commit, kernels " + kernel.Level() + ", " +
		runtime.Version() + "\n"
	must.Equal(t, succeed(t, "version"), want)
	var v struct{ Version string }
	if clitest.Decode(t, succeed(t, "version", "--json"), &v); v.Version != version {
		t.Errorf("version --json says %q", v.Version)
	}
}

// A command whose context has ended, as after Ctrl-C, reports the interruption.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, command := range [][]string{
		{"explain", "--model", exampleModel, "--bag", exampleBags, "--method", "all"},
		{"evaluate", "--model", exampleModel, "--bags", exampleBags},
	} {
		var out, errors bytes.Buffer
		if code := program.Run(ctx, command, &out, &errors); code != cli.ExitFailed ||
			!strings.Contains(errors.String(), "interrupted before") || out.Len() > 0 {
			t.Errorf("%s: exit code %d, stderr %q, stdout %q", command[0], code, errors.String(),
				out.String())
		}
	}
}
