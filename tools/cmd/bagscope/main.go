// Bagscope explains what a multiple-instance-learning model saw in a bag: which instances mattered, and
// which class each supported or refuted.
//
//	bagscope predict  --model M --bag B           what the model says
//	bagscope explain  --model M --bag B           why: scores of every instance for every class
//	bagscope evaluate --model M --bags SET.npz    how faithful the explanations are
//	bagscope study    --dataset D --models DIR    the paper's tables, measured
//	bagscope tune     --model M --dataset D       MILLI's alpha and beta, chosen on validation bags
//	bagscope samples  --model M --dataset D       methods against the number of coalitions
//	bagscope figure   --kind K --out F.svg        the paper's figures
//	bagscope inspect  --model M                   what the model file holds, how it is run
//	bagscope methods                              which methods there are
//	bagscope train    --dataset D --model N       train the paper's networks
//	bagscope serve    --models DIR                the same answers over HTTP
//	bagscope cohort   --manifest M --out DIR      whole cohorts on Apache Beam, by a program of its own
//	bagscope version
//
// Results go to standard output, as a table or with --json; progress goes to standard error and only
// to a terminal. Exit codes: 0 done, 1 failed, 2 wrong usage.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/bagscope/bagscope/core"
)

// Exit codes that scripts rely on.
const (
	ExitDone = iota
	ExitFailed
	ExitUsage
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second Ctrl-C ends the program at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is the program: it returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	out := bufio.NewWriter(stdout)
	root := newRoot(out, stderr)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if flush := out.Flush(); err == nil && flush != nil {
		err = Failed(fmt.Errorf("the output cannot be written: %w", flush))
	}
	if err == nil {
		return ExitDone
	}
	var child childError
	if errors.As(err, &child) {
		return max(child.code, ExitFailed) // -1 of one that was killed
	}
	text := err.Error()
	if ctx.Err() != nil {
		text = "stopped before it was done"
		if errors.As(err, new(resumable)) {
			text += "; the same command goes on where it was"
		}
	}
	fmt.Fprintln(stderr, "bagscope: "+strings.ReplaceAll(text, "\n", " "))
	return exitCode(err)
}

// A usageError says what is wrong with the command line.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func Usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// A failure is an error of the work, not of the command line.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

func Failed(err error) error { return failure{err} }

// A resumable error ends work that keeps what it has done so far.
type resumable struct{ error }

func (r resumable) Unwrap() error { return r.error }

// exitCode tells failures from wrong usage: what never came to work is usage, and so is a setting whose
// value makes no sense.
func exitCode(err error) int {
	var wrong *usageError
	var setting *core.SettingError
	var f failure
	if errors.As(err, &f) && !errors.As(err, &wrong) && !errors.As(err, &setting) {
		return ExitFailed
	}
	return ExitUsage
}
