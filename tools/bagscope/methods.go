package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
)

// methodJSON is a row of the table of methods.
type methodJSON struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Summary string   `json:"summary"`
	Cost    string   `json:"cost"`
	Options []string `json:"options"`
}

func newMethods() *cobra.Command {
	var asJSON bool
	c := command("methods", "List the attribution methods", func(c *cobra.Command) error {
		if asJSON {
			rows := []methodJSON{}
			for _, m := range core.Methods() {
				rows = append(rows, methodJSON{m.Name, m.Title, m.Summary, m.Cost, list(m.Options)})
			}
			return writeJSON(c.OutOrStdout(), map[string]any{"methods": rows})
		}
		t := table{words: true}
		t.add("method", "evaluations", "what it is", "flags")
		for _, m := range core.Methods() {
			t.add(m.Name, m.Cost, m.Summary, strings.Join(m.Options, " "))
		}
		return t.write(c.OutOrStdout())
	})
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
