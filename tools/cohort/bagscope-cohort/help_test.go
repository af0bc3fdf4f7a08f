//go:build unix

package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/advice"
)

// TestFollowedHelp asks for the help that the error about a word names, which lists the flags.
func TestFollowedHelp(t *testing.T) {
	book := advice.Of(t)
	run := func(args ...string) (string, error) {
		c := exec.CommandContext(t.Context(), os.Args[0], args...)
		c.Env = append(os.Environ(), "BAGSCOPE_TEST_WORKER=program")
		out, err := c.CombinedOutput()
		return string(out), err
	}
	message, err := run("bags.jsonl")
	if err == nil {
		t.Fatal("it runs")
	}
	book.Read(t, message, "--help")
	if text, err := run("--help"); err != nil || !strings.Contains(text, "--manifest") {
		t.Errorf("%v: %s", err, text)
	}
}
