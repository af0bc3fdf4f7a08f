package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/train/reader"
)

// readersCommand holds the flags of readers.
type readersCommand struct {
	sweep
	page int
}

// The JSON of readers. Scripts depend on it.
type (
	// foundJSON is the share of key instances that readers find.
	foundJSON struct {
		Mean ask.Number `json:"mean"`
		SEM  ask.Number `json:"sem"`
		N    int        `json:"n"`
	}
	// drawingJSON holds the measurements of a drawing, as reader.Result.
	drawingJSON struct {
		Drawing string     `json:"drawing"`
		Bags    foundJSON  `json:"bags"`
		Pages   foundJSON  `json:"pages"`
		Quiet   ask.Number `json:"quiet"`
		Pairs   int        `json:"pairs"`
	}
	// readersJSON is the whole result. The differences are those of the first drawing minus the
	// second.
	readersJSON struct {
		sweptOver
		Method   string        `json:"method"`
		Page     int           `json:"page"` // bags on a page
		Drawings []drawingJSON `json:"drawings"`
		OfBags   foundJSON     `json:"difference_bags"`
		OfPages  foundJSON     `json:"difference_pages"`
	}
)

// newReaders returns the command that simulates readers of pictures.
func newReaders() *cobra.Command {
	s := &readersCommand{}
	c := cli.Command("readers",
		"Measure whether simulated readers find the key instances in small pictures", s.run)
	s.registerBags(c, "consensus")
	c.Flags().IntVar(&s.page, "page", 12, "number of bags on a page of maps")
	return c
}

// run draws the bags and simulates readers.
func (s *readersCommand) run(c *cobra.Command) error {
	if s.page < 1 {
		return cli.Usagef("--page must be at least 1, got %d", s.page)
	}
	if len(s.methods.Methods) != 1 || s.methods.All() {
		return cli.Usagef("readers look at one method; name one with --method")
	}
	p, err := s.prepare(c)
	if err != nil {
		return err
	}
	out, err := s.measure(c.Context(), p)
	if err != nil {
		return err
	}
	return s.form.Write(c, cli.Result{JSON: out, Text: out.text})
}

// measure returns the result over all bags.
func (s *readersCommand) measure(ctx context.Context, p *preparedSweep) (*readersJSON, error) {
	method, err := methods.New(s.methods.Methods, p.options)
	if err != nil {
		return nil, err
	}
	bar := cli.NewProgress(p.flags.ErrOrStderr(), "bags")
	defer bar.End()
	job := p.job(method)
	bags, reports := make([]*core.Bag, p.Bags), make([]*core.Report, p.Bags)
	negative := make([]int, p.Bags)
	err = p.each(ctx, bar.Update,
		func(ctx context.Context, i int, bag *core.Bag, seed uint64) error {
			g, report, err := job.Explain(ctx, bag, seed)
			if err == nil {
				bags[i], reports[i], negative[i] = bag, report, g.Negative()
				// A map shows no values.
				bag.Values, bag.Shape = make([]float32, bag.Len()), []int{1}
			}
			return err
		})
	if err != nil {
		return nil, err
	}
	study := &reader.Study{Reader: reader.Glancing, Page: s.page}
	for i, report := range reports {
		for _, e := range report.Explanations {
			rel := metric.Relevances(bags[i].Labels, job.TruthTable(), e.Class, negative[i], false)
			if rel == nil || e.Class == negative[i] {
				continue
			}
			if err := study.Add(bags[i], report, e.Class, rel); err != nil {
				return nil, err
			}
		}
	}
	out := &readersJSON{sweptOver: p.sweptOver, Method: s.methods.Methods[0], Page: s.page}
	results, ofBags, ofPages := study.Results(s.methods.Seed)
	if results[0].Pages.N == 0 {
		return nil, cli.Usagef("these bags have no key instances to find: readers need instance " +
			"labels, and a truth table in the model card")
	}
	for _, r := range results {
		out.Drawings = append(out.Drawings, drawingJSON{r.Drawing, found(r.Bags), found(r.Pages),
			ask.Number(r.Quiet), r.Pairs})
	}
	out.OfBags, out.OfPages = found(ofBags), found(ofPages)
	return out, nil
}

// found returns the JSON of a statistic.
func found(s reader.Stat) foundJSON { return foundJSON{ask.Number(s.Mean), ask.Number(s.SEM), s.N} }

// text appends a line for each drawing and one for their difference.
func (o *readersJSON) text(to *bytes.Buffer) {
	fmt.Fprintf(to, "share of the key instances among the loudest cells of maps by %s, over %s, "+
		"mean ± standard error\n\n", o.Method, o.sweptOver)
	var t cli.Table
	share := func(f foundJSON) string { return withError(f.Mean, f.SEM, 3) }
	t.Add("strongest colour", "one map", fmt.Sprintf("a page of %d", o.Page), "empty maps quieter")
	for _, d := range o.Drawings {
		t.Add(d.Drawing, share(d.Bags), share(d.Pages), fmt.Sprintf("%.3f", float64(d.Quiet)))
	}
	t.Add("difference", share(o.OfBags), share(o.OfPages), "")
	t.Write(to)
	fmt.Fprintf(to, "\n%d maps and %d pages with key instances, %d pairs of an empty and a full "+
		"map\n", o.OfBags.N, o.OfPages.N, o.Drawings[0].Pairs)
	o.skippedBags(to)
}
