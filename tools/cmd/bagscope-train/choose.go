package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/train/study"
)

// chooseCommand holds the flags of choose.
type chooseCommand struct{ sweep }

// The JSON of choose. Scripts depend on it.
type (
	// candidateJSON is a method that may be chosen.
	candidateJSON struct {
		Method string     `json:"method"`
		Title  string     `json:"title"`
		Mean   ask.Number `json:"mean"`
		SEM    ask.Number `json:"sem"`
		// Chosen is how many of the bags and classes it is chosen for.
		Chosen int `json:"chosen"`
		// Difference is the mean of the chosen method minus that of this one, on the same bags and
		// classes.
		Difference    ask.Number `json:"difference"`
		DifferenceSEM ask.Number `json:"difference_sem"`
	}
	// chooseJSON is the whole result. Mean is that of the chosen methods.
	chooseJSON struct {
		sweptOver
		By      string          `json:"by"`
		Mean    ask.Number      `json:"mean"`
		SEM     ask.Number      `json:"sem"`
		N       int             `json:"n"` // bags and classes with a value
		Methods []candidateJSON `json:"methods"`
		Skipped []ask.Skipped   `json:"skipped"`
	}
)

// newChoose returns the command that compares methods with the most faithful one of each bag.
func newChoose() *cobra.Command {
	s := &chooseCommand{}
	c := cli.Command("choose", "Measure whether the method with the best AOPC-R on each bag is "+
		"better than one method for all bags", s.run)
	s.registerMetric(c, "consensus,combined,single,one_removed,milli")
	return c
}

// run judges all methods on each bag, and then the one with the highest AOPC-R.
func (s *chooseCommand) run(c *cobra.Command) error {
	p, err := s.prepare(c)
	if err != nil {
		return err
	}
	if p.info.Name == metric.NameAOPCR {
		return cli.Usagef("--metric aopc-r is what methods are chosen by; use another one")
	}
	out, err := s.measure(c.Context(), p)
	if err != nil {
		return err
	}
	return s.form.Write(c, cli.Result{JSON: out,
		Text: func(to *bytes.Buffer) { out.text(to, p.info.Title) }})
}

// measure returns the result over all bags.
func (s *chooseCommand) measure(ctx context.Context, p *preparedSweep) (*chooseJSON, error) {
	candidates, err := methods.New(s.methods.Methods, p.options)
	if err != nil {
		return nil, err
	}
	bar := cli.NewProgress(p.flags.ErrOrStderr(), "bags")
	defer bar.End()
	job := p.job(candidates, p.info.Name, metric.NameAOPCR)
	results, err := p.results(ctx, job, bar.Update)
	if err != nil {
		return nil, err
	}
	_, skipped, err := p.pool(results)
	if err != nil {
		return nil, err
	}
	var all metric.Study
	times := map[string]int{}
	for _, r := range results {
		chosen, names := study.Chosen(r.Rows, metric.NameAOPCR)
		all.Add(0, append(r.Rows, chosen...))
		for _, name := range names {
			times[name]++
		}
	}
	out := &chooseJSON{sweptOver: p.sweptOver, By: metric.NameAOPCR,
		Skipped: ask.SkippedMethods(skipped)}
	for _, line := range all.Summaries() {
		for _, of := range line.Stats {
			switch {
			case of.Metric.Name != p.info.Name:
			case line.Method == study.RowChosen:
				out.Mean, out.SEM, out.N = ask.Number(of.Mean), ask.Number(of.SEM), of.N
			case line.Method != metric.RowRandom && line.Method != metric.RowOracle:
				d := all.Paired(p.info.Name, study.RowChosen, line.Method)
				info, _ := methods.Find(line.Method)
				out.Methods = append(out.Methods, candidateJSON{line.Method, info.Title,
					ask.Number(of.Mean), ask.Number(of.SEM), times[line.Method],
					ask.Number(d.Mean), ask.Number(d.SEM)})
			}
		}
	}
	if out.N == 0 {
		return nil, undefined(p.info.Name)
	}
	return out, nil
}

// text appends a line for the chosen methods and one for each method.
func (o *chooseJSON) text(to *bytes.Buffer, title string) {
	fmt.Fprintf(to, "%s over %s, mean ± standard error\n\n", title, o.sweptOver)
	var t cli.Table
	t.Add("method", "chosen", title, "chosen minus method")
	t.Add("the one with the best AOPC-R", "", withError(o.Mean, o.SEM, 4), "")
	for _, m := range o.Methods {
		t.Add(m.Method, fmt.Sprint(m.Chosen), withError(m.Mean, m.SEM, 4),
			withError(m.Difference, m.DifferenceSEM, 4))
	}
	t.Write(to)
	for _, s := range o.Skipped {
		fmt.Fprintf(to, "\n%s was skipped: %s\n", s.Method, s.Reason)
	}
	o.skippedBags(to)
}
