//go:build unix

package main

import (
	"bytes"
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// processorTime returns what this process has used, which other processes do not lengthen.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestCancelledCommandCostsLittle measures the processor time that a command takes after Ctrl-C, in
// the best of several rounds. It would compute for minutes.
func TestCancelledCommandCostsLittle(t *testing.T) {
	const most = 100 * time.Millisecond
	least := time.Hour
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		var stderr bytes.Buffer
		begun := processorTime(t)
		ended := make(chan int, 1)
		go func() {
			ended <- program.Run(ctx, []string{"explain", "--model", exampleModel, "--bag",
				exampleBags, "--method", "random_shap", "--samples", "3000000"},
				new(bytes.Buffer), &stderr)
		}()
		for processorTime(t)-begun < 300*time.Millisecond && len(ended) == 0 {
			time.Sleep(time.Millisecond)
		}
		before := processorTime(t)
		cancel()
		if code := <-ended; code != cli.ExitFailed ||
			!strings.Contains(stderr.String(), "interrupted before") {
			t.Fatalf("exit code %d, stderr %q", code, stderr.String())
		}
		least = min(least, processorTime(t)-before)
	}
	if t.Logf("%v", least); least > most {
		t.Errorf("an interrupted command takes %v of processor time, want at most %v", least, most)
	}
}
