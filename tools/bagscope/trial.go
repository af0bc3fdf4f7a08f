package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/tools/answer"
	"github.com/bagscope/bagscope/tools/dataset"
	"github.com/bagscope/bagscope/tools/figure"
	"github.com/bagscope/bagscope/tools/study"
)

// A trial measures methods over a set of bags by one metric, for commands that try settings.
type trial struct {
	model   modelFlags
	bags    bagFlags
	part    partFlags
	methods methodFlags
	metric  string
	limit   int
	out     string
	asJSON  bool
}

func (t *trial) register(c *cobra.Command, methods, figureOf string) {
	t.methods.redraw = "repeated-draws" // --repeat is of a data set
	t.model.register(c)
	t.bags.register(c, "bags", "the bags to try settings on: validation bags, not those that results are reported of")
	t.part.register(c)
	t.methods.register(c, methods)
	c.Flags().StringVar(&t.metric, "metric", metric.NameNDCG, "metric: ndcg, which needs instance labels, or aopc-r, which needs none")
	c.Flags().IntVar(&t.limit, "limit", 0, "look at the first N bags only")
	c.Flags().StringVar(&t.out, "out", "", "draw "+figureOf+" into an .svg or .png file")
	c.Flags().BoolVar(&t.asJSON, "json", false, "print JSON")
}

// A prepared trial has read what its flags name.
type prepared struct {
	*trial
	tried
	flags   *cobra.Command
	options core.Options
	data    core.DataSettings
	info    metric.Info
	engine  answer.Engine
	truth   []core.Truth // nil takes the model's own
	classes []string
	bag     func(i int) (*core.Bag, error)
}

// tried says in JSON what settings were tried on.
type tried struct {
	Metric  string `json:"metric"`
	Bags    int    `json:"bags"`
	Small   int    `json:"small_bags"` // of the part, left out
	Dataset string `json:"dataset,omitempty"`
	Repeat  *int   `json:"repeat,omitempty"`
	Part    string `json:"part,omitempty"`

	title string // of the data set
}

// String is "20 validation bags of 4-MNIST-Bags, repeat 0".
func (t tried) String() string {
	if t.Dataset == "" {
		return fmt.Sprintf("%d bags", t.Bags)
	}
	return fmt.Sprintf("%d %s bags of %s, repeat %d", t.Bags, strings.Replace(t.Part, "train", "training", 1), t.title, *t.Repeat)
}

