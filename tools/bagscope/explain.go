package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
)

// explainCommand holds the flags of explain.
type explainCommand struct {
	model      modelFlags
	bags       bagFlags
	methods    methodFlags
	index      int
	coalitions string
	asJSON     bool
	csv, png   string
	top        int
}

func newExplain() *cobra.Command {
	e := &explainCommand{}
	c := command("explain", "Score every instance of a bag for every class", e.run)
	e.model.register(c)
	e.bags.register(c, "bag", bagUsage)
	e.methods.register(c, "milli")
	c.Flags().IntVar(&e.index, "index", 0, "number of the bag in a set of several, from 0")
	c.Flags().StringVar(&e.coalitions, "coalitions", "", "file of coalitions that replaces the sampler, a line of 0 and 1 each")
	c.Flags().BoolVar(&e.asJSON, "json", false, "print JSON")
	c.Flags().StringVar(&e.csv, "csv", "", "write the scores to a CSV file")
	c.Flags().StringVar(&e.png, "png", "", "draw the explanation of one method into a PNG file")
	c.Flags().IntVar(&e.top, "top", 10, "instances in the table, those of the largest scores; 0 for all")
	return c
}

// An explained bag is what all forms of output are made from.
type explained struct {
	*opened
	model   core.ModelInfo // as it is once a bag is bound
	classes []string
	report  *core.Report
}

func (e *explainCommand) run(c *cobra.Command) error {
	options, data, err := e.methods.resolve(c)
	if err != nil {
		return err
	}
	if err := require(c, "model", "bag"); err != nil {
		return err
	}
	if e.top < 0 {
		return usage("--top %d is less than nothing; 0 shows all instances", e.top)
	}
	methods, err := core.NewMethods(e.methods.methods, options)
	if err != nil {
		return err
	}
	if e.png != "" && len(methods) > 1 {
		return usage("--png draws one method, and %d are asked for; name one with --method", len(methods))
	}
	if e.coalitions != "" && !slices.ContainsFunc(methods, samples) {
		return usage("--coalitions replaces a sampler, and none of the methods asked for samples")
	}
	e.model.workers = e.methods.workers
	in, err := open(c, &e.model, &e.bags, e.index)
	if err != nil {
		return err
	}
	if e.coalitions != "" {
		if options.Coalitions, err = readCoalitions(e.coalitions, in.bag.Len()); err != nil {
			return err
		}
		if methods, err = core.NewMethods(e.methods.methods, options); err != nil {
			return err
		}
	}
	x, err := e.explain(c, in, methods, data)
	if err != nil {
		return err
	}
	return e.print(c, x)
}

// samples reports whether a method draws coalitions, by its row in the table.
func samples(m core.Method) bool {
	table := core.Methods()
	at := slices.IndexFunc(table, func(row core.MethodInfo) bool { return row.Name == m.Name() })
	return at >= 0 && slices.Contains(table[at].Options, "coalitions")
}

// explain binds the bag and asks for the report.
func (e *explainCommand) explain(c *cobra.Command, in *opened, methods []core.Method, data core.DataSettings) (*explained, error) {
	ctx := c.Context()
	request := core.Request{
		Methods: methods, SkipMissing: e.methods.all(), Memory: int64(e.methods.memory) * 1e6,
		GameOptions: core.GameOptions{
			Output: core.Output(e.methods.output), Seed: e.methods.seed,
			Budget: e.methods.budget, Workers: e.methods.workers,
		},
	}
	if request.Memory > 0 {
		held, err := in.engine.Needs(ctx, in.bag)
		if err != nil {
			return nil, err
		}
		info := in.engine.Info()
		if err := request.Fits(held, core.Task{Instances: in.bag.Len(), Classes: max(1, len(info.Classes)), Negative: info.Negative}); err != nil {
			return nil, err
		}
	}
	ev, err := in.engine.Bind(ctx, in.bag)
	if err != nil {
		return nil, err
	}
	x := &explained{opened: in, model: in.engine.Info()}
	x.classes = classNames(x.model.Classes, ev.Task().Classes)
	if request.Classes, err = e.methods.classes(c, x.classes, data, in.bag); err != nil {
		return nil, err
	}
	bar := newProgress(c.ErrOrStderr(), "evaluations")
	defer bar.end()
	request.Progress = bar.update
	x.report, err = core.Explain(ctx, ev, request)
	return x, err
}

// print writes every form of output that was asked for.
func (e *explainCommand) print(c *cobra.Command, x *explained) error {
	if e.csv != "" {
		if err := writeCSV(e.csv, x.csv()); err != nil {
			return err
		}
	}
	if e.png != "" {
		if err := x.png(e.png); err != nil {
			return err
		}
	}
	if e.asJSON {
		return writeJSON(c.OutOrStdout(), x.json())
	}
	return x.text(c.OutOrStdout(), e.top)
}
