package main

import (
	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/train/dataset"
)

// openSet opens a data set and returns the effective settings: those of --settings or else of the
// data set, overridden by each flag that was given.
func openSet(
	c *cobra.Command, f *cli.MethodFlags, name, dir string,
) (*dataset.Set, methods.Options, methods.DataSettings, error) {
	set, err := dataset.Open(name, dir, dataset.Options{})
	if err != nil {
		return nil, methods.Options{}, methods.DataSettings{}, err
	}
	// Flags override --settings, and --settings overrides the data set.
	o, data, err := f.ResolveFrom(c, set.Settings)
	if o.Rank == "" && set.Negative < 0 {
		// the paper's code ranks by the negative class, which this set does not have
		o.Rank = methods.RankExplained
	}
	return set, o, data, err
}
