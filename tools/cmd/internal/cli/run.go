package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// Exit codes of every program. Scripts depend on them.
const (
	ExitDone = iota
	ExitFailed
	ExitUsage
)

// A Program is a tree of commands: New returns its root, which writes results to out and
// progress to errors.
type Program struct {
	Name string
	New  func(out, errors io.Writer) *cobra.Command
}

// Main runs the program with the arguments of this process and exits with the program's exit code.
func (p Program) Main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second Ctrl-C ends the program at once.
	context.AfterFunc(ctx, stop)
	os.Exit(p.Run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// Run runs the program and returns its exit code.
func (p Program) Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	// A full disk is noticed when the buffer is flushed.
	visible := &visibleWriter{to: stdout}
	out := bufio.NewWriter(visible)
	root := p.New(out, stderr)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if flush := cmp.Or(out.Flush(), visible.flush()); err == nil && flush != nil {
		err = Failed(msg.Errorf("the output cannot be written: %w", flush))
	}
	if err == nil {
		return ExitDone
	}
	var child *ChildError
	if errors.As(err, &child) {
		return max(child.Code, ExitFailed) // a killed child has the code -1
	}
	text := ask.ErrorText(err, ask.CommandLine)
	// The error of an interrupted command is only a consequence.
	if ctx.Err() != nil {
		text = "interrupted before it finished"
		if errors.As(err, new(resumable)) {
			text += "; run the same command again to continue"
		}
	}
	fmt.Fprintln(stderr, msg.Sprintf("%s: %s", p.Name, msg.Text(text)))
	return ExitCode(err)
}

// A usageError describes an invalid command line.
type usageError struct{ text string }

// Error returns the text.
func (e *usageError) Error() string { return msg.Cut(e.text) }

// Usagef returns an error of the command line, with the exit code ExitUsage.
func Usagef(format string, args ...any) error { return &usageError{msg.Sprintf(format, args...)} }

// A failure is an error that occurred during the work, not in the command line.
type failure struct{ error }

// Unwrap returns the marked error.
func (f failure) Unwrap() error { return f.error }

// Failed marks err as a failure of the work, with the exit code ExitFailed. It returns nil for nil.
func Failed(err error) error {
	if err == nil {
		return nil
	}
	return failure{err}
}

// A ChildError is the exit code of another program, which has written the reason to standard error.
type ChildError struct {
	Program string
	Code    int
}

// Error is not printed, because the child has printed the reason.
func (e *ChildError) Error() string {
	return msg.Sprintf("%s failed with exit code %d", e.Program, e.Code)
}

// Resumable marks the error of work that can continue from what it has stored.
func Resumable(err error) error { return resumable{err} }

// resumable marks an error, see Resumable.
type resumable struct{ error }

// Unwrap returns the marked error.
func (r resumable) Unwrap() error { return r.error }

// ExitCode returns ExitFailed for an error that Failed has marked, and ExitUsage for every other
// error. An invalid value of a setting is ExitUsage even if Failed has marked it.
func ExitCode(err error) int {
	var wrong *usageError
	var setting *core.SettingError
	var f failure
	if errors.As(err, &f) && !errors.As(err, &wrong) && !errors.As(err, &setting) {
		return ExitFailed
	}
	return ExitUsage
}
