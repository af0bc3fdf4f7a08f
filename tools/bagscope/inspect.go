package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
)

// The JSON of inspect. A symbolic side of a shape is its name, or null where it has none.
type (
	tensorJSON struct {
		Name  string `json:"name"`
		Type  string `json:"type"`
		Shape []any  `json:"shape"`
	}
	inspectJSON struct {
		Name         string       `json:"name"`
		SHA256       string       `json:"sha256"`
		Opset        int          `json:"opset"`
		Inputs       []tensorJSON `json:"inputs"`
		Outputs      []tensorJSON `json:"outputs"`
		Operators    []string     `json:"operators"`
		Parameters   int          `json:"parameters"`
		Input        string       `json:"input"`
		InstanceAxis int          `json:"instance_axis"`
		Output       string       `json:"output"`
		Classes      []string     `json:"classes"`
		Negative     int          `json:"negative"`
		Scale        core.Scale   `json:"scale"`
		Inherent     string       `json:"inherent"`
		Truth        []truthJSON  `json:"truth"`
		Card         cardJSON     `json:"card"`
		Notes        []string     `json:"notes"`
	}
)

func newInspect() *cobra.Command {
	var (
		model  modelFlags
		asJSON bool
	)
	c := command("inspect", "Print what a model file holds", func(c *cobra.Command) error {
		if err := require(c, "model"); err != nil {
			return err
		}
		m, err := model.open()
		if err != nil {
			return err
		}
		out := newInspection(m.Info(), m.Card())
		if asJSON {
			return writeJSON(c.OutOrStdout(), out)
		}
		return out.text(c.OutOrStdout())
	})
	model.register(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func newInspection(info core.ModelInfo, card onnxbackend.Card) *inspectJSON {
	return &inspectJSON{
		Name: info.Name, SHA256: info.SHA256, Opset: info.Opset,
		Inputs: tensors(info.Inputs), Outputs: tensors(info.Outputs),
		Operators: list(info.Operators), Parameters: info.Parameters,
		Input: info.Input, InstanceAxis: info.InstanceAxis, Output: info.Output,
		Classes: list(info.Classes), Negative: info.Negative, Scale: info.Scale,
		Inherent: info.Inherent, Truth: truths(info.Truth), Card: newCard(card), Notes: list(info.Notes),
	}
}

func tensors(infos []core.TensorInfo) []tensorJSON {
	out := []tensorJSON{}
	for _, t := range infos {
		shape := []any{}
		for i, d := range t.Shape {
			switch {
			case d >= 0:
				shape = append(shape, d)
			case i < len(t.Names) && t.Names[i] != "":
				shape = append(shape, t.Names[i])
			default:
				shape = append(shape, nil)
			}
		}
		out = append(out, tensorJSON{t.Name, t.Type, shape})
	}
	return out
}

func (m *inspectJSON) text(w io.Writer) error {
	t := table{}
	line := func(name, value string) { t.add(fmt.Sprintf("%-14s%s", name, value)) }
	line("name", m.Name)
	line("sha256", m.SHA256)
	line("opset", strconv.Itoa(m.Opset))
	for _, in := range m.Inputs {
		line("input", in.text())
	}
	for _, out := range m.Outputs {
		line("output", out.text())
	}
	line("operators", strings.Join(m.Operators, " "))
	line("parameters", strconv.Itoa(m.Parameters))
	line("instances", fmt.Sprintf("axis %d of %s", m.InstanceAxis, m.Input))
	for i, name := range m.Classes {
		mark := ""
		if i == m.Negative {
			mark = " (negative)"
		}
		line("class", fmt.Sprintf("%d %s%s", i, name, mark))
	}
	if m.Scale != "" {
		line("scores", string(m.Scale))
	}
	if m.Inherent != "" {
		line("inherent", m.Inherent)
	}
	for _, row := range t.rows {
		if _, err := fmt.Fprintln(w, row[0]); err != nil {
			return err
		}
	}
	return writeNotes(w, m.Notes)
}

func (t tensorJSON) text() string {
	sides := make([]string, len(t.Shape))
	for i, d := range t.Shape {
		sides[i] = "?"
		if d != nil {
			sides[i] = fmt.Sprint(d)
		}
	}
	return fmt.Sprintf("%s: %s, %s", t.Name, t.Type, strings.Join(sides, " x "))
}
