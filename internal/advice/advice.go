// Package advice follows, in tests, what messages advise.
package advice

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// command matches what a message advises to run, up to its end.
var command = regexp.MustCompile(`\b(vips [a-z_]+|h5clear|python3 -[cm]) .*`)

// Follow runs the commands that a message advises for FILE, in a folder that has the file, with
// each of names, pairs of a word and its replacement, for the words that the advice leaves open. It
// ends the test if there are none or one fails, and skips it if this machine lacks their program.
func (b *Book) Follow(t *testing.T, folder, file, message string, names ...string) {
	t.Helper()
	run := command.FindString(message)
	if run == "" {
		t.Fatal("no command: " + message)
	}
	lines := b.in(message)
	for _, line := range lines { // parts of a command can be texts of their own
		b.followed[line.Text] = true
	}
	if len(lines) == 0 {
		t.Fatalf("testdata/advice.txt has no line for this test and command: %s", run)
	}
	program := exec.CommandContext(t.Context(), strings.Fields(run)[0], "--version")
	if code, ok := strings.CutPrefix(run, "python3 -c \""); ok {
		imports, _, _ := strings.Cut(code, ";")
		program = exec.CommandContext(t.Context(), "python3", "-c", imports)
	}
	if program.Run() != nil {
		b.Skip(t, "this machine cannot run "+program.String())
	}
	run = strings.NewReplacer(append(names, "FILE", file, ", and then ", " && ")...).Replace(run)
	c := exec.CommandContext(t.Context(), "sh", "-eu", "-c", run)
	c.Dir = folder
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", run, err, out)
	}
}
