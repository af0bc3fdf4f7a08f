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
		"Print the version and the kernels that the engine uses on this processor",
		func(c *cobra.Command) error {
			version, level := cli.Version(), kernel.Level()
			return form.Write(c, cli.Result{
				JSON: map[string]string{"version": version, "kernels": level},
				Text: func(to *bytes.Buffer) {
					fmt.Fprintf(to, "bagscope %s, kernels %s\n", version, level)
				},
			})
		})
	form.Register(c, "")
	return c
}
