package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/service/query"
)

// A prediction is written as a table or as CSV. The server uses the same JSON.
type prediction struct{ *query.Prediction }

func newPredict() *cobra.Command {
	var (
		model  cli.ModelFlags
		bags   cli.BagFlags
		index  int
		output string
		asJSON bool
		csv    string
	)
	c := cli.Command("predict", "Print the model's prediction for a bag",
		func(c *cobra.Command) error {
			in, err := cli.OpenBag(c, &model, &bags, index)
			if err != nil {
				return err
			}
			p, err := query.Predict(c.Context(), in, &output)
			if err != nil {
				return cli.FlagError(err)
			}
			out := prediction{p}
			if csv != "" {
				if err := cli.WriteCSV(csv, out.csv()); err != nil {
					return err
				}
			}
			if asJSON {
				return query.WriteJSON(c.OutOrStdout(), out)
			}
			return out.text(c.OutOrStdout())
		})
	model.Register(c)
	bags.Register(c, "bag", cli.BagUsage)
	c.Flags().IntVar(&index, "index", 0, "index of the bag in a set of bags, from 0")
	c.Flags().StringVar(&output, "output", "prob", "scale of the class scores: prob or logit")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().StringVar(&csv, "csv", "", "write the class scores to a CSV file")
	return c
}

// classTitle returns the number of a class and its name, or only the number if the class has no
// name.
func classTitle(class int, name string) string {
	number := strconv.Itoa(class)
	if name == number {
		return number
	}
	return number + " " + name
}

func (p prediction) csv() [][]string {
	rows := [][]string{{"class", "name", "score", "raw"}}
	for i, c := range p.Classes {
		rows = append(rows, []string{strconv.Itoa(i), c.Name, cli.Exact(float64(c.Score)),
			cli.Exact(float64(c.Raw))})
	}
	return rows
}

func (p prediction) text(w io.Writer) error {
	fmt.Fprintf(w, "%s, %d instances, under %s\n\n", p.Bag.Name, p.Bag.Instances, p.Model.Name)
	t := cli.Table{}
	t.Add("class", string(p.Output), string(p.Scale))
	for i, c := range p.Classes {
		t.Add(classTitle(i, c.Name), cli.Short(float64(c.Score)), cli.Short(float64(c.Raw)))
	}
	if err := t.Write(w); err != nil {
		return err
	}
	if len(p.Notes) > 0 {
		fmt.Fprintln(w)
	}
	return cli.WriteNotes(w, p.Notes)
}
