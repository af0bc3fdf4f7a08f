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
)

// cohortProgram is a program of its own, in a module of its own: whoever builds bagscope builds no Apache Beam.
const cohortProgram = "bagscope-cohort"

func newCohort() *cobra.Command {
	return &cobra.Command{
		Use:                "cohort",
		Short:              "Explain a cohort on Apache Beam: every bag of a manifest, and tables over all of them",
		DisableFlagParsing: true, // the flags are that program's
		RunE:               runCohort,
	}
}

func runCohort(c *cobra.Command, args []string) error {
	program, err := findCohort()
	if err != nil {
		return Failed(err)
	}
	p := exec.Command(program, args...)
	p.Stdin, p.Stdout, p.Stderr = c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr()
	if err := p.Start(); err != nil {
		return Failed(err)
	}
	// A terminal sends Ctrl-C to both programs, so that only what is sent to this one alone is passed on.
	ends := make(chan os.Signal, 1)
	signal.Notify(ends, syscall.SIGTERM)
	defer signal.Stop(ends)
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case s := <-ends:
			if p.Process.Signal(s) != nil { // Windows knows no such signal
				_ = p.Process.Kill()
			}
		case <-done:
		}
	}()
	err = p.Wait()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return childError{ended.ExitCode()}
	}
	if err != nil {
		return Failed(err)
	}
	return nil
}

// findCohort looks beside this program, then along PATH.
func findCohort() (string, error) {
	if self, err := os.Executable(); err == nil {
		near := filepath.Join(filepath.Dir(self), cohortProgram)
		if runtime.GOOS == "windows" {
			near += ".exe"
		}
		if info, err := os.Stat(near); err == nil && info.Mode().IsRegular() {
			return near, nil
		}
	}
	if found, err := exec.LookPath(cohortProgram); err == nil {
		return found, nil
	}
	return "", errors.New("cohort is a program of its own, and neither beside this one nor in PATH is there a " + cohortProgram +
		"; in a clone of the repository, make cohort builds both into build/, and go install -C tools/cohort ./" + cohortProgram + " puts it where Go puts programs")
}

// A childError is the exit code of a program that has said itself what is wrong.
type childError struct{ code int }

func (e childError) Error() string { return cohortProgram + " failed" }
