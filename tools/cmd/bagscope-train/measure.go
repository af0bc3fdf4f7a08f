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

// judge returns the measurements of the methods over all bags, by method name. Bag i has the same
// seed as in evaluate.
func (p *preparedSweep) judge(
	ctx context.Context, methods []core.Method, progress func(done, total int),
) (map[string]measure, []core.Skipped, error) {
	// The same job as in evaluate and study, so that the numbers agree.
	job := study.Job{
		Model: p.engine, Truth: p.truth, Methods: methods, Output: core.Output(p.methods.Output),
		Budget: p.methods.Budget, Memory: int64(p.methods.Memory) * 1e6,
		SkipMissing: p.methods.All(),
		Judging: metric.Options{Metrics: []string{p.info.Name}, Seed: p.methods.Seed,
			Preset: p.options.Preset},
		Classes: func(bag *core.Bag, task core.Task) ([]int, error) {
			return p.methods.Classes(p.flags, ask.ClassNames(p.classes, task.Classes), p.data,
				bag)
		},
	}
	// Workers write to their own elements, so that the results are in the order of the bags.
	results := make([]*study.Result, p.Bags)
	err := study.Each(ctx, p.Bags, p.methods.Workers, progress,
		func(ctx context.Context, i int) error {
			bag, err := p.bag(ctx, i)
			if err != nil {
				return err
			}
			results[i], err = job.Judge(ctx, bag, study.BagSeed(p.methods.Seed, i))
			return err
		})
	if err != nil {
		return nil, nil, cli.SkipHint(err)
	}
	return p.pool(results)
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
		return nil, nil, cli.Usagef("--metric %s is undefined for all of these bags: it needs "+
			"instance labels, and a truth table in the model card", p.info.Name)
	}
	return out, skipped, nil
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
