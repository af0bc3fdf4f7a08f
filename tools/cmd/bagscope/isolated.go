package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"

	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/service/server"
)

// oneBagFlag is the hidden flag of a process that computes one bag for a server.
const oneBagFlag = "one-bag"

// mostStops is the number of stops of the server during one bag after which the bag fails. Other
// causes than the bag are likelier, so that it is far above --bag-attempts; but a bag must not stop
// the server forever where the system ends it with the process of the bag.
const mostStops = 10

// ownProcess returns a command that runs this program once more with its arguments and further
// flags.
var ownProcess = func(ctx context.Context, flags ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return exec.CommandContext(ctx, self, slices.Concat(os.Args[1:], flags)...), nil
}

// isolated returns server.Options.Isolate. The process writes its messages to log.
func isolated(
	log io.Writer,
) func(ctx context.Context, talk func(in io.Writer, out io.Reader) error) error {
	return func(ctx context.Context, talk func(in io.Writer, out io.Reader) error) error {
		ctx, kill := context.WithCancel(ctx)
		defer kill()
		c, err := ownProcess(ctx, "--"+oneBagFlag)
		if err != nil {
			return err
		}
		c.Stderr = log
		in, err := c.StdinPipe()
		if err != nil {
			return err
		}
		out, err := c.StdoutPipe()
		if err != nil {
			return err
		}
		if err := c.Start(); err != nil {
			return err
		}
		err = talk(in, out)
		kill()       // it has nothing left to do
		_ = c.Wait() // it was killed
		return err
	}
}

// computeBag computes one bag for the server that started this process, and ends with it. On Linux
// the system ends this process first if memory runs out.
func computeBag(ctx context.Context, o server.Options) error {
	// A stop of the server is not a fault of the bag; the server ends this process itself.
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) // elsewhere it does not exist
	s, err := server.New(o)
	if err != nil {
		return err
	}
	in, received := io.Pipe()
	go func() {
		_, _ = io.Copy(received, os.Stdin)
		os.Exit(cli.ExitFailed) // the server has ended
	}()
	return s.ComputeBag(context.WithoutCancel(ctx), in, os.Stdout)
}
