package arch

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

const writtenFile = "testdata/written.txt"

// updates matches what makes a test write its expected values.
var updates = regexp.MustCompile(`flag\.Bool\("update"|process\.env\.GOLDEN|env\.GOLDEN`)

// TestWrittenFiles: expected values that the program wrote itself are listed in
// testdata/written.txt, each kind with a test that compares a value with another source. Every
// package with a flag -update has a line, and every name in a line exists.
func TestWrittenFiles(t *testing.T) {
	files := trackedFiles(t)
	commands := map[string]bool{} // the folders whose tests write
	for line := range strings.Lines(read(t, writtenFile)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(line, " | ")
		if len(columns) != 5 || slices.Contains(columns, "") {
			t.Errorf("%q needs five columns", line)
			continue
		}
		kind, pattern, command := columns[0], columns[1], columns[2]
		if !slices.ContainsFunc(files, func(name string) bool {
			ok, err := path.Match(pattern, name)
			return ok && err == nil
		}) {
			t.Errorf("%s: no file is called %s", kind, pattern)
		}
		words := strings.Fields(command)
		switch {
		case words[0] == "go" && slices.Contains(words, "-update"):
			commands[strings.TrimPrefix(words[2], "./")] = true
		case strings.HasPrefix(words[0], "GOLDEN="):
			commands["www/tests/browser"] = true
		default:
			t.Errorf("%s: %q writes no expected values", kind, command)
		}
		file, name, _ := strings.Cut(columns[3], " ")
		if !slices.Contains(files, file) || name == "" || !strings.Contains(read(t, file), name) {
			t.Errorf("%s: %s has no %q", kind, file, name)
		}
	}
	found := 0
	for _, name := range files {
		if name == "tools/dev/arch/written_test.go" || !strings.Contains(name, "test") ||
			path.Ext(name) != ".go" && path.Ext(name) != ".ts" {
			continue
		}
		if !updates.MatchString(read(t, name)) {
			continue
		}
		found++
		if folder := path.Dir(name); !commands[folder] {
			t.Errorf("%s writes expected values; list them in %s, with a test that compares one "+
				"with another source", name, writtenFile)
		}
	}
	must.Equal(t, found >= len(commands), true, found, writtenFile, len(commands))
}
