package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
)

// TestDatabase checks the index of reports: each module names its reports once, and a withdrawn one
// is left out.
func TestDatabase(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for name, text := range map[string]string{
		"GO-2026-1": `{"id":"GO-2026-1","modified":"2026-11-01T00:00:00Z","affected":[` +
			`{"package":{"name":"example.com/a"}},{"package":{"name":"example.com/a"}}]}`,
		"GO-2026-2": `{"id":"GO-2026-2","modified":"2026-11-02T00:00:00Z",` +
			`"withdrawn":"2026-11-03T00:00:00Z","affected":[{"package":{"name":"stdlib"}}]}`,
	} {
		file := filepath.Join(dir, name+".json")
		files = append(files, file)
		must.Do(t, os.WriteFile(file, []byte(text), 0o600))
	}
	out := filepath.Join(dir, "out")
	must.Do(t, writeReports(files, out))
	text := must.Get(os.ReadFile(filepath.Join(out, "index", "modules.json")))(t)
	var modules []module
	if err := json.Unmarshal(text, &modules); err != nil || len(modules) != 1 ||
		modules[0].Path != "example.com/a" || len(modules[0].Vulns) != 1 {
		t.Errorf("the index is %s, %v", text, err)
	}
	for id, want := range map[string]bool{"GO-2026-1": true, "GO-2026-2": false} {
		must.Equal(t, must.Err(os.Stat(filepath.Join(out, "ID", id+".json"))) == nil, want, id)
	}
	must.Do(t, os.WriteFile(files[0], []byte("{}"), 0o600))
	must.Fail(t, writeReports(files, out))
}

// TestFindings counts a vulnerability that is called, once, and not one that is only required. A
// scan of another toolchain or of whole modules is an error.
func TestFindings(t *testing.T) {
	const called = `{"finding":{"osv":"GO-2026-1","fixed_version":"v1.1.0","trace":[` +
		`{"module":"example.com/a","version":"v1.0.0","function":"Decode"}]}}`
	const required = `{"finding":{"osv":"GO-2026-2","trace":[{"module":"example.com/b"}]}}`
	config := func(level, toolchain string) string {
		return `{"config":{"scan_level":"` + level + `","go_version":"` + toolchain + `"}}`
	}
	found, err := parseFindings(strings.NewReader(config("symbol", "go1.26.10")+called+called+
		required), "here", "go1.26.10")
	want := finding{"GO-2026-1", "here", "example.com/a v1.0.0", "v1.1.0"}
	if err != nil || len(found) != 1 || found[0] != want {
		t.Errorf("found %v, %v", found, err)
	}
	for _, wrong := range []string{"", config("module", "go1.26.10"), config("symbol", "go1.26.8"),
		"{"} {
		must.Equal(t, must.Err(parseFindings(strings.NewReader(wrong), "here", "go1.26.10")) != nil,
			true, wrong)
	}
}

// TestExceptions checks that an exception holds until the end of its day, and must be needed.
func TestExceptions(t *testing.T) {
	excepted, err := parseExceptions("# a comment\n\n" +
		"2026-11-27 | GO-2026-1 | it needs | a shell\n2026-11-27 | GHSA-1 | npm\n")
	must.Do(t, err)
	must.Equal(t, len(excepted), 2, excepted)
	one := []finding{{id: "GO-2026-1", where: "here", module: "example.com/a v1.0.0",
		fixed: "v1.1.0"}}
	day := time.Date(2026, 11, 27, 23, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name     string
		found    []finding
		excepted []exception
		now      time.Time
		want     string // part of the only problem, "" for none
	}{
		{"holds", one, excepted, day, ""},
		{"has ended", one, excepted, day.Add(2 * time.Hour), "excepts GO-2026-1 until 2026-11-27"},
		{"is not needed", nil, excepted, day, "remove it"},
		{"is missing", one, nil, day,
			"here reaches GO-2026-1 in example.com/a v1.0.0; fixed in v1.1.0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			problems := judge(c.found, c.excepted, c.now)
			if text := strings.Join(problems, "\n"); c.want == "" && text != "" ||
				c.want != "" && (len(problems) != 1 || !strings.Contains(text, c.want)) {
				t.Errorf("problems %q, want %q", problems, c.want)
			}
		})
	}
	for _, wrong := range []string{"2026-11-27 | GO-1", "soon | GO-1 | why", "2026-11-27 || why"} {
		must.Equal(t, must.Err(parseExceptions(wrong)) != nil, true, wrong)
	}
}
