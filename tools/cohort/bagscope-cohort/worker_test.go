//go:build unix

package main

import (
	"flag"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestMain runs the tests, or stands for a worker or for who starts one.
func TestMain(m *testing.M) {
	switch os.Getenv("BAGSCOPE_TEST_WORKER") {
	case "worker":
		flag.Set("worker", "true")
		leaveWithStarter()
		time.Sleep(time.Hour)
	case "starter":
		worker := exec.Command(os.Args[0])
		worker.Env = append(os.Environ(), "BAGSCOPE_TEST_WORKER=worker")
		worker.Stdout = os.Stdout
		if worker.Start() == nil {
			os.Stdout.WriteString("started")
		}
		time.Sleep(time.Hour)
	}
	flag.Parse()
	os.Exit(m.Run())
}

// TestLeaveWithStarter kills who started a worker, and the worker ends.
func TestLeaveWithStarter(t *testing.T) {
	starter := exec.CommandContext(t.Context(), os.Args[0])
	starter.Env = append(os.Environ(), "BAGSCOPE_TEST_WORKER=starter")
	out, err := starter.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := starter.Start(); err != nil {
		t.Fatal(err)
	}
	word := make([]byte, len("started"))
	if _, err := io.ReadFull(out, word); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(io.Discard, out) // until the worker has gone, who has the pipe too
	}()
	select {
	case <-ended:
		t.Fatal("the worker ended before who started it")
	case <-time.After(2 * leaveEvery):
	}
	starter.Process.Kill()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("the worker stays")
	}
	_ = starter.Wait()
}
