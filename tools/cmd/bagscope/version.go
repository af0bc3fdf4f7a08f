package main

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/onnxbackend/kernel"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// newVersion returns the command that prints the version. The kernels belong to a report of an
// error, because they depend on the processor.
func newVersion() *cobra.Command {
	var form cli.OutputFlags
	c := cli.Command("version",
		"Print the version, the commit of its sources, and the kernels that the engine uses here",
		func(c *cobra.Command) error {
			version, level, source := cli.Version(), kernel.Level(), cli.BuildSource()
			return form.Write(c, cli.Result{
				JSON: struct {
					Version string `json:"version"`
					cli.Source
					Kernels string `json:"kernels"`
				}{version, source, level},
				Text: func(to *bytes.Buffer) {
					fmt.Fprintf(to, "bagscope %s, %s, kernels %s\n", version, source, level)
				},
			})
		})
	form.Register(c, "")
	return c
}
