package main

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// conceptsText appends a row for each concept, the interactions and the rule.
func conceptsText(to *bytes.Buffer, a *ask.GroupsAnswer) {
	c := a.Concepts
	fmt.Fprintf(to, "\nwhat the concepts do, in %s; without and alone are the prediction\n",
		msg.Line(string(c.Unit)))
	t := cli.Table{Words: true}
	t.Add("concept", "count", "without", "alone", "effect", "Shapley", "p", "")
	for n, e := range c.List {
		shapley, mark := cli.Signed(float64(e.Shapley)), ""
		if e.StdErr > 0 {
			shapley += " ± " + cli.Short(float64(e.StdErr))
		}
		if e.Evident {
			mark = "evident"
		}
		t.Add(msg.Line(e.Name), strconv.Itoa(len(a.Groups[n])), known(e.Without, cli.Short),
			known(e.Alone, cli.Short), known(e.Effect, cli.Signed), shapley,
			known(e.Adjusted, cli.Short), mark)
	}
	t.Write(to)
	fmt.Fprintf(to, "Shapley values sum to %s, from %s without the concepts to %s\n",
		cli.Signed(float64(c.Present-c.Absent)), cli.Signed(float64(c.Absent)),
		cli.Signed(float64(c.Present)))
	if c.Random > 0 {
		fmt.Fprintf(to, "p: against %d random sets of the same size%s, corrected\n", c.Random,
			contiguousText(c.Contiguous))
	}
	jointText(to, c)
	switch {
	case c.Rule != nil:
		fmt.Fprintf(to, "\nrule: high if %s (explains %s of the variance)\n",
			c.Rule.Text, percent(c.Rule.Fit))
	case !math.IsNaN(float64(c.Additive)):
		fmt.Fprintf(to, "\nno rule describes the evident concepts; a sum of their effects "+
			"explains %s of the variance\n", percent(c.Additive))
	}
	fmt.Fprintf(to, "\n%d evaluations, seed %d\n", a.Evaluations, a.Seed)
	cli.WriteNotes(to, a.Notes)
}

// mostJoint is the number of interactions in the text.
const mostJoint = 10

// jointText appends the largest interactions of pairs of concepts.
func jointText(to *bytes.Buffer, c *ask.Concepts) {
	type pair struct{ a, b int }
	var pairs []pair
	for b := range c.Joint {
		for a := range b {
			pairs = append(pairs, pair{a, b})
		}
	}
	if len(pairs) == 0 {
		return
	}
	value := func(p pair) float64 { return float64(c.Joint[p.a][p.b]) }
	slices.SortStableFunc(pairs, func(p, q pair) int {
		return cmp.Compare(math.Abs(value(q)), math.Abs(value(p)))
	})
	to.WriteString("\ninteractions: what two concepts add together\n")
	t := cli.Table{Words: true}
	t.Add("concept", "concept", "interaction")
	for _, p := range pairs[:min(len(pairs), mostJoint)] {
		t.Add(msg.Line(c.List[p.a].Name), msg.Line(c.List[p.b].Name), cli.Signed(value(p)))
	}
	t.Write(to)
}

// contiguousText says how random sets lie.
func contiguousText(contiguous bool) string {
	if contiguous {
		return ", as contiguous as the concept"
	}
	return ""
}

// known returns a number in words, "-" if there is none.
func known(v ask.Number, text func(float64) string) string {
	if math.IsNaN(float64(v)) {
		return "-"
	}
	return text(float64(v))
}

// percent returns a share in words.
func percent(v ask.Number) string { return fmt.Sprintf("%.0f %%", 100*float64(v)) }

// writePooled writes what concepts do over all bags of the file of --bag, and of the files of a
// folder, "" for none. named adds those of a bag.
func writePooled(c *cobra.Command, q *ask.Question, in *ask.Input, form *cli.OutputFlags,
	flags *cli.AskFlags, named *cli.ConceptFlags, folder string,
) error {
	if err := named.OfEachBag(); err != nil {
		return err
	}
	files, err := flags.Bags.WithFolder(c, in, &flags.Model, folder)
	if err != nil {
		return err
	}
	bar := cli.NewProgress(c.ErrOrStderr(), "bags")
	a, err := q.PooledGroups(c.Context(), in.Engine, files, *q.Options.(*ask.GroupsOptions),
		func(in *ask.Input) error { return named.Add(c, in, &flags.Model) },
		func(done int) {
			if bar.Due() {
				bar.Show(fmt.Sprintf("%d bags", done))
			}
		})
	bar.End()
	if err != nil {
		return err
	}
	return form.Write(c, cli.Result{JSON: a, Rows: a.Rows, Text: func(to *bytes.Buffer) {
		fmt.Fprintf(to, "what concepts do over %d bags for class %s, in %s\n\n", a.Bags,
			msg.Line(a.Class), msg.Line(a.Unit))
		t := cli.Table{Words: true}
		t.Add("concept", "bags", "evident", "Shapley", "95 % interval")
		for _, p := range a.Concepts {
			t.Add(msg.Line(p.Name), strconv.Itoa(p.Bags), strconv.Itoa(p.Evident),
				cli.Signed(float64(p.Shapley)),
				known(p.Low, cli.Signed)+" to "+known(p.High, cli.Signed))
		}
		t.Write(to)
		if a.None > 0 {
			fmt.Fprintf(to, "no instance has a code above 0 in %d of %d bags\n", a.None, a.Bags)
		}
	}})
}
