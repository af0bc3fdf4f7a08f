// Package advice runs, in tests, what messages advise.
package advice

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// command matches what a message advises to run, up to its end.
var command = regexp.MustCompile(`\b(vips [a-z_]+|python3 -c) .*`)

// Follow runs the commands that a message advises for FILE, in a folder that has the file. It ends
// the test if there are none or one fails, and skips it if this machine lacks their program.
func Follow(t *testing.T, folder, file, message string) {
	t.Helper()
	run := command.FindString(message)
	if run == "" {
		t.Fatal("no command: " + message)
	}
	program := exec.CommandContext(t.Context(), "vips", "--version")
	if strings.HasPrefix(run, "python3") {
		module, _, _ := strings.Cut(strings.SplitAfterN(run, "import ", 2)[1], ";")
		program = exec.CommandContext(t.Context(), "python3", "-c", "import "+module)
	}
	if program.Run() != nil {
		t.Skip("this machine cannot run " + program.String())
	}
	run = strings.NewReplacer("FILE", file, ", and then ", " && ").Replace(run)
	c := exec.CommandContext(t.Context(), "sh", "-eu", "-c", run)
	c.Dir = folder
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", run, err, out)
	}
}
