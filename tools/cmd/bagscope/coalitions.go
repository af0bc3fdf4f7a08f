package main

import (
	"bytes"
	"context"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// readCoalitions reads coalitions over k instances: one line of k characters, 0 or 1, for each.
// Empty lines are skipped. Errors name the line and the column, from 1.
func readCoalitions(ctx context.Context, name string, k int) (*core.Coalitions, error) {
	data, err := cli.ReadFile(ctx, name)
	if err != nil {
		return nil, err
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // editors on Windows write this mark
	// Each line has k characters and a line break, so that the size of the file gives their number.
	most := len(data)/(k+1) + 1
	// Each has a bit for each instance, in words of 64.
	size := 8 * int64((k+63)/64) * int64(most)
	if err := quota.MemoryOf(ctx).Reserve(size, "coalitions"); err != nil {
		return nil, err
	}
	z := core.NewCoalitions(k, most)
	number := 0
	for text := range bytes.Lines(data) {
		number++
		line := strings.TrimSpace(string(text))
		if line == "" {
			continue
		}
		// A missing or additional character would shift all instances behind it.
		if len(line) != k {
			return nil, msg.Errorf(
				"%s, line %d: the line has %d characters, but the bag has %d instances", name,
				number, len(line), k)
		}
		var members []int
		for i, r := range line {
			switch r {
			case '1':
				members = append(members, i)
			case '0':
			default:
				return nil, msg.Errorf("%s, line %d, column %d: %q is neither 0 nor 1", name,
					number, i+1, r)
			}
		}
		z.AppendMembers(members...)
	}
	return z, nil
}
