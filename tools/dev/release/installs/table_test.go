package installs

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestTable compares the table in CONTRIBUTING.md with what make installs and the workflow run.
func TestTable(t *testing.T) {
	want := map[string][]string{"`release.yml`": {"archive, pip | " + workflowPlatforms(t)}}
	for _, i := range installs {
		want["`make installs`"] = append(want["`make installs`"],
			i.name+" | Linux x86-64 | "+i.what)
	}
	got := map[string][]string{}
	_, section, _ := strings.Cut(read(t, "CONTRIBUTING.md"), "\n## Where releases were tried\n")
	for line := range strings.SplitSeq(section, "\n") {
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != 4 {
			continue
		}
		for n := range cells {
			cells[n] = strings.TrimSpace(cells[n])
		}
		row := strings.Join(cells[:3], " | ")
		if cells[3] == "`release.yml`" {
			row = strings.Join(cells[:2], " | ") // its steps are commands of a shell
		}
		got[cells[3]] = append(got[cells[3]], row)
	}
	for by, rows := range want {
		if !slices.Equal(got[by], rows) {
			t.Errorf("CONTRIBUTING.md has the rows %q of %s, want %q", got[by], by, rows)
		}
	}
}

// workflowPlatforms returns the platforms on which the workflow of releases runs the commands.
func workflowPlatforms(t *testing.T) string {
	t.Helper()
	names := strings.NewReplacer("linux-", "Linux ", "darwin-", "macOS ", "windows-", "Windows ",
		"amd64", "x86-64")
	var platforms []string
	for _, m := range regexp.MustCompile(`platform: ([a-z0-9-]+) }`).FindAllStringSubmatch(
		read(t, ".github/workflows/release.yml"), -1) {
		platforms = append(platforms, names.Replace(m[1]))
	}
	return strings.Join(platforms, ", ")
}

// read returns the text of a file of the repository.
func read(t *testing.T, name string) string {
	t.Helper()
	text := must.Get(os.ReadFile("../../../../" + name))(t)
	return string(text)
}
