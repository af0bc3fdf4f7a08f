package main

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/onnxbackend"
)

// evaluateCommand holds the flags of evaluate.
type evaluateCommand struct {
	model   modelFlags
	bags    bagFlags
	methods methodFlags
	metrics []string
	limit   int
	strict  bool
	asJSON  bool
	csv     string
}

func newEvaluate() *cobra.Command {
	e := &evaluateCommand{}
	c := command("evaluate", "Measure how faithful explanations are over a set of bags", e.run)
	e.model.register(c)
	e.bags.register(c, "bags", "the bags, such as an .npz bag set")
	e.methods.register(c, "all")
	c.Flags().StringSliceVar(&e.metrics, "metrics", []string{metric.NameNDCG, metric.NameAOPCR, metric.NameSRG}, "metrics, separated by commas, or all")
	c.Flags().IntVar(&e.limit, "limit", 0, "look at the first N bags only")
	c.Flags().BoolVar(&e.strict, "strict", false, "NDCG: instances of other classes refute the negative class")
	c.Flags().BoolVar(&e.asJSON, "json", false, "print JSON")
	c.Flags().StringVar(&e.csv, "csv", "", "write the table to a CSV file")
	return c
}

func (e *evaluateCommand) run(c *cobra.Command) error {
	options, data, err := e.methods.resolve(c)
	if err != nil {
		return err
	}
	if err := require(c, "model", "bags"); err != nil {
		return err
	}
	if e.limit < 0 {
		return usage("--limit %d is less than nothing; leave it out for all bags", e.limit)
	}
	methods, err := core.NewMethods(e.methods.methods, options)
	if err != nil {
		return err
	}
	wanted, err := chosenMetrics(e.metrics)
	if err != nil {
		return err
	}
	e.model.workers = 1 // several bags are encoded at a time
	m, err := e.model.open()
	if err != nil {
		return err
	}
	set, err := e.bags.read(c, m)
	if err != nil {
		return err
	}
	n := set.Len()
	if e.limit > 0 {
		n = min(n, e.limit)
	}
	s := &study{
		command: e, flags: c, model: m, set: set, methods: methods, data: data,
		judging: metric.Options{Metrics: metricNames(wanted), Seed: e.methods.seed, Preset: options.Preset, Strict: e.strict},
	}
	bar := newProgress(c.ErrOrStderr(), "bags")
	results, err := s.all(c.Context(), n, bar.update)
	bar.end()
	if err != nil {
		return err
	}
	out := pool(results, wanted)
	out.Seed, out.Preset = e.methods.seed, cmp.Or(string(options.Preset), presetDefault)
	if e.csv != "" {
		if err := writeCSV(e.csv, out.csv()); err != nil {
			return err
		}
	}
	if e.asJSON {
		return writeJSON(c.OutOrStdout(), out)
	}
	return out.text(c.OutOrStdout())
}

// A study runs the same request on bag after bag.
type study struct {
	command *evaluateCommand
	flags   *cobra.Command
	model   *onnxbackend.Model
	set     *bagio.Set
	methods []core.Method
	data    core.DataSettings
	judging metric.Options
}

// A result is what one bag gave.
type result struct {
	name        string
	rows        []metric.Row
	skipped     []core.Skipped
	evaluations int
	unusable    error // a *core.BagError: the bag has nothing to explain
}

// all explains and judges the first n bags, several at a time. The results do not depend on how many.
func (s *study) all(ctx context.Context, n int, progress func(done, total int)) ([]result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	workers := s.command.methods.workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var (
		results = make([]result, n)
		next    = make(chan int)
		mu      sync.Mutex
		done    int
		wg      sync.WaitGroup
	)
	for range min(workers, n) {
		wg.Go(func() {
			for i := range next {
				var err error
				if results[i], err = s.one(ctx, i); err != nil {
					cancel(err)
					continue
				}
				mu.Lock()
				done++
				progress(done, n)
				mu.Unlock()
			}
		})
	}
feed:
	for i := range n {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wg.Wait()
	return results, context.Cause(ctx)
}

// one explains and judges bag i.
func (s *study) one(ctx context.Context, i int) (result, error) {
	r := result{name: s.set.Names()[i]}
	bag, err := s.set.Bag(i)
	var empty *core.BagError
	if errors.As(err, &empty) {
		r.unusable = err
		return r, nil
	}
	if err != nil {
		return r, err
	}
	ev, err := s.model.Bind(ctx, bag)
	if err != nil {
		return r, err
	}
	f := &s.command.methods
	classes, err := f.classes(s.flags, classNames(s.model.Info().Classes, ev.Task().Classes), s.data, bag)
	if err != nil {
		return r, err
	}
	g, err := core.NewGame(ev, core.GameOptions{Output: core.Output(f.output), Seed: bagSeed(f.seed, i), Budget: f.budget, Workers: 1})
	if err != nil {
		return r, err
	}
	report, err := g.Explain(ctx, core.Request{Methods: s.methods, Classes: classes, SkipMissing: f.all(), Memory: int64(f.memory) * 1e6})
	if err != nil {
		return r, err
	}
	r.skipped = report.Skipped
	r.rows, err = metric.Evaluate(ctx, g, bag, s.model.Info().Truth, report.Explanations, s.judging)
	r.evaluations = g.Evaluations()
	return r, err
}

// bagSeed gives every bag coalitions of its own: with one seed for all, bags of equal size would share
// them, and their errors would not average out.
func bagSeed(seed uint64, bag int) uint64 {
	return rand.New(rand.NewPCG(seed, uint64(bag))).Uint64()
}
