package main

import (
	"bytes"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// newMethods returns the command that lists the rows of methods.All.
func newMethods() *cobra.Command {
	var form cli.OutputFlags
	c := cli.Command("methods", "List the attribution methods", func(c *cobra.Command) error {
		return form.Write(c, cli.Result{JSON: ask.Methods(), Text: methodTable})
	})
	form.Register(c, "")
	return c
}

// methodTable appends a line for each method, with its cost in model evaluations and its flags.
func methodTable(to *bytes.Buffer) {
	t := cli.Table{Words: true}
	// The flags have the names of the options.
	t.Add("method", "evaluations", "summary", "flags")
	for _, m := range methods.All() {
		t.Add(m.Name, m.Cost, m.Summary, strings.Join(m.Options, " "))
	}
	t.Write(to)
}
