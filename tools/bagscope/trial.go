package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/tools/answer"
	"github.com/bagscope/bagscope/tools/figure"
	"github.com/bagscope/bagscope/tools/study"
)

// A trial measures methods over a set of bags by one metric, for commands that try settings.
type trial struct {
	model   modelFlags
	bags    bagFlags
	methods methodFlags
	metric  string
	limit   int
	out     string
	asJSON  bool
}

func (t *trial) register(c *cobra.Command, methods, figureOf string) {
	t.model.register(c)
	t.bags.register(c, "bags", "the bags to try settings on: validation bags, not those that results are reported of")
	t.methods.register(c, methods)
	c.Flags().StringVar(&t.metric, "metric", metric.NameNDCG, "metric: ndcg, which needs instance labels, or aopc-r, which needs none")
	c.Flags().IntVar(&t.limit, "limit", 0, "look at the first N bags only")
	c.Flags().StringVar(&t.out, "out", "", "draw "+figureOf+" into an .svg or .png file")
	c.Flags().BoolVar(&t.asJSON, "json", false, "print JSON")
}

// A prepared trial has read what its flags name.
type prepared struct {
	*trial
	flags   *cobra.Command
	options core.Options
	data    core.DataSettings
	info    metric.Info
	engine  answer.Engine
	set     *bagio.Set
	n       int // bags
}

func (t *trial) prepare(c *cobra.Command) (*prepared, error) {
	p := &prepared{trial: t, flags: c}
	var err error
	if p.options, p.data, err = t.methods.resolve(c); err != nil {
		return nil, err
	}
	if err := require(c, "model", "bags"); err != nil {
		return nil, err
	}
	wanted, err := chosenMetrics([]string{t.metric})
	if err != nil {
		return nil, err
	}
	p.info = wanted[0]
	if len(wanted) > 1 {
		return nil, usage("--metric all: settings are tried by one metric")
	}
	if t.limit < 0 {
		return nil, usage("--limit %d is less than nothing; leave it out for all bags", t.limit)
	}
	if t.out != "" {
		if _, err := figure.Format(t.out); err != nil {
			return nil, usage("--out: %v", err)
		}
	}
	t.model.workers = 1 // several bags are encoded at a time
	if p.engine, err = t.model.open(c.Context()); err != nil {
		return nil, err
	}
	if p.set, err = t.bags.read(c, p.engine); err != nil {
		return nil, err
	}
	if p.n = p.set.Len(); t.limit > 0 {
		p.n = min(p.n, t.limit)
	}
	return p, nil
}

// judge returns the statistics of the methods over all bags, by name. Bag i has the seed that evaluate gives it.
func (p *prepared) judge(ctx context.Context, methods []core.Method, progress func(done, total int)) (map[string]metric.Stat, error) {
	job := study.Job{
		Model: p.engine, Methods: methods, Output: core.Output(p.methods.output), Budget: p.methods.budget, Memory: int64(p.methods.memory) * 1e6,
		SkipMissing: p.methods.all(),
		Judging:     metric.Options{Metrics: []string{p.info.Name}, Seed: p.methods.seed, Preset: p.options.Preset},
		Classes: func(bag *core.Bag, task core.Task) ([]int, error) {
			return p.methods.classes(p.flags, answer.ClassNames(p.engine.Info().Classes, task.Classes), p.data, bag)
		},
	}
	results := make([]*study.Result, p.n)
	err := study.Each(ctx, p.n, p.methods.workers, progress, func(ctx context.Context, i int) error {
		bag, err := p.set.Bag(i)
		if err != nil {
			return err
		}
		results[i], err = job.Judge(ctx, bag, bagSeed(p.methods.seed, i))
		return err
	})
	if err != nil {
		return nil, err
	}
	var pooled metric.Study
	for _, r := range results {
		pooled.Add(0, r.Rows)
	}
	out := map[string]metric.Stat{}
	for _, line := range pooled.Summaries() {
		for _, s := range line.Stats {
			out[line.Method] = s.Stat
		}
	}
	if len(out) == 0 {
		return nil, usage("--metric %s is not defined for any of these bags: it needs labels of instances, and a table of truth in the model's card", p.info.Name)
	}
	return out, nil
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
