package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// An otherProgram is a program that runs some of bagscope's commands. It is built separately, so
// that the libraries that it needs do not enlarge bagscope.
type otherProgram struct {
	name    string
	named   bool // it takes the name of the command as its first argument
	install string
	short   [][2]string // each command and what it does, in the order of the help
}

var otherPrograms = []*otherProgram{
	{
		name: "bagscope-train", named: true,
		install: "go install github.com/bagscope/bagscope/tools/cmd/bagscope-train@latest, or in a clone of the " +
			"repository go build -o build/ ./tools/cmd/...",
		short: [][2]string{
			{"train", "Train the paper's networks on a data set, and write them as ONNX files"},
			{"study", "Measure all methods on a data set, and lay the results out as the paper's tables"},
			{"tune", "Choose MILLI's alpha and beta on validation bags"},
			{"samples", "Measure methods against the number of coalitions they draw"},
			{"figure", "Draw the paper's figures as SVG or PNG"},
		},
	},
	{
		name: "bagscope-cohort",
		install: "in a clone of the repository make cohort, which builds it into build/, or " +
			"go install -C tools/cohort ./bagscope-cohort",
		short: [][2]string{
			{"cohort", "Explain a cohort on Apache Beam: every bag of a manifest, and tables over all of them"},
		},
	},
}

// commands returns the commands that the program runs.
func (p *otherProgram) commands() []*cobra.Command {
	var list []*cobra.Command
	for _, s := range p.short {
		list = append(list, &cobra.Command{
			Use:                s[0],
			Short:              s[1] + " (" + p.name + ")",
			DisableFlagParsing: true, // the flags are that program's
			RunE: func(c *cobra.Command, args []string) error {
				if p.named {
					args = append([]string{c.Name()}, args...)
				}
				return p.run(c, args)
			},
		})
	}
	return list
}

// run runs the program with the streams of c until it ends.
func (p *otherProgram) run(c *cobra.Command, args []string) error {
	file, err := p.find(c.Name())
	if err != nil {
		return cli.Failed(err)
	}
	child := exec.Command(file, args...)
	child.Stdin, child.Stdout, child.Stderr = c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr()
	if err := child.Start(); err != nil {
		return cli.Failed(err)
	}
	defer passSignals(child.Process)()
	err = child.Wait()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return &cli.ChildError{Program: p.name, Code: ended.ExitCode()}
	}
	if err != nil {
		return cli.Failed(err)
	}
	return nil
}

// passSignals passes SIGTERM on to a process until the returned function is called. A terminal
// sends Ctrl-C to both processes, so that an interrupt must not be passed on.
func passSignals(p *os.Process) (stop func()) {
	ends, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(ends, syscall.SIGTERM)
	go func() {
		select {
		case s := <-ends:
			if p.Signal(s) != nil { // Windows has no such signal
				_ = p.Kill()
			}
		case <-done:
		}
	}()
	return func() {
		signal.Stop(ends)
		close(done)
	}
}

// find searches the folder of this program, then PATH.
func (p *otherProgram) find(command string) (string, error) {
	if self, err := os.Executable(); err == nil {
		near := filepath.Join(filepath.Dir(self), p.name)
		if runtime.GOOS == "windows" {
			near += ".exe"
		}
		if info, err := os.Stat(near); err == nil && info.Mode().IsRegular() {
			return near, nil
		}
	}
	if found, err := exec.LookPath(p.name); err == nil {
		return found, nil
	}
	return "", fmt.Errorf("%s needs the program %s, which is neither in the folder of bagscope nor in PATH; install it: %s",
		command, p.name, p.install)
}
