package main

import (
	"fmt"
	"strings"
)

// The lists are beside the program.
const (
	packagesFile   = "tools/dev/mutate/packages.txt"
	equivalentFile = "tools/dev/mutate/equivalent.txt"
)

// A target is a package to measure. Mutants that its own tests do not notice are tried by the tests
// of others.
type target struct {
	folder string
	others []string
}

type targets []target

// parsePackages reads lines "FOLDER: FOLDERS OF OTHER TESTS" and, for folders that are left out,
// "not FOLDER: REASON". It ignores empty lines and those that begin with #.
func parsePackages(text string) (list targets, left map[string]string, err error) {
	left = map[string]string{}
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		folder, rest, ok := strings.Cut(line, ":")
		folder, out := strings.CutPrefix(folder, "not ")
		switch {
		case !ok || strings.ContainsAny(folder, " \t"):
			return nil, nil, fmt.Errorf("%s:%d: write FOLDER: FOLDERS OF OTHER TESTS", packagesFile,
				i+1)
		case out && len(strings.Fields(rest)) < 3:
			return nil, nil, fmt.Errorf("%s:%d: write not FOLDER: REASON", packagesFile, i+1)
		case out:
			left[folder] = strings.TrimSpace(rest)
		default:
			list = append(list, target{folder, strings.Fields(rest)})
		}
	}
	return list, left, nil
}

// part returns every parts-th target, beginning with another one each day, so that all have had
// their turn after as many days as there are parts.
func (t targets) part(parts int, day int64) targets {
	var list targets
	for i, p := range t {
		if parts <= 1 || int64(i%parts) == day%int64(parts) {
			list = append(list, p)
		}
	}
	return list
}

// find returns the target of a folder. A folder without a line has its own tests only.
func (t targets) find(folder string) target {
	for _, p := range t {
		if p.folder == folder {
			return p
		}
	}
	return target{folder: folder}
}

// parseEquivalents reads the mutants that no test can notice, by their keys, each with the reason.
// An entry has three lines: the place, the change and, after a tab, the reason.
func parseEquivalents(text string) (map[string]string, error) {
	known := map[string]string{}
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if strings.HasPrefix(block, "#") || block == "" {
			continue
		}
		place, rest, _ := strings.Cut(block, "\n")
		change, reason, _ := strings.Cut(rest, "\n")
		if len(strings.Fields(reason)) < 3 || !strings.Contains(change, "→") {
			return nil, fmt.Errorf("%s: %q must have three lines: place, change and reason",
				equivalentFile, block)
		}
		known[strings.TrimSpace(place)+"\n"+strings.TrimSpace(change)] = strings.TrimSpace(reason)
	}
	return known, nil
}
