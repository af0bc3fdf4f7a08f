package main

import (
	"testing"

	"github.com/bagscope/bagscope/internal/advice"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// TestFollowedTraining gives the flags that errors name instead of others.
func TestFollowedTraining(t *testing.T) {
	book := advice.Of(t)
	at := []string{"--model", exampleModel, "--bags", exampleBags, "--limit", "1"}
	for name, c := range map[string]struct{ wrong, right []string }{
		"use --sizes": {[]string{"samples", "--method", "milli", "--samples", "9"},
			[]string{"samples", "--method", "milli", "--sizes", "9"}},
		"readers look at one method": {[]string{"readers", "--method", "all"},
			[]string{"readers", "--method", "single"}},
		"tune always uses MILLI": {[]string{"tune", "--alpha", ".1", "--beta", "0"},
			[]string{"tune", "--alphas", ".1", "--betas", "0"}},
	} {
		t.Run(name, func(t *testing.T) {
			code, _, errors := bagscope(t, append(c.wrong, at...)...)
			must.Equal(t, code, cli.ExitUsage, "exit code")
			book.Read(t, errors, name)
			succeed(t, append(c.right, at...)...)
		})
	}
}
