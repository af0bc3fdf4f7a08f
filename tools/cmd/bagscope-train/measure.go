package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/train/study"
)

// A measure is the result of a method over all bags.
type measure struct {
	metric.Stat
	evaluations float64 // evaluations of the model, mean over the bags
}

// job returns the job of evaluate and study, so that the numbers agree. It judges by the metrics.
func (p *preparedSweep) job(methods []core.Method, metrics ...string) *study.Job {
	return &study.Job{
		Model: p.engine, Truth: p.truth, Methods: methods, Output: core.Output(p.methods.Output),
		Budget: p.methods.Budget, Memory: int64(p.methods.Memory) * 1e6,
		SkipMissing: p.methods.All(),
		Judging: metric.Options{Metrics: metrics, Seed: p.methods.Seed,
			Preset: p.options.Preset},
		Classes: func(bag *core.Bag, task core.Task) ([]int, error) {
			return p.methods.Classes(p.flags, ask.ClassNames(p.classes, task.Classes), p.data,
				bag)
		},
	}
}

// each calls work for each bag on several goroutines. Bag i has the same seed as in evaluate.
func (p *preparedSweep) each(
	ctx context.Context, progress func(done, total int),
	work func(ctx context.Context, i int, bag *core.Bag, seed uint64) error,
) error {
	return cli.SkipHint(study.Each(ctx, p.Bags, p.methods.Workers, progress,
		func(ctx context.Context, i int) error {
			bag, err := p.bag(ctx, i)
			if err != nil {
				return err
			}
			return work(ctx, i, bag, study.BagSeed(p.methods.Seed, i))
		}))
}

// judge returns the measurements of the methods over all bags, by method name.
func (p *preparedSweep) judge(
	ctx context.Context, methods []core.Method, progress func(done, total int),
) (map[string]measure, []core.Skipped, error) {
	results, err := p.results(ctx, p.job(methods, p.info.Name), progress)
	if err != nil {
		return nil, nil, err
	}
	return p.pool(results)
}

// results returns the results of a job in the order of the bags.
func (p *preparedSweep) results(
	ctx context.Context, job *study.Job, progress func(done, total int),
) ([]*study.Result, error) {
	// Workers write to their own elements.
	results := make([]*study.Result, p.Bags)
	return results, p.each(ctx, progress,
		func(ctx context.Context, i int, bag *core.Bag, seed uint64) (err error) {
			results[i], err = job.Judge(ctx, bag, seed)
			return err
		})
}

// pool combines the results of the bags. A metric that is defined for no bag is a usage error.
func (p *preparedSweep) pool(results []*study.Result) (map[string]measure, []core.Skipped, error) {
	var pooled metric.Study
	evaluations, bags := map[string]float64{}, map[string]float64{} // sums, by method
	var skipped []core.Skipped
	for _, r := range results {
		// All bags are in one repeat.
		pooled.Add(0, r.Rows)
		for method, n := range r.MethodEvaluations {
			evaluations[method] += float64(n)
			// A method can be missing for some bags.
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
			// A sweep has one metric, so that a method has one statistic.
			out[line.Method] = measure{s.Stat,
				evaluations[line.Method] / max(bags[line.Method], 1)}
		}
	}
	if len(out) == 0 {
		return nil, nil, undefined(p.info.Name)
	}
	return out, skipped, nil
}

// undefined returns the usage error for a metric that no bag has.
func undefined(name string) error {
	return cli.Usagef("--metric %s is undefined for all of these bags: it needs "+
		"instance labels, and a truth table in the model card", name)
}

// withError formats a mean, with its standard error unless that is NaN.
func withError(mean, err ask.Number, digits int) string {
	// A single bag has no standard error.
	text := fmt.Sprintf("%.*f", digits, float64(mean))
	if !math.IsNaN(float64(err)) {
		text += fmt.Sprintf(" ± %.*f", digits, float64(err))
	}
	return text
}
