package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
)

// The JSON of predict, on which scripts rely.
type (
	modelJSON struct {
		Name   string `json:"name"`
		SHA256 string `json:"sha256"`
	}
	bagJSON struct {
		Name      string `json:"name"`
		Instances int    `json:"instances"`
	}
	outputJSON struct {
		Shape []int    `json:"shape"`
		Data  []number `json:"data"`
	}
	classJSON struct {
		Name  string `json:"name"`
		Score number `json:"score"` // on output
		Raw   number `json:"raw"`   // as the model gives it
	}
	predictJSON struct {
		Model   modelJSON             `json:"model"`
		Bag     bagJSON               `json:"bag"`
		Outputs map[string]outputJSON `json:"outputs"`
		Classes []classJSON           `json:"classes"`
		Output  core.Output           `json:"output"`
		Scale   core.Scale            `json:"scale"`
		Notes   []string              `json:"notes"`
	}
)

func newPredict() *cobra.Command {
	var (
		model  modelFlags
		bags   bagFlags
		index  int
		output string
		asJSON bool
		csv    string
	)
	c := command("predict", "Print what the model says of a bag", func(c *cobra.Command) error {
		if err := (choice{"output", output, []string{"prob", "logit"}}).check(c); err != nil {
			return err
		}
		in, err := open(c, &model, &bags, index)
		if err != nil {
			return err
		}
		p, err := in.engine.Predict(c.Context(), in.bag)
		if err != nil {
			return err
		}
		out, err := newPrediction(in.engine.Info(), in.bag, p, core.Output(output))
		if err != nil {
			return err
		}
		if csv != "" {
			if err := writeCSV(csv, out.csv()); err != nil {
				return err
			}
		}
		if asJSON {
			return writeJSON(c.OutOrStdout(), out)
		}
		return out.text(c.OutOrStdout())
	})
	model.register(c)
	bags.register(c, "bag", bagUsage)
	c.Flags().IntVar(&index, "index", 0, "number of the bag in a set of several, from 0")
	c.Flags().StringVar(&output, "output", "prob", "what class scores are in: prob or logit")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().StringVar(&csv, "csv", "", "write the class scores to a CSV file")
	return c
}

func newPrediction(info core.ModelInfo, bag *core.Bag, p *onnxbackend.Prediction, want core.Output) (*predictJSON, error) {
	scores, output, err := p.Scale.Prediction(slices.Clone(p.Scores), want)
	if err != nil {
		return nil, err
	}
	out := &predictJSON{
		Model:   modelJSON{info.Name, info.SHA256},
		Bag:     bagJSON{bag.Name, bag.Len()},
		Outputs: map[string]outputJSON{},
		Classes: []classJSON{},
		Output:  output, Scale: p.Scale, Notes: list(p.Notes),
	}
	for _, o := range p.Outputs {
		out.Outputs[o.Name] = outputJSON{list(o.Shape), list(numbers(o.Data))}
	}
	for i, name := range classNames(p.Classes, len(scores)) {
		out.Classes = append(out.Classes, classJSON{name, number(scores[i]), number(p.Scores[i])})
	}
	return out, nil
}

// classNames returns a name for each of n classes: the model's, or its number.
func classNames(names []string, n int) []string {
	if len(names) == n {
		return names
	}
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(i)
	}
	return out
}

// classTitle is a class's number and, where it has one of its own, its name.
func classTitle(class int, name string) string {
	number := strconv.Itoa(class)
	if name == number {
		return number
	}
	return number + " " + name
}

func (p *predictJSON) csv() [][]string {
	rows := [][]string{{"class", "name", "score", "raw"}}
	for i, c := range p.Classes {
		rows = append(rows, []string{strconv.Itoa(i), c.Name, exact(float64(c.Score)), exact(float64(c.Raw))})
	}
	return rows
}

func (p *predictJSON) text(w io.Writer) error {
	fmt.Fprintf(w, "%s, %d instances, under %s\n\n", p.Bag.Name, p.Bag.Instances, p.Model.Name)
	t := table{}
	t.add("class", string(p.Output), string(p.Scale))
	for i, c := range p.Classes {
		t.add(classTitle(i, c.Name), short(float64(c.Score)), short(float64(c.Raw)))
	}
	if err := t.write(w); err != nil {
		return err
	}
	if len(p.Notes) > 0 {
		fmt.Fprintln(w)
	}
	return writeNotes(w, p.Notes)
}
