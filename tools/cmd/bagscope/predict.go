package main

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// A prediction is written as a table or as CSV. The server uses the same JSON.
type prediction struct{ *ask.Prediction }

// newPredict returns the command that prints the scores of all classes for one bag.
func newPredict() *cobra.Command {
	var (
		model  cli.ModelFlags
		bags   cli.BagFlags
		index  int
		memory cli.MemoryFlag
		output string
		form   cli.OutputFlags
	)
	c := cli.Command("predict", "Print the model's prediction for a bag",
		func(c *cobra.Command) error {
			if err := memory.Bound(c); err != nil {
				return err
			}
			in, err := cli.OpenBag(c, &model, &bags, index)
			if err != nil {
				return err
			}
			// The scale is validated before the model runs.
			p, err := ask.Predict(c.Context(), in, &output)
			if err != nil {
				return err
			}
			out := prediction{p}
			return form.Write(c, cli.Result{JSON: out, Text: out.text, Rows: out.csv})
		})
	model.Register(c)
	bags.Register(c, "bag", cli.BagUsage)
	cli.IndexFlag(c, &index)
	c.Flags().StringVar(&output, "output", "prob", "scale of the class scores: prob or logit")
	memory.Register(c)
	form.Register(c, "write the class scores to a CSV file")
	return c
}

// classTitle returns the number of a class and its name, or only the number if the class has no
// name.
func classTitle(class int, name string) string {
	// A model without class names has numbers as names.
	number := strconv.Itoa(class)
	if name == number {
		return number
	}
	return number + " " + name
}

// csv returns a row for each class, after the heading. Numbers have all their digits.
func (p prediction) csv() [][]string {
	rows := [][]string{{"class", "name", "score", "raw", "unit"}}
	for _, f := range p.Folds {
		rows[0] = append(rows[0], f.Name)
	}
	for i, c := range p.Classes {
		row := []string{strconv.Itoa(i), c.Name, ask.Exact(float64(c.Score)),
			ask.Exact(float64(c.Raw)), string(c.Unit)}
		for _, f := range p.Folds {
			row = append(row, ask.Exact(float64(f.Prediction[i])))
		}
		rows = append(rows, row)
	}
	return rows
}

// classes adds a row for each class. Scores with units of their own have a column for the unit.
func (p prediction) classes(t *cli.Table) {
	row := func(class int, cells ...string) {
		t.Add(append(cells, foldCells(p.Folds, class)...)...)
	}
	if !p.Units {
		row(-1, "class", string(p.Output), string(p.Scale))
		for i, c := range p.Classes {
			row(i, classTitle(i, c.Name), cli.Short(float64(c.Score)), cli.Short(float64(c.Raw)))
		}
		return
	}
	row(-1, "class", "answer", "unit")
	for i, c := range p.Classes {
		row(i, classTitle(i, c.Name), cli.Short(float64(c.Score)), msg.Line(string(c.Unit)))
	}
}

// text appends a line for each class: the score on the requested scale and the model's own output.
func (p prediction) text(to *bytes.Buffer) {
	fmt.Fprintf(to, "%s, %d instances, under %s\n\n", p.Bag.Name, p.Bag.Instances, p.Model.Name)
	t := cli.Table{}
	p.classes(&t)
	t.Write(to)
	for _, c := range p.Curves {
		fmt.Fprintf(to, "\nsurvival curve of %s\n\n", msg.Line(c.Class))
		t := cli.Table{}
		t.Add(msg.Line(string(c.Unit)), "survival")
		for i, edge := range c.Edges {
			t.Add(cli.Short(float64(edge)), cli.Short(float64(c.Survival[i])))
		}
		t.Write(to)
	}
	if len(p.Notes) > 0 {
		to.WriteString("\n")
	}
	cli.WriteNotes(to, p.Notes)
}
