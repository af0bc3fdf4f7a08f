package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

func TestCheckComparesSkipsWithList(t *testing.T) {
	list := must.Get(parseList(`
# a comment
always     | go | core.TestStarted   | another test starts it
restricted | go | core.TestTables/*  | for research only
machine    | go | core.TestLinks     | the file system has no links
always     | js | a page > opens     | never here
`))(t)
	ran := func(names ...string) (tests []outcome) {
		for _, name := range names {
			name, skipped := strings.CutPrefix(name, "-")
			tests = append(tests, outcome{name: name, skipped: skipped, reason: "why"})
		}
		return tests
	}
	for _, c := range []struct {
		name          string
		tests         []outcome
		hasRestricted bool
		want          []string // a part of each problem
	}{
		{"as listed", ran("-core.TestStarted", "-core.TestTables/a", "core.TestLinks",
			"core.TestMore"), false, nil},
		{"with restricted data", ran("-core.TestStarted", "core.TestTables/a", "-core.TestLinks"),
			true, nil},
		{"not listed", ran("-core.TestStarted", "-core.TestTables/a", "-core.TestMore"), false,
			[]string{"core.TestMore skips, but testdata/skips.txt does not list it: why"}},
		{"of another suite", ran("-core.TestStarted", "-core.TestTables/a", "-a page > opens"),
			false, []string{"a page > opens skips"}},
		{"although the files exist", ran("-core.TestStarted", "-core.TestTables/a"), true,
			[]string{"although the restricted files exist"}},
		{"runs again", ran("core.TestStarted", "-core.TestTables/a"), false,
			[]string{"core.TestStarted does not skip any more"}},
		{"is gone", ran("-core.TestStarted", "core.TestMore"), false,
			[]string{"core.TestTables/* does not skip any more"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := check(list, "go", c.tests, c.hasRestricted)
			must.Equal(t, slices.EqualFunc(got, c.want, strings.Contains), true, got, c.want)
		})
	}
}

func TestParseListRejectsInvalidLines(t *testing.T) {
	for name, text := range map[string]string{
		"three columns": "always | go | core.TestA",
		"no reason":     "always | go | core.TestA | ",
		"unknown when":  "mostly | go | core.TestA | why",
		"bad pattern":   "always | go | core.Test[ | why",
	} {
		t.Run(name, func(t *testing.T) {
			must.Fail(t, must.Err(parseList(text)))
		})
	}
}

// TestList reads the list of the repository.
func TestRepositoryListIsValid(t *testing.T) {
	data := must.Get(os.ReadFile(filepath.Join("..", "..", "..", listFile)))(t)
	if list, err := parseList(string(data)); err != nil || len(list) == 0 {
		t.Errorf("%d entries, %v", len(list), err)
	}
}

func TestJUnitReports(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.xml")
	must.Do(t, os.WriteFile(file, []byte(`<?xml version="1.0"?>
<testsuites><testsuite name="in Chromium">
<testcase name="opens"/><testcase name="prints"><skipped type="skipped" message="no browser"/></testcase>
</testsuite><testcase name="alone"/>
<testsuite name="core"><testcase classname="github.com/bagscope/bagscope/core" name="TestA/b"><skipped
message="=== RUN   TestA/b&#xA;    a_test.go:1: no file&#xA;"/></testcase></testsuite></testsuites>`), 0o644))
	tests := must.Get(junitTests([]string{file}))(t)
	want := []outcome{{"alone", false, ""}, {"in Chromium > opens", false, ""},
		{"in Chromium > prints", true, "no browser"},
		{"core.TestA/b", true, "=== RUN TestA/b a_test.go:1: no file"}}
	must.EqualSlices(t, tests, want)
	must.Do(t, os.WriteFile(file, []byte("<testsuites></testsuites>"), 0o644))
	must.Fail(t, must.Err(junitTests([]string{file})), "no test")
}
