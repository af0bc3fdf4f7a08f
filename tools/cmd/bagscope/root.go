package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// newRoot returns the whole tree of commands, writing results to out and progress to errors.
func newRoot(out, errors io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:           "bagscope",
		Short:         "See inside a bag: what a multiple-instance-learning model saw",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          knownCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetOut(out)
	root.SetErr(errors)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return Usagef("%v; %s --help lists the flags", err, c.CommandPath())
	})
	for _, c := range []*cobra.Command{newPredict(), newExplain(), newEvaluate(), newTrain(), newStudy(), newTune(), newSamples(), newFigure(), newInspect(), newServe(), newCohort(), newMethods(), newVersion()} {
		// In the order in which they are told, not by letter.
		c.Flags().SortFlags = false
		root.AddCommand(c)
	}
	return root
}

func knownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	c.SuggestionsMinimumDistance = 2
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		return Usagef("there is no command %q; did you mean %s?", args[0], strings.Join(near, " or "))
	}
	return Usagef("there is no command %q; bagscope --help lists the commands", args[0])
}

// command makes a command without arguments whose errors are failures of its work.
func Command(name, short string, work func(c *cobra.Command) error) *cobra.Command {
	return &cobra.Command{
		Use:   name,
		Short: short,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return Usagef("%s takes no argument %q; files are named with flags, see %s --help", c.Name(), args[0], c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error {
			if err := work(c); err != nil {
				return Failed(err)
			}
			return nil
		},
	}
}

// require returns an error that names the first of the flags that was left out.
func Require(c *cobra.Command, names ...string) error {
	for _, name := range names {
		if f := c.Flags().Lookup(name); f.Value.String() == "" {
			return Usagef("--%s is missing: %s", name, f.Usage)
		}
	}
	return nil
}
