package arch

import (
	"regexp"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestSecurityTable checks that each attack in SECURITY.md names tests that exist: functions in Go,
// or files of tests.
func TestSecurityTable(t *testing.T) {
	files := trackedFiles(t)
	var tests strings.Builder
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			tests.WriteString(read(t, file))
		}
	}
	_, text, _ := strings.Cut(read(t, "SECURITY.md"), "\n## Attacks\n")
	text, _, _ = strings.Cut(text, "\n## ")
	row := regexp.MustCompile(`(?m)^\| (?:[^|\n]+\|){2}([^|\n]+)\|$`)
	rows := row.FindAllStringSubmatch(text, -1)
	must.Equal(t, len(rows) >= 20, true, len(rows))
	for _, row := range rows[2:] { // below the heading and its rule
		if strings.HasPrefix(row[0], "| **") {
			continue // a heading within the table
		}
		shown := codeSpan.FindAllStringSubmatch(row[1], -1)
		must.Equal(t, shown != nil, true, row[0])
		for _, m := range shown {
			switch name := m[1]; {
			case strings.HasPrefix(name, "Test"), strings.HasPrefix(name, "Fuzz"):
				if !strings.Contains(tests.String(), "\nfunc "+name+"(") {
					t.Errorf("SECURITY.md names %s, which no file declares", name)
				}
			case !named(files, ".", name):
				t.Errorf("SECURITY.md names %s, which is not a file of tests", name)
			}
		}
	}
}
