package main

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/train/figure"
)

// tuneCommand holds the flags of tune.
type tuneCommand struct {
	sweep
	alphas, betas []float64
}

// The default grid of tune.
var (
	tuneAlphas = []float64{.008, .02, .05, .1, .2, .3, .5, .7, .95}
	tuneBetas  = []float64{-5, -1, -.1, -.01, 0, .01, .1, 1, 5}
)

// The JSON of tune. Scripts depend on it.
type (
	// tunedJSON is the metric of one pair.
	tunedJSON struct {
		Alpha float64    `json:"alpha"`
		Beta  float64    `json:"beta"`
		Mean  ask.Number `json:"mean"`
		SEM   ask.Number `json:"sem"`
	}
	// tuneJSON is the whole result.
	tuneJSON struct {
		sweptOver
		Samples int         `json:"samples"`
		Best    tunedJSON   `json:"best"`
		Grid    []tunedJSON `json:"grid"` // all alphas of the first beta, then of the next
	}
)

// newTune returns the command that evaluates MILLI on a grid of alpha and beta.
func newTune() *cobra.Command {
	t := &tuneCommand{}
	c := cli.Command("tune", "Choose MILLI's alpha and beta on validation bags", t.run)
	// All other flags are those of samples.
	t.register(c, "milli", "a figure of the grid")
	c.Flags().Float64SliceVar(&t.alphas, "alphas", tuneAlphas, "values of alpha to try")
	c.Flags().Float64SliceVar(&t.betas, "betas", tuneBetas, "values of beta to try")
	for _, name := range []string{"method", "alpha", "beta"} { // --alphas and --betas replace them
		_ = c.Flags().MarkHidden(name)
	}
	return c
}

// run measures MILLI for every pair. The choice is made on validation bags: tuning on the bags of a
// result would make the result optimistic.
func (t *tuneCommand) run(c *cobra.Command) error {
	if c.Flags().Changed("method") || c.Flags().Changed("alpha") || c.Flags().Changed("beta") {
		return cli.Usagef("tune always uses MILLI; use --alphas and --betas instead of --method, " +
			"--alpha and --beta")
	}
	if len(t.alphas) == 0 || len(t.betas) == 0 {
		return cli.Usagef("--alphas and --betas must not be empty")
	}
	if err := checkAlphas(t.alphas); err != nil {
		return err
	}
	p, err := t.prepare(c)
	if err != nil {
		return err
	}
	out := tuneJSON{sweptOver: p.sweptOver, Samples: p.options.Samples}
	bar := cli.NewProgress(c.ErrOrStderr(), "bags under all pairs")
	defer bar.End()
	pairs := len(t.alphas) * len(t.betas)
	best := 0
	for _, beta := range t.betas {
		for _, alpha := range t.alphas {
			o := p.options
			// All other settings stay those of the data set.
			o.Alpha, o.Beta = alpha, beta
			methods, err := methods.New([]string{"milli"}, o)
			if err != nil {
				return err
			}
			// The progress counts bags over all pairs.
			before := len(out.Grid) * p.Bags
			measures, _, err := p.judge(c.Context(), methods,
				func(done, total int) { bar.Update(before+done, pairs*total) })
			if err != nil {
				return err
			}
			m := measures["milli"]
			out.Grid = append(out.Grid, tunedJSON{alpha, beta, ask.Number(m.Mean),
				ask.Number(m.SEM)})
			// Some metrics are better if they are lower. Ties keep the first pair.
			if gain := out.Grid[len(out.Grid)-1].Mean - out.Grid[best].Mean; gain > 0 &&
				!p.info.Lower || gain < 0 && p.info.Lower {
				best = len(out.Grid) - 1
			}
		}
	}
	bar.End() // must end before the result, which is printed on the same terminal
	out.Best = out.Grid[best]
	title := p.info.Title
	if p.info.Lower {
		title += " (lower is better)"
	}
	draw := func() (*figure.Figure, error) { return t.heat(&out, best, title) }
	return t.write(c, draw, cli.Result{JSON: out,
		Text: func(to *bytes.Buffer) { t.text(to, &out, title) }})
}

// heat draws the grid with a frame around the best cell.
func (t *tuneCommand) heat(out *tuneJSON, best int, title string) (*figure.Figure, error) {
	return figure.Heat(&figure.Grid{
		Title: fmt.Sprintf("%s of MILLI, %s", title, out.sweptOver), X: "α", Y: "β", XS: t.alphas,
		YS: t.betas, Decimal: 3, BestX: best % len(t.alphas), BestY: best / len(t.alphas),
		Values: ask.ListOf(out.Grid,
			func(cell tunedJSON) float64 { return float64(cell.Mean) }),
	})
}

// text appends the grid, a line for each beta.
func (t *tuneCommand) text(to *bytes.Buffer, out *tuneJSON, title string) {
	fmt.Fprintf(to, "%s of MILLI over %s, alpha across, beta down\n\n", title, out.sweptOver)
	// The rows have the order of the grid in the JSON.
	rows := cli.Table{}
	rows.Add(append([]string{"beta"},
		ask.ListOf(t.alphas, func(alpha float64) string { return fmt.Sprint(alpha) })...)...)
	for i, beta := range t.betas {
		cells := out.Grid[i*len(t.alphas):][:len(t.alphas)]
		mean := func(cell tunedJSON) string { return threeDecimals(float64(cell.Mean)) }
		rows.Add(append([]string{fmt.Sprint(beta)}, ask.ListOf(cells, mean)...)...)
	}
	rows.Write(to)
	fmt.Fprintf(to, "\nbest: alpha %g, beta %g with %s\n", out.Best.Alpha, out.Best.Beta,
		withError(out.Best.Mean, out.Best.SEM, 4))
	out.skippedBags(to)
}