func (t *trial) prepare(c *cobra.Command) (*prepared, error) {
	p := &prepared{trial: t, flags: c}
	if err := p.check(); err != nil {
		return nil, err
	}
	var set *dataset.Set
	var err error
	if t.part.dataset == "" {
		p.options, p.data, err = t.methods.resolve(c)
	} else {
		set, p.options, p.data, err = t.methods.openSet(c, t.part.dataset, t.part.data)
	}
	if err != nil {
		return nil, err
	}
	t.model.workers = 1 // several bags are encoded at a time
	if p.engine, err = t.model.open(c.Context()); err != nil {
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

// check wants flags that make sense before anything is read.
func (p *prepared) check() error {
	if err := require(p.flags, "model"); err != nil {
		return err
	}
	if err := p.part.check(p.flags); err != nil {
		return err
	}
	info, ok := metricNamed(p.metric)
	if !ok {
		return usage("--metric %q is none of %s; settings are tried by one metric", p.metric, strings.Join(metricNames(metric.Metrics()), ", "))
	}
	p.info, p.Metric = info, info.Key()
	if p.limit < 0 {
		return usage("--limit %d is less than nothing; leave it out for all bags", p.limit)
	}
	if p.out != "" {
		if _, err := figure.Format(p.out); err != nil {
			return usage("--out: %v", err)
		}
	}
	return nil
}

func (p *prepared) readFile() error {
	set, err := p.bags.read(p.flags, p.engine)
	if err != nil {
		return err
	}
	p.Bags, p.bag = set.Len(), set.Bag
	return nil
}

func (p *prepared) readPart(set *dataset.Set) error {
	bags, small, err := p.part.read(set, p.model.model, p.engine)
	if err != nil {
		return err
	}
	p.Bags, p.bag = len(bags), func(i int) (*core.Bag, error) { return bags[i].Bag() }
	p.Small, p.Dataset, p.Part, p.Repeat, p.title = small, set.Name, p.part.part, &p.part.repeat, set.Title
	if len(p.engine.Info().Truth) == 0 {
		p.truth = set.Truth
	}
	if len(p.classes) == 0 {
		p.classes = set.Classes
	}
	return nil
}

// A measure is what a method gave over all bags.
type measure struct {
	metric.Stat
	evaluations float64 // of the model, mean over the bags
}

// judge measures the methods over all bags, by name. Bag i has the seed that evaluate gives it.
func (p *prepared) judge(ctx context.Context, methods []core.Method, progress func(done, total int)) (map[string]measure, []core.Skipped, error) {
	job := study.Job{
		Model: p.engine, Truth: p.truth, Methods: methods, Output: core.Output(p.methods.output), Budget: p.methods.budget, Memory: int64(p.methods.memory) * 1e6,
		SkipMissing: p.methods.all(),
		Judging:     metric.Options{Metrics: []string{p.info.Name}, Seed: p.methods.seed, Preset: p.options.Preset},
		Classes: func(bag *core.Bag, task core.Task) ([]int, error) {
			return p.methods.classes(p.flags, answer.ClassNames(p.classes, task.Classes), p.data, bag)
		},
	}
	results := make([]*study.Result, p.Bags)
	err := study.Each(ctx, p.Bags, p.methods.workers, progress, func(ctx context.Context, i int) error {
		bag, err := p.bag(i)
		if err != nil {
			return err
		}
		results[i], err = job.Judge(ctx, bag, bagSeed(p.methods.seed, i))
		return err
	})
	if err != nil {
		return nil, nil, servable(err)
	}
	return p.pool(results)
}

// pool gathers what the bags gave.
func (p *prepared) pool(results []*study.Result) (map[string]measure, []core.Skipped, error) {
	var pooled metric.Study
	looked, bags := map[string]float64{}, map[string]float64{}
	var skipped []core.Skipped
	for _, r := range results {
		pooled.Add(0, r.Rows)
		for method, n := range r.Looked {
			looked[method] += float64(n)
			bags[method]++
		}
		for _, s := range r.Skipped {
			if !slices.Contains(skipped, s) {
				skipped = append(skipped, s)
			}
		}
	}
	out := map[string]measure{}
	for _, line := range pooled.Summaries() {
		for _, s := range line.Stats {
			out[line.Method] = measure{s.Stat, looked[line.Method] / max(bags[line.Method], 1)}
		}
	}
	if len(out) == 0 {
		return nil, nil, usage("--metric %s is not defined for any of these bags: it needs labels of instances, and a table of truth in the model's card", p.info.Name)
	}
	return out, skipped, nil
}

// draw writes a figure where one is asked for.
func (t *trial) draw(make func() (*figure.Figure, error)) error {
	if t.out == "" {
		return nil
	}
	f, err := make()
	if err != nil {
		return err
	}
	return writeFigure(t.out, f)
}

// withError is a mean with its standard error, where it has one.
func withError(mean, err answer.Number, digits int) string {
	text := fmt.Sprintf("%.*f", digits, float64(mean))
	if !math.IsNaN(float64(err)) {
		text += fmt.Sprintf(" ± %.*f", digits, float64(err))
	}
	return text
}

// leftOut says how many bags were too small to try.
func (t tried) leftOut(w io.Writer) error {
	if t.Small == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "\n%d bags of one or two instances were left out\n", t.Small)
	return err
}
