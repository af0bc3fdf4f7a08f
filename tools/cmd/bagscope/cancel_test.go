package main

import (
	"bytes"
	"context"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// patience is the time in which a program does the next thing, on any machine.
const patience = 2 * time.Minute

// allocated returns the bytes that the process has allocated since it started.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// cancelCommand runs a command that would compute for minutes, and cancels it during its work, as
// Ctrl-C does. It calls before just before it cancels.
func cancelCommand(t testing.TB, before func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stderr bytes.Buffer
	begun := allocated()
	ended := make(chan int, 1)
	go func() {
		ended <- program.Run(ctx, []string{"explain", "--model", exampleModel, "--bag",
			exampleBags, "--method", "random_shap", "--samples", "3000000"},
			new(bytes.Buffer), &stderr)
	}()
	for end := time.Now().Add(patience); allocated() < begun+working; time.Sleep(time.Millisecond) {
		must.Equal(t, len(ended) <= 0, true, allocated()-begun)
		must.Equal(t, time.Now().After(end), false, allocated()-begun)
	}
	before()
	cancel()
	must.Equal(t, <-ended, cli.ExitFailed)
	must.Contain(t, stderr.String(), "interrupted before")
}

// working is the number of bytes that the command of cancelCommand has allocated when it evaluates
// coalitions. Opening the model and the bag takes less.
const working = 32 << 20

func TestCancelledCommand(t *testing.T) { cancelCommand(t, func() {}) }
