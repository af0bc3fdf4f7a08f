package cli

import (
	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// Explain explains a bag. Standard error gets the progress, of which the total is an upper bound,
// and a note if the work will take long.
func Explain(c *cobra.Command, plan *ask.Plan, in *ask.Input) (*ask.Explained, error) {
	bar := NewProgress(c.ErrOrStderr(), "evaluations")
	defer bar.End()
	plan.Slow = func(sentence string) {
		bar.End()
		EarlyNotes(c)([]string{sentence})
	}
	return plan.Explain(c.Context(), in, bar.Update)
}
