package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// readCoalitions reads coalitions over k instances: one line of k characters, 0 or 1, for each.
// Empty lines are skipped. Errors name the line and the column, from 1.
func readCoalitions(name string, k int) (*core.Coalitions, error) {
	data, err := cli.ReadFile(name)
	if err != nil {
		return nil, err
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // editors on Windows write this mark
	// Each line has k characters and a line break, so that the size of the file gives their number.
	z := core.NewCoalitions(k, len(data)/(k+1)+1)
	for number, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		// A missing or additional character would shift all instances behind it.
		if len(line) != k {
			return nil, fmt.Errorf(
				"%s, line %d: the line has %d characters, but the bag has %d instances", name,
				number+1, len(line), k)
		}
		var members []int
		for i, r := range line {
			switch r {
			case '1':
				members = append(members, i)
			case '0':
			default:
				return nil, fmt.Errorf("%s, line %d, column %d: %q is neither 0 nor 1", name,
					number+1, i+1, r)
			}
		}
		z.AppendMembers(members...)
	}
	return z, nil
}
