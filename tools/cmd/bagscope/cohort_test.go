package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestCohort passes everything on to the program of its own, and says how to build it where it is not.
func TestCohort(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("PATH", folder)
	code, out, errors := bagscope(t, "cohort", "--manifest", "m.csv")
	if code != ExitFailed || out != "" || strings.Count(errors, "\n") != 1 || !strings.Contains(errors, "make cohort") {
		t.Errorf("without the program: exit code %d, stdout %q, stderr %q", code, out, errors)
	}
	if runtime.GOOS == "windows" {
		t.Skip("a script stands for the program")
	}
	script := "#!/bin/sh\necho \"$@\"\necho a reason >&2\nexit 2\n"
	if err := os.WriteFile(filepath.Join(folder, cohortProgram), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	code, out, errors = bagscope(t, "cohort", "--manifest", "m.csv", "--help", "--parallelism=3")
	if code != ExitUsage || out != "--manifest m.csv --help --parallelism=3\n" || errors != "a reason\n" {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out, errors)
	}
	if err := os.WriteFile(filepath.Join(folder, cohortProgram), []byte("#!/bin/sh\necho done\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if code, out, errors = bagscope(t, "cohort"); code != ExitDone || out != "done\n" || errors != "" {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out, errors)
	}
}
