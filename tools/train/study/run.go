package study

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/tools/train/dataset"
)

// Options configure a study.
type Options struct {
	Set    *dataset.Set
	Models []File
	// Open opens the model at a File.Path. The id identifies the model and its card.
	Open func(ctx context.Context, path string) (m core.Model, id string, err error)
	// Check is called before a model is judged on a split's test bags. It may be nil.
	Check func(model string, split *dataset.Split) error
	Job   Job    // Model and ID are not set
	Terms string // the settings in words, for the tables
	Seed  uint64 // determines all randomness; each bag and repeat has its own random stream
	Limit int    // number of test bags of each repeat, the first ones; 0 for all
	// Bags replaces the test bags of all repeats, unless it is nil.
	Bags []dataset.Example

	Workers int // number of goroutines, 0 for one for each processor
	Store   Store
	// Progress is called after each bag, with the number of finished bags, the number of those that
	// the store had, and the number of all bags. It may be nil.
	Progress func(done, stored, total int)
}

// A Report holds the results of a study.
type Report struct {
	Set     *dataset.Set
	Terms   string   // the settings in words
	Columns []Column // architectures that have a model, in the order of Architectures
	Seed    uint64
	// Small is the number of test bags of all repeats that were omitted, because they have fewer
	// than dataset.SmallestBag instances.
	Small       int
	Evaluations int // number of model evaluations
}

// A Column holds the results for one architecture.
type Column struct {
	Architecture
	Repeats []int
	Bags    int // number of bags of all repeats
	Results metric.Study
	Skipped []core.Skipped
}

// A Plan is a study with its bags, after Check has accepted all models.
type Plan struct {
	options Options
	bags    map[int][]dataset.Example // the bags of each repeat that has a model
	small   int                       // Report.Small
}

// Prepare splits the set and checks the models. Callers prepare all studies before they run one, so
// that an invalid study fails before hours of work.
//
// Errors: those of dataset.Set.Split and of Options.Check.
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
			large, small := dataset.Sizeable(split.Test, o.Limit)
			p.bags[f.Repeat] = large
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

// Run explains and judges the test bags of each repeat under the models of the repeat.
//
// Errors: those of Options.Open and Job.Judge; a model with another number of classes; the cause of
// ctx.
func (p *Plan) Run(ctx context.Context) (*Report, error) {
	o, tests := p.options, p.bags
	report := &Report{Set: o.Set, Terms: o.Terms, Seed: o.Seed, Small: p.small}
	total := 0
	for _, f := range o.Models {
		total += len(tests[f.Repeat])
	}
	// Bags are judged concurrently, so the number needs an atomic counter.
	var stored atomic.Int64
	before := 0
	for _, f := range o.Models {
		results, err := o.judge(ctx, f, tests[f.Repeat], &stored, func(done, _ int) {
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

// split returns a repeat's split, or one whose test bags are Options.Bags.
func (o *Options) split(repeat int) (*dataset.Split, error) {
	if o.Bags != nil {
		return &dataset.Split{Test: o.Bags}, nil
	}
	return o.Set.Split(repeat)
}

// judge judges the bags of a repeat under one model. It adds the number of results that the store
// had to stored.
func (o *Options) judge(
	ctx context.Context, f File, bags []dataset.Example, stored *atomic.Int64,
	progress func(done, total int),
) ([]*Result, error) {
	job := o.Job
	var err error
	part, end := partOf(ctx) // the memory of this model
	defer end()
	job.Model, job.ID, err = o.Open(part, f.Path)
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
		// The bag's hash in the seed gives equal bags equal coalitions in every study.
		seed := bag.Hash(fmt.Sprintf("study %d %d", o.Seed, f.Repeat))
		key := o.Store.Key(&job, bag, seed)
		// A result in the store makes this bag free.
		if results[i] = o.Store.Load(key); results[i] != nil {
			stored.Add(1)
			return nil
		}
		if results[i], err = job.Judge(ctx, bag, seed); err != nil {
			return fmt.Errorf("%s, %s: %w", f.Path, bag.Name, err)
		}
		if busy := quota.MemoryOf(ctx).Busy(); busy != nil {
			return busy // Each repeats it, and its result must not be stored
		}
		return o.Store.Save(key, results[i])
	})
	return results, err
}

// Fits returns an error if a model states another number of classes than a data set.
func Fits(m core.Model, set *dataset.Set) error {
	if n := len(m.Info().Classes); n > 0 && n != len(set.Classes) {
		return fmt.Errorf("it has %d classes, and %s has %d", n, set.Title, len(set.Classes))
	}
	return nil
}

// add adds the results of a repeat's bags under a model.
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

// sort sorts the columns in the order of Architectures. Repeats may have different models.
func (r *Report) sort() {
	order := Architectures()
	slices.SortFunc(r.Columns, func(a, b Column) int {
		return slices.Index(order, a.Architecture) - slices.Index(order, b.Architecture)
	})
}

// BagSeed returns the seed of bag number bag in an evaluation with the given seed. With one seed
// for all bags, bags of equal size would have equal coalitions, and errors would not average out.
func BagSeed(seed uint64, bag int) uint64 {
	return rand.New(rand.NewPCG(seed, uint64(bag))).Uint64()
}
