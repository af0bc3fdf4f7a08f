package study

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/tools/train/dataset"
)

// Options configure a study.
type Options struct {
	Set    *dataset.Set
	Models []File
	// the id says which of all models and cards it is
	Open func(path string) (m core.Model, id string, err error)
	// called before a model is judged on a split's test bags, or nil
	Check func(model string, split *dataset.Split) error
	Job   Job // all but the model
	// the settings in words, for the tables
	Terms string
	// of all randomness; every bag and repeat draws from a stream of its own
	Seed uint64
	// look at the first bags of each repeat only, 0 for all
	Limit int
	// take the place of the repeats' test bags, or nil
	Bags []dataset.Example

	Workers int
	Store   Store
	// of bags; stored is how many of those done were found in the store
	Progress func(done, stored, total int)
}

// A Report holds the results of a study.
type Report struct {
	Set     *dataset.Set
	Terms   string   // the settings in words
	Columns []Column // architectures that have a model, in their order
	Seed    uint64
	// bags left out under each model, all repeats together, for having fewer than
	// dataset.SmallestBag instances
	Small       int
	Evaluations int
}

// A Column holds the results for one architecture.
type Column struct {
	Architecture
	Repeats []int
	Bags    int // all repeats together
	Results metric.Study
	Skipped []core.Skipped
}

// A Plan is a study whose bags have been chosen, and whose models have no reason not to be judged
// on them.
type Plan struct {
	options Options
	bags    map[int][]dataset.Example // of each repeat that has a model
	small   int                       // Report.Small
}

// Prepare does what a study can fail at before any bag is explained, so that of several none has
// been run when one cannot be.
func Prepare(o Options) (*Plan, error) {
	p := &Plan{options: o, bags: map[int][]dataset.Example{}}
	splits := map[int]*dataset.Split{}
	for _, f := range o.Models {
		split := splits[f.Repeat]
		if split == nil {
			var err error
			if split, err = o.split(f.Repeat); err != nil {
				return nil, err
			}
			splits[f.Repeat] = split
			kept, small := dataset.Sizeable(split.Test, o.Limit)
			p.bags[f.Repeat] = kept
			p.small += small
		}
		if o.Check != nil && o.Bags == nil {
			if err := o.Check(f.Path, split); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// Run explains and judges the test bags of every repeat under the models trained for it.
func (p *Plan) Run(ctx context.Context) (*Report, error) {
	o, tests := p.options, p.bags
	report := &Report{Set: o.Set, Terms: o.Terms, Seed: o.Seed, Small: p.small}
	total := 0
	for _, f := range o.Models {
		total += len(tests[f.Repeat])
	}
	var stored atomic.Int64
	before := 0
	for _, f := range o.Models {
		results, err := o.one(ctx, f, tests[f.Repeat], &stored, func(done, _ int) {
			if o.Progress != nil {
				o.Progress(before+done, int(stored.Load()), total)
			}
		})
		if err != nil {
			return nil, err
		}
		before += len(results)
		report.add(f, results)
	}
	report.sort()
	return report, nil
}

// split returns a repeat's split, or the bags that take the place of all repeats' test bags.
func (o *Options) split(repeat int) (*dataset.Split, error) {
	if o.Bags != nil {
		return &dataset.Split{Test: o.Bags}, nil
	}
	return o.Set.Split(repeat)
}

// one judges the bags of a repeat under one model.
func (o *Options) one(
	ctx context.Context, f File, bags []dataset.Example, stored *atomic.Int64, progress func(done,
		total int),
) ([]*Result, error) {
	job := o.Job
	var err error
	job.Model, job.ID, err = o.Open(f.Path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	if err := Fits(job.Model, o.Set); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	results := make([]*Result, len(bags))
	err = Each(ctx, len(bags), o.Workers, progress, func(ctx context.Context, i int) error {
		bag, err := bags[i].Bag()
		if err != nil {
			return err
		}
		seed := bag.Hash(fmt.Sprintf("study %d %d", o.Seed, f.Repeat))
		key := o.Store.Key(&job, bag, seed)
		if results[i] = o.Store.Load(key); results[i] != nil {
			stored.Add(1)
			return nil
		}
		if results[i], err = job.Judge(ctx, bag, seed); err != nil {
			return fmt.Errorf("%s, %s: %w", f.Path, bag.Name, err)
		}
		return o.Store.Save(key, results[i])
	})
	return results, err
}

// Fits wants a model to have as many classes as a data set, where it says how many it has.
func Fits(m core.Model, set *dataset.Set) error {
	if n := len(m.Info().Classes); n > 0 && n != len(set.Classes) {
		return fmt.Errorf("it has %d classes, and %s has %d", n, set.Title, len(set.Classes))
	}
	return nil
}

// add takes what the bags of a repeat gave under a model.
func (r *Report) add(f File, results []*Result) {
	at := slices.IndexFunc(r.Columns, func(c Column) bool {
		return c.Architecture == f.Architecture
	})
	if at < 0 {
		at = len(r.Columns)
		r.Columns = append(r.Columns, Column{Architecture: f.Architecture})
	}
	c := &r.Columns[at]
	c.Repeats = append(c.Repeats, f.Repeat)
	for _, result := range results {
		c.Bags++
		c.Results.Add(f.Repeat, result.Rows)
		for _, s := range result.Skipped {
			if !slices.Contains(c.Skipped, s) {
				c.Skipped = append(c.Skipped, s)
			}
		}
		r.Evaluations += result.Evaluations
	}
}

// sort puts the columns into the order of the architectures, whichever repeat had which.
func (r *Report) sort() {
	order := Architectures()
	slices.SortFunc(r.Columns, func(a, b Column) int {
		return slices.Index(order, a.Architecture) - slices.Index(order, b.Architecture)
	})
}
