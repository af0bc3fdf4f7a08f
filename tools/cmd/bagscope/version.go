package main

import (
	"bytes"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/onnxbackend/kernel"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// newVersion returns the command that prints the version. The kernels belong to a report of an
// error, because they depend on the processor, and so does Go, whose library can have holes.
func newVersion() *cobra.Command {
	var form cli.OutputFlags
	c := cli.Command("version",
		"Print the version, the commit of its sources, the kernels that the engine uses here, and "+
			"Go's version",
		func(c *cobra.Command) error {
			version, level, source := cli.Version(), kernel.Level(), cli.BuildSource()
			return form.Write(c, cli.Result{
				JSON: struct {
					Version string `json:"version"`
					cli.Source
					Kernels string `json:"kernels"`
					Go      string `json:"go"`
				}{version, source, level, runtime.Version()},
				Text: func(to *bytes.Buffer) {
					fmt.Fprintf(to, "bagscope %s, %s, kernels %s, %s\n", version, source, level,
						runtime.Version())
				},
			})
		})
	form.Register(c, "")
	return c
}
