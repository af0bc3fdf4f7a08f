package main

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

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
	if code := program.Run(t.Context(), []string{"version"}, full{},
		&stderr); code != cli.ExitFailed || strings.Count(stderr.String(), "no space left") != 1 {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
	if err := cli.WriteFile(t.TempDir()+"/x/y", func(io.Writer) error { return nil }); err == nil {
		t.Error("a file in no folder was written")
	}
}
