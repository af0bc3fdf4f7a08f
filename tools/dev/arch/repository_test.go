package arch

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

const root = "../../.."

func read(t *testing.T, name string) string {
	t.Helper()
	b := must.Get(os.ReadFile(filepath.Join(root, name)))(t)
	return string(b)
}

// TestVersion holds every place that repeats the version against version.txt.
func TestVersion(t *testing.T) {
	version := strings.TrimSpace(read(t, "version.txt"))
	must.Equal(t, regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9a-z.]+)?$`).MatchString(version), true,
		version)
	must.Equal(t, strings.Contains(read(t, "CHANGELOG.md"), "\n## ["+version+"]"), true, version)
	must.Equal(t, strings.TrimSpace(read(t, "tools/cmd/internal/cli/version.txt")), version)
	if init := read(t, "tools/python/src/bagscope/__init__.py"); !strings.Contains(init,
		"\n__version__ = \""+version+"\"\n") {
		t.Errorf("tools/python/src/bagscope/__init__.py does not say %s", version)
	}
	for _, folder := range []string{"wasm/npm", "www"} {
		for _, file := range []string{folder + "/package.json", folder + "/package-lock.json"} {
			var npm struct {
				Version  string
				Packages map[string]struct{ Version string }
			}
			must.Do(t, json.Unmarshal([]byte(read(t, file)), &npm))
			if own, ok := npm.Packages[""]; npm.Version != version || ok && own.Version != version {
				t.Errorf("%s does not say %s as version.txt does; run make generate", file, version)
			}
		}
	}
}

// TestWorkflowsPinActions checks that workflows name every action by the hash of a commit, with its
// version in a comment: a tag can be moved to other code.
func TestWorkflowsPinActions(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, ".github/workflows/*.yml"))
	must.Do(t, err, len(files))
	must.Equal(t, len(files) >= 3, true, len(files))
	pinned := regexp.MustCompile(`uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	for _, file := range files {
		text := must.Get(os.ReadFile(file))(t)
		for line := range strings.SplitSeq(string(text), "\n") {
			if strings.Contains(line, "uses:") && !pinned.MatchString(line) {
				t.Errorf("%s: %q is not pinned by a hash with a version", filepath.Base(file), line)
			}
		}
		must.Equal(t, strings.Contains(string(text), "\npermissions:\n  contents: read\n"), true,
			filepath.Base(file))
	}
}

// TestGoLine keeps plain `go build` working with every Go 1.26 where GOTOOLCHAIN=local is pinned,
// and holds all modules and workflows to one toolchain, that of releases. With GOTOOLCHAIN=local,
// Go ignores a toolchain line.
func TestGoLine(t *testing.T) {
	line := regexp.MustCompile(`(?m)^go 1\.26\.0\n\ntoolchain go(1\.26\.\d+)$`)
	found := line.FindStringSubmatch(read(t, "go.mod"))
	must.Equal(t, found != nil, true, "go.mod does not say go 1.26.0 and a toolchain go1.26.N")
	for _, module := range []string{"tools/cohort", "tools/dev/release", "tools/gen/kernels/amd64",
		"tools/gen/kernels/arm64"} {
		must.Equal(t, line.FindString(read(t, module+"/go.mod")), found[0], module)
	}
	for _, workflow := range []string{"nightly", "release", "test"} {
		if text := read(t, ".github/workflows/"+workflow+".yml"); !strings.Contains(text,
			`go-version: "`+found[1]+`"`) {
			t.Errorf("%s.yml does not use Go %s", workflow, found[1])
		}
	}
}

// TestVerbs holds the Makefile to the verbs that the documentation names.
func TestVerbs(t *testing.T) {
	makefile := read(t, "Makefile")
	for _, verb := range strings.Fields(
		"help demo quick test check testdata race soak fuzz browsers audit bench generate wasm " +
			"www release installs nightly") {
		must.Equal(t, regexp.MustCompile(`(?m)^`+verb+`:.*## \S`).MatchString(makefile), true,
			verb)
	}
	if info, err := os.Stat(filepath.Join(root, ".ci/run")); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf(".ci/run cannot be run: %v", err)
	}
	for _, circle := range []struct{ file, column string }{
		{".ci/run", "in `.ci/run`"}, {"tools/dev/nightly", "in `make nightly`"},
	} {
		run, documented := verbsOf(t, circle.file), documentedVerbs(t, circle.column)
		delete(run, "test") // which has a line of its own
		if len(run) < 4 || !maps.Equal(run, documented) {
			t.Errorf("%s runs %v, but CONTRIBUTING.md lists %v", circle.file,
				slices.Sorted(maps.Keys(run)), slices.Sorted(maps.Keys(documented)))
		}
	}
}

// verbsOf returns the targets of make that a script names in quotes. It fails if one is named
// twice.
func verbsOf(t *testing.T, file string) map[string]bool {
	verbs := map[string]bool{}
	target := regexp.MustCompile(`"([a-z0-9-]+( [a-zA-Z0-9=-]+)*)"`)
	for _, quoted := range target.FindAllStringSubmatch(read(t, file), -1) {
		for _, verb := range strings.Fields(quoted[1]) {
			if strings.Contains(verb, "=") {
				continue // an argument of the target before it
			}
			if verbs[verb] {
				t.Errorf("%s runs make %s twice", file, verb)
			}
			verbs[verb] = true
		}
	}
	return verbs
}

// documentedVerbs returns the targets in the table of CONTRIBUTING.md with a heading.
func documentedVerbs(t *testing.T, heading string) map[string]bool {
	_, table, _ := strings.Cut(read(t, "CONTRIBUTING.md"), "| "+heading+" ")
	table, _, _ = strings.Cut(table, "\n\n")
	verbs := map[string]bool{}
	row := regexp.MustCompile("(?m)^\\| `make ([a-z0-9-]+)` ")
	for _, m := range row.FindAllStringSubmatch(table, -1) {
		verbs[m[1]] = true
	}
	return verbs
}
