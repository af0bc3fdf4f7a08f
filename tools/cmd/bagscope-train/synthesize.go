package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/train/synthetic"
)

// newSynthesize returns the command that writes a simulated cohort.
func newSynthesize() *cobra.Command {
	var o synthetic.Options
	var out string
	c := cli.Command("synthesize", "Write a cohort of simulated slides with features, labels and "+
		"annotations as laboratories keep them", func(c *cobra.Command) error {
		if err := cli.Require(c, "layout", "out"); err != nil {
			return err
		}
		bar := cli.NewProgress(c.ErrOrStderr(), "slides")
		defer bar.End()
		if err := synthetic.Write(c.Context(), out, o, bar.Update); err != nil {
			return err
		}
		bar.End()
		var text bytes.Buffer
		fmt.Fprintf(&text, "%d simulated slides in %s\n", o.Slides, out)
		_, err := c.OutOrStdout().Write(text.Bytes())
		return err
	})
	c.Flags().StringVar(&o.Layout, "layout", "", "names and forms of files: "+
		strings.Join(synthetic.Layouts(), ", "))
	c.Flags().StringVar(&out, "out", "", "the new folder for the cohort")
	c.Flags().IntVar(&o.Slides, "slides", synthetic.LeastSlides, "number of slides, every other "+
		"one with lesions")
	c.Flags().IntVar(&o.Features, "features", 16, "features of each patch, as a model takes them; "+
		"the first one finds lesions")
	c.Flags().Uint64Var(&o.Seed, "seed", 0, "seed of the random numbers")
	return c
}
