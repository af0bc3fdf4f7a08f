package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/service/query"
)

func newMethods() *cobra.Command {
	var asJSON bool
	c := cli.Command("methods", "List the attribution methods", func(c *cobra.Command) error {
		if asJSON {
			return query.WriteJSON(c.OutOrStdout(), query.Methods())
		}
		t := cli.Table{Words: true}
		t.Add("method", "evaluations", "summary", "flags")
		for _, m := range core.Methods() {
			t.Add(m.Name, m.Cost, m.Summary, strings.Join(m.Options, " "))
		}
		return t.Write(c.OutOrStdout())
	})
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
