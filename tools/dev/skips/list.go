package main

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// when states when a listed test skips.
type when string

const (
	always     when = "always"     // skips on all machines
	restricted when = "restricted" // if the restricted files are missing
	machine    when = "machine"    // skips on some machines
)

// An entry is a line of the list.
type entry struct {
	when    when
	suite   string
	pattern string // pattern of names, see path.Match
	reason  string
}

// An outcome is a test that ran or skipped.
type outcome struct {
	name    string // "core/bagio.TestTables/musk1" in Go, "suite > test" else
	skipped bool
	reason  string
}

// parseList reads lines with the columns when | suite | pattern | reason. It ignores empty lines
// and lines that begin with #.
func parseList(text string) ([]entry, error) {
	var list []entry
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(line, "|")
		for c := range columns {
			columns[c] = strings.TrimSpace(columns[c])
		}
		if len(columns) != 4 || slices.Contains(columns, "") {
			return nil, fmt.Errorf(
				"%s:%d: the line must have four columns: when | suite | test | reason",
				listFile, i+1)
		}
		e := entry{when(columns[0]), columns[1], columns[2], columns[3]}
		if !slices.Contains([]when{always, restricted, machine}, e.when) {
			return nil, fmt.Errorf("%s:%d: %q is unknown; use always, restricted or machine",
				listFile,
				i+1, e.when)
		}
		if _, err := path.Match(e.pattern, ""); err != nil {
			return nil, fmt.Errorf("%s:%d: %s: %w", listFile, i+1, e.pattern, err)
		}
		list = append(list, e)
	}
	return list, nil
}

// check compares the outcomes of a suite with the list. It returns a sentence for each skip that is
// not listed or not expected on this machine, and for each entry without its expected skip.
func check(list []entry, suite string, tests []outcome, hasRestricted bool) []string {
	var problems []string
	used := make([]bool, len(list))
	for _, o := range tests {
		at := slices.IndexFunc(list, func(e entry) bool {
			match, _ := path.Match(e.pattern, o.name)
			return match && e.suite == suite
		})
		switch {
		case !o.skipped:
		case at < 0:
			problems = append(problems, fmt.Sprintf("%s: %s skips, but %s does not list it: %s",
				suite, o.name, listFile, o.reason))
		case list[at].when == restricted && hasRestricted:
			problems = append(problems, fmt.Sprintf(
				"%s: %s skips although the restricted files exist: %s", suite, o.name, o.reason))
		default:
			used[at] = true
		}
	}
	for i, e := range list {
		expected := e.when == always || e.when == restricted && !hasRestricted
		if e.suite == suite && expected && !used[i] {
			problems = append(problems, fmt.Sprintf(
				"%s: %s does not skip any more; remove it from %s", suite, e.pattern, listFile))
		}
	}
	return problems
}
