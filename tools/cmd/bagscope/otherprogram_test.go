package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// TestOtherPrograms: a command of another program passes all arguments on; without that program,
// bagscope reports how to install it.
func TestOtherPrograms(t *testing.T) {
	for _, c := range []struct{ command, program, install, args string }{
		{"cohort", "bagscope-cohort", "unpack bagscope-cohort of a release", ""},
		{"train", "bagscope-train", "tools/cmd/bagscope-train@latest", "train "},
		{"study", "bagscope-train", "unpack the archive of a release", "study "},
		{"tune", "bagscope-train", "go install", "tune "},
		{"samples", "bagscope-train", "go install", "samples "},
		{"figure", "bagscope-train", "go install", "figure "},
	} {
		t.Run(c.command, func(t *testing.T) {
			folder := t.TempDir()
			t.Setenv("PATH", folder)
			code, out, errors := bagscope(t, c.command, "--manifest", "m.csv")
			must.Equal(t, code, cli.ExitFailed)
			must.Equal(t, out, "")
			must.Equal(t, strings.Count(errors, "\n"), 1)
			must.Contain(t, errors, c.command+" needs the program "+c.program+",", c.install)
			if runtime.GOOS == "windows" {
				t.Skip("a script stands for the program")
			}
			script := func(text string) {
				t.Helper()
				must.Do(t, os.WriteFile(filepath.Join(folder, c.program),
					[]byte("#!/bin/sh\n"+text), 0o755))
			}
			script("echo \"$@\"\necho a reason >&2\nexit 2\n")
			code, out, errors = bagscope(t, c.command, "--manifest", "m.csv", "--help",
				"--parallelism=3")
			must.Equal(t, code, cli.ExitUsage)
			must.Equal(t, out, c.args+"--manifest m.csv --help --parallelism=3\n")
			must.Equal(t, errors, "a reason\n")
			script("echo done\n")
			if code, out, errors = bagscope(t, c.command); code != cli.ExitDone ||
				out != "done\n" || errors != "" {
				t.Errorf("exit code %d, stdout %q, stderr %q", code, out, errors)
			}
		})
	}
}
