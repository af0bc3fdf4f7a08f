package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/train/dataset"
	"github.com/bagscope/bagscope/tools/train/figure"
)

// A sweep measures methods over a set of bags, for commands that compare settings.
type sweep struct {
	model   cli.ModelFlags
	bags    cli.BagFlags
	split   splitFlags
	methods cli.MethodFlags
	metric  string // "" for a command without the flag
	limit   int    // number of bags, 0 for all
	out     string // path of the figure, or ""
	form    cli.OutputFlags
}

// register adds the flags of a command with a metric and a figure. methods is the default of
// --method, figureOf describes the figure in the help.
func (t *sweep) register(c *cobra.Command, methods, figureOf string) {
	t.registerMetric(c, methods)
	c.Flags().StringVar(&t.out, "out", "", "write "+figureOf+" to an .svg or .png file")
}

// registerMetric adds the flags of a command with a metric.
func (t *sweep) registerMetric(c *cobra.Command, methods string) {
	t.registerBags(c, methods)
	c.Flags().StringVar(&t.metric, "metric", metric.NameNDCG,
		"metric: ndcg needs instance labels, aopc-r does not")
}

// registerBags adds the flags that select model, bags and methods.
func (t *sweep) registerBags(c *cobra.Command, methods string) {
	t.methods.RepeatsFlag = "repeated-draws" // --repeat is of a data set
	t.model.Register(c)
	t.bags.Register(c, "bags",
		"the bags to measure on: validation bags, never the bags that results are reported for")
	// The bags come from a file or from a part of a data set.
	t.split.register(c)
	t.methods.Register(c, methods)
	c.Flags().IntVar(&t.limit, "limit", 0, "use only the first N bags")
	t.form.Register(c, "")
}

// A preparedSweep is a sweep with its model and bags opened.
type preparedSweep struct {
	*sweep
	sweptOver
	flags   *cobra.Command
	options methods.Options
	data    methods.DataSettings // settings of the data set
	info    metric.Info
	engine  ask.Engine
	truth   []core.Truth // nil uses the model's own table
	classes []string
	bag     func(ctx context.Context, i int) (*core.Bag, error) // reads bag i of Bags
}

// sweptOver is the JSON of the metric and the bags of a sweep.
type sweptOver struct {
	Metric  string `json:"metric,omitempty"`
	Bags    int    `json:"bags"`
	Small   int    `json:"small_bags"` // bags of the part that are too small
	Dataset string `json:"dataset,omitempty"`
	Repeat  *int   `json:"repeat,omitempty"`
	Part    string `json:"part,omitempty"`

	title string // title of the data set
}

// String describes the bags, for example "20 validation bags of 4-MNIST-Bags, repeat 0".
func (t sweptOver) String() string {
	if t.Dataset == "" {
		return fmt.Sprintf("%d bags", t.Bags)
	}
	return fmt.Sprintf("%d %s bags of %s, repeat %d", t.Bags,
		strings.Replace(t.Part, "train", "training", 1), t.title, *t.Repeat)
}

// prepare validates the flags, opens the model and reads the bags. The settings are those of the
// data set, overridden by flags.
func (t *sweep) prepare(c *cobra.Command) (*preparedSweep, error) {
	p := &preparedSweep{sweep: t, flags: c}
	if err := p.check(); err != nil {
		return nil, err
	}
	var set *dataset.Set
	var err error
	if t.split.dataset == "" {
		p.options, p.data, err = t.methods.Resolve(c)
	} else {
		set, p.options, p.data, err = openSet(c, &t.methods, t.split.dataset, t.split.data)
	}
	if err != nil {
		return nil, err
	}
	if err := t.methods.Bound(c); err != nil {
		return nil, err
	}
	t.model.Workers = 1 // several bags are encoded at a time
	if p.engine, err = t.model.Open(c.Context()); err != nil {
		return nil, err
	}
	p.classes = p.engine.Info().Classes
	if set == nil {
		err = p.readFile()
	} else {
		err = p.readPart(set)
	}
	if t.limit > 0 {
		p.Bags = min(p.Bags, t.limit)
	}
	return p, err
}

// check validates the flags before anything is read.
func (p *preparedSweep) check() error {
	if err := cli.Require(p.flags, "model"); err != nil {
		return err
	}
	if err := p.split.check(p.flags); err != nil {
		return err
	}
	if p.flags.Flags().Lookup("metric") != nil {
		// A sweep has one metric, because it looks for one best setting.
		info, ok := cli.MetricNamed(p.metric)
		if !ok {
			return cli.Usagef("--metric %q is not one of %s; name a single metric", p.metric,
				strings.Join(cli.MetricNames(metric.Metrics()), ", "))
		}
		p.info, p.Metric = info, info.Key()
	}
	// The format is checked before the measurements, which can take hours.
	if p.out != "" {
		if _, err := figure.Format(p.out); err != nil {
			return cli.Usagef("--out: %v", err)
		}
	}
	return cli.NotNegative(p.flags, "omit it to use all bags", "limit")
}

// readFile reads the bags of --bags.
func (p *preparedSweep) readFile() error {
	set, err := p.bags.Read(p.flags, &p.model, p.engine)
	if err != nil {
		return err
	}
	p.Bags, p.bag = set.Len(), set.BagIn
	return nil
}

// readPart reads the bags of a part of a data set. The data set supplies the truth table and the
// names of the classes if the model does not.
func (p *preparedSweep) readPart(set *dataset.Set) error {
	// Bags that are too small are counted and reported.
	bags, small, err := p.split.read(set, p.model.Path, p.engine)
	if err != nil {
		return err
	}
	p.Bags = len(bags)
	p.bag = func(_ context.Context, i int) (*core.Bag, error) { return bags[i].Bag() }
	p.Small, p.Dataset, p.Part, p.Repeat, p.title = small, set.Name, p.split.part, &p.split.repeat,
		set.Title
	// A truth table in the model card has priority.
	if len(p.engine.Info().Truth) == 0 {
		p.truth = set.Truth
	}
	if len(p.classes) == 0 {
		p.classes = set.Classes
	}
	return nil
}

// write writes the figure, if --out is given, and then the result.
func (t *sweep) write(
	c *cobra.Command, draw func() (*figure.Figure, error), r cli.Result,
) error {
	if t.out != "" {
		// The figure is drawn from the same result as the text.
		f, err := draw()
		if err != nil {
			return err
		}
		if err := writeFigure(t.out, f); err != nil {
			return err
		}
	}
	return t.form.Write(c, r)
}

// skippedBags appends how many bags were too small.
func (t sweptOver) skippedBags(to *bytes.Buffer) {
	if t.Small > 0 {
		fmt.Fprintf(to, "\n%d bags of one or two instances were skipped\n", t.Small)
	}
}
