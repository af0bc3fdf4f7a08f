package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"
)

// cohortProgram is a program of its own, in a module of its own: whoever builds bagscope builds no Apache Beam.
const cohortProgram = "bagscope-cohort"

func newCohort() *cobra.Command {
	return &cobra.Command{
		Use:                "cohort",
		Short:              "Explain a cohort on Apache Beam: every bag of a manifest, and tables over all of them",
		DisableFlagParsing: true, // the flags are that program's
		RunE: func(c *cobra.Command, args []string) error {
			program, err := findCohort()
			if err != nil {
				return failed(err)
			}
			p := exec.CommandContext(c.Context(), program, args...)
			p.Stdin, p.Stdout, p.Stderr = c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr()
			p.Cancel = func() error { return p.Process.Signal(os.Interrupt) }
			err = p.Run()
			var ended *exec.ExitError
			if errors.As(err, &ended) {
				return childError{ended.ExitCode()}
			}
			if err != nil {
				return failed(err)
			}
			return nil
		},
	}
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

func (childError) Error() string { return "" }
