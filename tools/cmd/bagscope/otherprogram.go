package main

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// An otherProgram is a separate program that runs some of bagscope's commands. It is built
// separately so that the libraries it needs do not enlarge bagscope.
type otherProgram struct {
	name    string
	named   bool        // the program expects the name of the command as its first argument
	install string      // how to install it, for the error of a missing program
	short   [][2]string // each command and its summary, in the order of the help
}

// otherPrograms lists the programs whose commands bagscope shows as its own.
var otherPrograms = []*otherProgram{
	{
		name: "bagscope-train", named: true,
		install: "unpack the archive of a release, which has both programs, or run " +
			"go install github.com/bagscope/bagscope/tools/cmd/bagscope-train@latest",
		short: [][2]string{
			{"train", "Train the paper's networks on a data set and write them as ONNX files"},
			{"study", "Measure all methods on a data set and write the paper's tables"},
			{"tune", "Choose MILLI's alpha and beta on validation bags"},
			{"samples", "Measure how the quality of methods depends on the number of coalitions"},
			{"choose", "Measure whether the method with the best AOPC-R on each bag is better " +
				"than one method for all bags"},
			{"readers", "Measure whether simulated readers find the key instances in small " +
				"pictures"},
			{"synthesize", "Write a cohort of simulated slides with features, labels and " +
				"annotations as laboratories keep them"},
			{"figure", "Draw the paper's figures as SVG or PNG"},
		},
	},
	{
		name: "bagscope-cohort",
		install: "unpack bagscope-cohort of a release into the same folder, or in a clone of the " +
			"repository run go install -C tools/cohort ./bagscope-cohort",
		short: [][2]string{
			{"cohort", "Explain every bag of a manifest with Apache Beam and write tables over " +
				"the whole cohort"},
		},
	},
}

// commands returns the commands of the program.
func (p *otherProgram) commands() []*cobra.Command {
	// Each command has only its name and summary here; its flags belong to the other program.
	var list []*cobra.Command
	for _, s := range p.short {
		list = append(list, &cobra.Command{
			Use:                s[0],
			Short:              s[1] + " (" + p.name + ")",
			DisableFlagParsing: true, // the other program parses its own flags
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

// run runs the program with the streams of c and waits until it exits.
func (p *otherProgram) run(c *cobra.Command, args []string) error {
	file, err := p.find(c.Name())
	if err != nil {
		return cli.Failed(err)
	}
	// The context of c does not kill the child: the child must store its results when it is
	// interrupted.
	child := exec.Command(file, args...)
	// The child uses the terminal itself, so that its progress works.
	child.Stdin, child.Stdout, child.Stderr = c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr()
	if err := child.Start(); err != nil {
		return cli.Failed(err)
	}
	defer passSignals(child.Process)()
	// The child has printed its error. Its exit code becomes that of bagscope.
	err = child.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return &cli.ChildError{Program: p.name, Code: exit.ExitCode()}
	}
	return cli.Failed(err)
}

// passSignals forwards SIGTERM to a process until the returned function is called. It does not
// forward interrupts, because a terminal sends Ctrl-C to both processes.
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
	// Without Stop, later signals would be lost in the channel.
	return func() {
		signal.Stop(ends)
		close(done)
	}
}

// find returns the path of the program. It searches the folder of this program first, then PATH.
func (p *otherProgram) find(command string) (string, error) {
	// An archive of a release contains all programs in one folder.
	if self, err := os.Executable(); err == nil {
		near := filepath.Join(filepath.Dir(self), p.name)
		if runtime.GOOS == "windows" {
			near += ".exe"
		}
		if info, err := os.Stat(near); err == nil && info.Mode().IsRegular() {
			return near, nil
		}
	}
	// Installed programs are in PATH.
	if found, err := exec.LookPath(p.name); err == nil {
		return found, nil
	}
	return "", msg.Errorf("%s needs the program %s, which is neither in bagscope's folder nor in "+
		"PATH; to install it: %s",
		command, p.name, p.install)
}
