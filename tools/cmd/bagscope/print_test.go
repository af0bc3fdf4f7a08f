package main

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

func TestClassTitle(t *testing.T) {
	if a, b := classTitle(2, "2"), classTitle(2, "two"); a != "2" || b != "2 two" {
		t.Errorf("%q, %q", a, b)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// An output that cannot be written is a failure.
func TestFullDisk(t *testing.T) {
	var stderr bytes.Buffer
	must.Equal(t, program.Run(t.Context(), []string{"version"}, full{}, &stderr), cli.ExitFailed)
	must.Equal(t, strings.Count(stderr.String(), "no space left"), 1)
	must.Equal(t, cli.WriteFile(t.TempDir()+"/x/y", func(io.Writer) error { return nil }) != nil,
		true, "a file in no folder was written")
}
