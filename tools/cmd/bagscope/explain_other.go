package main

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// alike is an explained bag with the bag of --target-bag, whose scores are of its likeness to the
// first one. other is nil without the flag.
type alike struct {
	explained
	other *explained
}

// explainOther explains the bag of --target-bag by its likeness to the vector of in.
func (e *explainCommand) explainOther(
	c *cobra.Command, plan *ask.Plan, in *ask.Input,
) (*explained, error) {
	other, err := e.model.Other(c.Context(), in)
	if other == nil || err != nil {
		return nil, err
	}
	x, err := cli.Explain(c, plan, other)
	if err != nil {
		return nil, err
	}
	return &explained{x, e.look}, nil
}

// result returns what is printed of both bags.
func (x alike) result(top int) cli.Result {
	r := cli.Result{JSON: x.JSON(), Rows: x.Rows,
		Text: func(to *bytes.Buffer) { x.text(to, top) }}
	if x.other == nil {
		return r
	}
	r.JSON = struct {
		*ask.Explanation
		Other *ask.Explanation `json:"other"`
	}{x.JSON(), x.other.JSON()}
	r.Rows = func() [][]string {
		var rows [][]string
		for _, of := range []*explained{&x.explained, x.other} {
			for n, row := range of.Rows() {
				first := of.Bag.Name
				if n == 0 {
					first = "bag"
				}
				if n > 0 || of != x.other {
					rows = append(rows, append([]string{first}, row...))
				}
			}
		}
		return rows
	}
	r.Text = func(to *bytes.Buffer) {
		x.text(to, top)
		to.WriteString("\nThe other way round:\n\n")
		x.other.text(to, top)
	}
	return r
}

// pngs draws the bag into a file, and the other one beside it, as NAME.other.png.
func (x alike) pngs(name string) error {
	if err := x.png(name); err != nil || x.other == nil {
		return err
	}
	ending := filepath.Ext(name)
	return x.other.png(strings.TrimSuffix(name, ending) + ".other" + ending)
}
