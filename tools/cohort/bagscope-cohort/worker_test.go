//go:build unix

package main

import (
	"flag"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
)

// TestMain runs the tests, or stands for a worker, for who starts one, or for the program.
func TestMain(m *testing.M) {
	switch os.Getenv("BAGSCOPE_TEST_WORKER") {
	case "worker":
		flag.Set("worker", "true")
		looks := 0
		leaveWithStarter(func() int {
			if looks++; looks == 4 { // the first is before the loop
				os.Stdout.WriteString("stays")
			}
			return os.Getppid()
		}, 10*time.Millisecond)
		select {}
	case "starter":
		worker := exec.Command(os.Args[0])
		worker.Env = append(os.Environ(), "BAGSCOPE_TEST_WORKER=worker")
		worker.Stdout = os.Stdout
		if err := worker.Run(); err != nil {
			os.Stdout.WriteString(err.Error())
		}
		os.Exit(1)
	case "program":
		main()
	}
	flag.Parse()
	os.Exit(m.Run())
}

// TestLeaveWithStarter kills who started a worker, and the worker ends.
func TestLeaveWithStarter(t *testing.T) {
	starter := exec.CommandContext(t.Context(), os.Args[0])
	starter.Env = append(os.Environ(), "BAGSCOPE_TEST_WORKER=starter")
	out := must.Get(starter.StdoutPipe())(t)
	must.Do(t, starter.Start())
	word := make([]byte, len("stays"))
	if _, err := io.ReadFull(out, word); err != nil || string(word) != "stays" {
		t.Fatalf("the worker ended before who started it: %v, %q", err, word)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(io.Discard, out) // until the worker has gone, who has the pipe too
	}()
	starter.Process.Kill()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("the worker stays")
	}
	_ = starter.Wait()
}
