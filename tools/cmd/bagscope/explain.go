package main

import (
	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/service/query"
)

// explainCommand holds the flags of explain.
type explainCommand struct {
	model      cli.ModelFlags
	bags       cli.BagFlags
	methods    cli.MethodFlags
	index      int
	coalitions string
	asJSON     bool
	csv, png   string
	top        int
	trust      bool
}

func newExplain() *cobra.Command {
	e := &explainCommand{}
	c := cli.Command("explain", "Score every instance of a bag for every class", e.run)
	e.model.Register(c)
	e.bags.Register(c, "bag", cli.BagUsage)
	e.methods.Register(c, core.DefaultMethod)
	c.Flags().IntVar(&e.index, "index", 0, "number of the bag in a set of several, from 0")
	c.Flags().StringVar(&e.coalitions, "coalitions", "", "file of coalitions that replaces the sampler, a line of 0 and 1 each")
	c.Flags().BoolVar(&e.asJSON, "json", false, "print JSON")
	c.Flags().StringVar(&e.csv, "csv", "", "write the scores to a CSV file")
	c.Flags().StringVar(&e.png, "png", "", "draw the explanation of one method into a PNG file")
	c.Flags().BoolVar(&e.trust, "trust", false, "measure how far the scores can be trusted: AOPC-R beside that of simple methods, and the correlation with another seed")
	c.Flags().IntVar(&e.top, "top", 10, "instances in the table, those of the largest scores; 0 for all")
	return c
}

func (e *explainCommand) run(c *cobra.Command) error {
	asked := e.methods.Settings(c)
	asked.Trust = e.trust
	plan, err := asked.Plan()
	if err != nil {
		return cli.FlagError(err)
	}
	if err := cli.Require(c, "model", "bag"); err != nil {
		return err
	}
	if e.top < 0 {
		return cli.Usagef("--top %d is less than nothing; 0 shows all instances", e.top)
	}
	if e.png != "" && len(plan.Methods) > 1 {
		return cli.Usagef("--png draws one method, and %d are asked for; name one with --method", len(plan.Methods))
	}
	if e.coalitions != "" && !plan.Samples() {
		return cli.Usagef("--coalitions replaces a sampler, and none of the methods asked for samples")
	}
	e.model.Workers = e.methods.Workers
	in, err := cli.OpenBag(c, &e.model, &e.bags, e.index)
	if err != nil {
		return err
	}
	if e.coalitions != "" {
		z, err := readCoalitions(e.coalitions, in.Bag.Len())
		if err != nil {
			return err
		}
		if err := plan.Replace(z); err != nil {
			return err
		}
	}
	bar := cli.NewProgress(c.ErrOrStderr(), "evaluations")
	x, err := plan.Explain(c.Context(), in, bar.Update)
	bar.End()
	if err != nil {
		return cli.FlagError(err)
	}
	return e.print(c, explained{x})
}

// print writes every form of output that was asked for.
func (e *explainCommand) print(c *cobra.Command, x explained) error {
	if e.csv != "" {
		if err := cli.WriteCSV(e.csv, x.csv()); err != nil {
			return err
		}
	}
	if e.png != "" {
		if err := x.png(e.png); err != nil {
			return err
		}
	}
	if e.asJSON {
		return query.WriteJSON(c.OutOrStdout(), x.JSON())
	}
	return x.text(c.OutOrStdout(), e.top)
}
