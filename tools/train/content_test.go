package train

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestResultsOfOtherFilesAreRejected checks checkpoints, reports and records of other files with
// equal names. Results without a Content are accepted.
func TestResultsOfOtherFilesAreRejected(t *testing.T) {
	job := tiny(t)
	c, err := job.config()
	if err != nil {
		t.Fatal(err)
	}
	c.Checkpoint = filepath.Join(t.TempDir(), "checkpoint")
	check := func(content string, fits bool) {
		t.Helper()
		set := *c.Set
		set.Content = content
		c.Set, job.Set = &set, &set
		_, run := Run(t.Context(), c)
		_, trained := job.Run(t.Context())
		_, searched := Search{Job: job, Trials: 1}.Run(t.Context(), nil)
		var wrong *CheckpointError
		if fits && errors.Join(run, trained, searched) != nil || !fits &&
			(!errors.As(run, &wrong) || trained == nil || searched == nil) {
			t.Errorf("content %q: %v; %v; %v", content, run, trained, searched)
		}
	}
	check("", true)
	check("a", true)
	if err := errors.Join(os.Remove(c.Checkpoint),
		os.RemoveAll(filepath.Join(job.Out, "digits"))); err != nil {
		t.Fatal(err)
	}
	check("a", true)
	check("a", true)
	check("b", false)
}
