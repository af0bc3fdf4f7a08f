package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// An exception accepts a vulnerability until the end of a day.
type exception struct {
	id, reason string
	until      time.Time
}

// parseExceptions reads lines with the columns until | id | reason. It ignores empty lines and
// lines that begin with #.
func parseExceptions(text string) ([]exception, error) {
	var list []exception
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.SplitN(line, "|", 3)
		for c := range columns {
			columns[c] = strings.TrimSpace(columns[c])
		}
		if len(columns) != 3 || slices.Contains(columns, "") {
			return nil, fmt.Errorf("%s:%d: the line must have three columns: until | id | reason",
				exceptionsFile, i+1)
		}
		until, err := time.Parse(time.DateOnly, columns[0])
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %q is not a date such as 2027-03-31",
				exceptionsFile, i+1, columns[0])
		}
		list = append(list, exception{columns[1], columns[2], until})
	}
	return list, nil
}

// judge returns a sentence for each finding that is not excepted, and for each exception that has
// ended or that nothing needs. Those of npm and Python packages have other numbers than GO-.
func judge(found []finding, excepted []exception, now time.Time) []string {
	var problems []string
	for _, f := range found {
		if slices.ContainsFunc(excepted, func(e exception) bool { return e.id == f.id }) {
			continue
		}
		mended := "no version without it is known"
		if f.fixed != "" {
			mended = "fixed in " + f.fixed
		}
		problems = append(problems, fmt.Sprintf(
			"%s reaches %s in %s; %s: https://pkg.go.dev/vuln/%s",
			f.where, f.id, f.module, mended, f.id))
	}
	for _, e := range excepted {
		if !strings.HasPrefix(e.id, "GO-") {
			continue
		}
		switch {
		case now.After(e.until.AddDate(0, 0, 1)):
			problems = append(problems, fmt.Sprintf("%s excepts %s until %s: judge it again",
				exceptionsFile, e.id, e.until.Format(time.DateOnly)))
		case !slices.ContainsFunc(found, func(f finding) bool { return f.id == e.id }):
			problems = append(problems, fmt.Sprintf(
				"%s excepts %s, which nothing reaches: remove it", exceptionsFile, e.id))
		}
	}
	return problems
}
