package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/train/figure"
)

// samplesCommand holds the flags of samples.
type samplesCommand struct {
	sweep
	sizes []int
}

// sampleSizes is the default of --sizes.
var sampleSizes = []int{50, 100, 150, 300, 600, 1000, 2000, 4000, 10000}

// The JSON of samples. Scripts depend on it.
type (
	// sizeJSON is the metric of one method for one number of coalitions.
	sizeJSON struct {
		Samples int        `json:"samples"` // the requested number
		Mean    ask.Number `json:"mean"`
		SEM     ask.Number `json:"sem"`
		// Evaluations is the number of evaluations of the model, the mean over the bags.
		Evaluations ask.Number `json:"evaluations"`
	}
	// sizesJSON is a method with its values for all sizes.
	sizesJSON struct {
		Method string `json:"method"`
		Title  string `json:"title"`
		// Fixed is true for a method without the option samples. It is measured once and has the
		// same value for all sizes.
		Fixed bool       `json:"fixed"`
		Sizes []sizeJSON `json:"sizes"`
	}
	// samplesJSON is the whole result.
	samplesJSON struct {
		sweptOver
		Methods []sizesJSON   `json:"methods"`
		Skipped []ask.Skipped `json:"skipped"`
	}
)

// newSamples returns the command that measures methods for several numbers of coalitions.
func newSamples() *cobra.Command {
	s := &samplesCommand{}
	c := cli.Command("samples",
		"Measure how the quality of methods depends on the number of coalitions", s.run)
	// The default methods sample, except two that are shown for comparison.
	s.register(c, "random_shap,guided_shap,random_lime,guided_lime,milli,single,consensus",
		"a figure with a line for each method")
	c.Flags().IntSliceVar(&s.sizes, "sizes", sampleSizes,
		"numbers of coalitions to try; methods without this setting are measured once")
	_ = c.Flags().MarkHidden("samples") // --sizes replaces it
	return c
}

// run measures every method for every size. Methods without the option samples do not depend on the
// size, so that they are measured once, with the first size.
func (s *samplesCommand) run(c *cobra.Command) error {
	// A hidden flag can still be given.
	if c.Flags().Changed("samples") {
		return cli.Usagef("--samples does not apply to this command; use --sizes")
	}
	if len(s.sizes) == 0 {
		return cli.Usagef("--sizes is empty; give one or more numbers of coalitions")
	}
	for _, n := range s.sizes {
		if n < 1 {
			return cli.Usagef("--sizes must be at least 1, got %d", n)
		}
	}
	p, err := s.prepare(c)
	if err != nil {
		return err
	}
	out := samplesJSON{sweptOver: p.sweptOver, Skipped: []ask.Skipped{}}
	bar := cli.NewProgress(c.ErrOrStderr(), "bags under all sizes")
	defer bar.End()
	fixed := map[string]measure{} // measures by method, for methods without the option samples
	for i, n := range s.sizes {
		measures, skipped, err := s.measure(c.Context(), p, i,
			func(done, total int) { bar.Update(i*total+done, len(s.sizes)*total) })
		if err != nil {
			return err
		}
		if i == 0 {
			// The first size measures all methods, so that it also lists all skipped ones.
			out.Skipped = append(out.Skipped, ask.SkippedMethods(skipped)...)
		}
		for _, row := range methods.All() {
			// A fixed method has its first value for every size.
			m, measured := measures[row.Name]
			if measured && !draws(row.Name) {
				fixed[row.Name] = m
			} else if !measured {
				m, measured = fixed[row.Name]
			}
			if measured {
				out.add(row, n, m)
			}
		}
	}
	bar.End()
	draw := func() (*figure.Figure, error) { return out.lines(p.info) }
	return s.write(c, draw, cli.Result{JSON: out,
		Text: func(to *bytes.Buffer) { out.text(to, s.sizes, p.info.Title) }})
}

// measure measures the methods with size i. Sizes after the first one measure only the methods that
// depend on it; there may be none.
func (s *samplesCommand) measure(
	ctx context.Context, p *preparedSweep, i int, progress func(done, total int),
) (map[string]measure, []core.Skipped, error) {
	// Only the number of coalitions differs between the measurements.
	o := p.options
	o.Samples = s.sizes[i]
	methods, err := methods.New(s.methods.Methods, o)
	if err != nil {
		return nil, nil, err
	}
	if i > 0 {
		methods = slices.DeleteFunc(methods, func(m core.Method) bool { return !draws(m.Name()) })
	}
	if len(methods) == 0 {
		return nil, nil, nil
	}
	return p.judge(ctx, methods, progress)
}

// draws reports whether a method has the option samples, the number of coalitions.
func draws(method string) bool {
	// The rows of methods.All list the options of each method.
	return slices.ContainsFunc(methods.All(), func(row methods.Info) bool {
		return row.Name == method && slices.Contains(row.Options, "samples")
	})
}

// add adds the measure of a method for n coalitions.
func (o *samplesJSON) add(row methods.Info, n int, m measure) {
	// Methods are in the order of their first size.
	at := slices.IndexFunc(o.Methods, func(known sizesJSON) bool {
		return known.Method == row.Name
	})
	if at < 0 {
		at = len(o.Methods)
		o.Methods = append(o.Methods, sizesJSON{Method: row.Name, Title: row.Title,
			Fixed: !draws(row.Name)})
	}
	o.Methods[at].Sizes = append(o.Methods[at].Sizes,
		sizeJSON{n, ask.Number(m.Mean), ask.Number(m.SEM), ask.Number(m.evaluations)})
}

// text appends a line for each method: first the methods that have the option samples, with a
// column for each size, then the others with their number of model evaluations.
func (o *samplesJSON) text(to *bytes.Buffer, sizes []int, title string) {
	// Two tables, because methods without the option have no column for a size.
	drawn, fixed := cli.Table{}, cli.Table{}
	// The heading lists the sizes in the order of the flag.
	drawn.Add(append([]string{"method"},
		ask.ListOf(sizes, func(n int) string { return fmt.Sprint(n) })...)...)
	fixed.Add("method", "evaluations", title)
	mean := func(s sizeJSON) string { return withError(s.Mean, s.SEM, 3) }
	for _, m := range o.Methods {
		if m.Fixed {
			s := m.Sizes[0]
			fixed.Add(m.Method, fmt.Sprintf("%.1f", float64(s.Evaluations)), mean(s))
		} else {
			drawn.Add(append([]string{m.Method}, ask.ListOf(m.Sizes, mean)...)...)
		}
	}
	fmt.Fprintf(to, "%s over %s, mean ± standard error\n", title, o.sweptOver)
	for _, part := range []struct {
		heading string
		rows    cli.Table
	}{{"by n, the number of coalitions", drawn},
		{"methods without n, with the model evaluations per bag", fixed}} {
		if part.rows.Len() > 1 { // more than the heading
			fmt.Fprintf(to, "\n%s\n\n", part.heading)
			part.rows.Write(to)
		}
	}
	for _, s := range o.Skipped {
		fmt.Fprintf(to, "\n%s was skipped: %s\n", s.Method, s.Reason)
	}
	o.skippedBags(to)
}
