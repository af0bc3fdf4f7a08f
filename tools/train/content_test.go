package train

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestResultsOfOtherFilesAreRejected checks checkpoints, reports and records of other files with
// equal names. Results without a Content are accepted.
func TestResultsOfOtherFilesAreRejected(t *testing.T) {
	job := tiny(t)
	c := must.Get(job.config())(t)
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
	must.Do(t, errors.Join(os.Remove(c.Checkpoint), os.RemoveAll(filepath.Join(job.Out, "digits"))))
	check("a", true)
	check("a", true)
	check("b", false)
}
