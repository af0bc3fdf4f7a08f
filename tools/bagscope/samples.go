package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/tools/figure"
)

// samplesCommand holds the flags of samples.
type samplesCommand struct {
	trial
	sizes []int
}

// sampleSizes are those of the study, unless a flag says otherwise.
var sampleSizes = []int{50, 100, 150, 300, 600, 1000, 2000, 4000, 10000}

// The JSON of samples, on which scripts rely.
type (
	sizeJSON struct {
		Samples int    `json:"samples"`
		Mean    number `json:"mean"`
		SEM     number `json:"sem"`
	}
	sizesJSON struct {
		Method string     `json:"method"`
		Title  string     `json:"title"`
		Sizes  []sizeJSON `json:"sizes"`
	}
	samplesJSON struct {
		Metric  string      `json:"metric"`
		Bags    int         `json:"bags"`
		Methods []sizesJSON `json:"methods"`
	}
)

func newSamples() *cobra.Command {
	s := &samplesCommand{}
	c := command("samples", "Measure methods against the number of coalitions they draw", s.run)
	s.register(c, "random_shap,guided_shap,random_lime,guided_lime,milli,single,consensus", "a line for each method")
	c.Flags().IntSliceVar(&s.sizes, "sizes", sampleSizes, "numbers of coalitions to try; methods without --samples are measured once and drawn level")
	_ = c.Flags().MarkHidden("samples") // its values are --sizes
	return c
}

func (s *samplesCommand) run(c *cobra.Command) error {
	if c.Flags().Changed("samples") {
		return usage("samples tries all of --sizes; name one there")
	}
	if len(s.sizes) == 0 {
		return usage("--sizes needs a value")
	}
	for _, n := range s.sizes {
		if n < 1 {
			return usage("--sizes %d: at least one coalition must be drawn", n)
		}
	}
	p, err := s.prepare(c)
	if err != nil {
		return err
	}
	out := samplesJSON{Metric: p.info.Key(), Bags: p.n}
	level := map[string]metric.Stat{} // of methods that draw no n coalitions
	bar := newProgress(c.ErrOrStderr(), "bags under all sizes")
	for i, n := range s.sizes {
		o := p.options
		o.Samples = n
		methods, err := core.NewMethods(s.methods.methods, o)
		if err != nil {
			return err
		}
		var asked []core.Method
		for _, m := range methods {
			if _, known := level[m.Name()]; !known {
				asked = append(asked, m)
			}
		}
		stats, err := p.judge(c.Context(), asked, func(done, total int) { bar.update(i*total+done, len(s.sizes)*total) })
		if err != nil {
			bar.end()
			return err
		}
		for _, row := range core.Methods() {
			stat, ok := stats[row.Name]
			if ok && !draws(row) {
				level[row.Name] = stat
			} else if !ok {
				stat, ok = level[row.Name]
			}
			if ok {
				out.add(row, n, stat)
			}
		}
	}
	bar.end()
	if err := s.draw(func() (*figure.Figure, error) { return out.lines(p.info.Title) }); err != nil {
		return err
	}
	if s.asJSON {
		return writeJSON(c.OutOrStdout(), out)
	}
	return out.text(c.OutOrStdout(), s.sizes, p.info.Title)
}

// draws reports whether a method takes the number of coalitions as an option.
func draws(row core.MethodInfo) bool {
	for _, name := range row.Options {
		if name == "samples" {
			return true
		}
	}
	return false
}

func (o *samplesJSON) add(row core.MethodInfo, n int, stat metric.Stat) {
	at := len(o.Methods)
	for i, m := range o.Methods {
		if m.Method == row.Name {
			at = i
		}
	}
	if at == len(o.Methods) {
		o.Methods = append(o.Methods, sizesJSON{Method: row.Name, Title: row.Title})
	}
	o.Methods[at].Sizes = append(o.Methods[at].Sizes, sizeJSON{n, number(stat.Mean), number(stat.SEM)})
}

// lines draws each method against n.
func (o *samplesJSON) lines(title string) (*figure.Figure, error) {
	var lines []figure.Line
	for _, m := range o.Methods {
		l := figure.Line{Name: m.Title}
		for _, s := range m.Sizes {
			l.X, l.Y, l.Error = append(l.X, float64(s.Samples)), append(l.Y, float64(s.Mean)), append(l.Error, float64(s.SEM))
		}
		lines = append(lines, l)
	}
	return figure.Lines(figure.Axes{
		Title: fmt.Sprintf("%s against coalitions drawn, %d bags", title, o.Bags), X: "n", Y: title, Log: true, Marked: true,
	}, lines)
}

// text prints a line for each method.
func (o *samplesJSON) text(w io.Writer, sizes []int, title string) error {
	fmt.Fprintf(w, "%s over %d bags, mean ± standard error, against n\n\n", title, o.Bags)
	rows := table{}
	heading := []string{"method"}
	for _, n := range sizes {
		heading = append(heading, fmt.Sprint(n))
	}
	rows.add(heading...)
	for _, m := range o.Methods {
		row := []string{m.Method}
		for _, s := range m.Sizes {
			row = append(row, fmt.Sprintf("%.3f ± %.3f", float64(s.Mean), float64(s.SEM)))
		}
		rows.add(row...)
	}
	return rows.write(w)
}
