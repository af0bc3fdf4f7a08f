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
	c := cli.Command("explain", "Compute a score for each instance of a bag and each class", e.run)
	e.model.Register(c)
	e.bags.Register(c, "bag", cli.BagUsage)
	e.methods.Register(c, core.DefaultMethod)
	c.Flags().IntVar(&e.index, "index", 0, "index of the bag in a set of bags, from 0")
	c.Flags().StringVar(&e.coalitions, "coalitions", "",
		"file of coalitions that replaces the sampler: one line of 0s and 1s for each coalition")
	c.Flags().BoolVar(&e.asJSON, "json", false, "print JSON")
	c.Flags().StringVar(&e.csv, "csv", "", "write the scores to a CSV file")
	c.Flags().StringVar(&e.png, "png", "",
		"write a picture of one method's explanation to a PNG file")
	c.Flags().BoolVar(&e.trust, "trust", false, "measure how reliable the scores are: AOPC-R "+
		"compared with simple methods, and the correlation with the scores of another seed")
	c.Flags().IntVar(&e.top, "top", 10,
		"number of instances in the table, largest scores first; 0 shows all")
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
		return cli.Usagef("--top must not be negative, got %d; 0 shows all instances", e.top)
	}
	if e.png != "" && len(plan.Methods) > 1 {
		return cli.Usagef("--png draws one method, but %d are selected; select one with --method",
			len(plan.Methods))
	}
	if e.coalitions != "" && !plan.Samples() {
		return cli.Usagef("--coalitions replaces a sampler, but none of the selected methods " +
			"samples; select one that does with --method")
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

// print writes every requested form of output.
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
