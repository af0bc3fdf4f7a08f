package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/onnxbackend/kernel"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/service/query"
)

func newVersion() *cobra.Command {
	var asJSON bool
	c := cli.Command("version",
		"Print the version and the kernels that the engine uses on this processor",
		func(c *cobra.Command) error {
			version, level := cli.Version(), kernel.Level()
			if asJSON {
				return query.WriteJSON(c.OutOrStdout(),
					map[string]string{"version": version, "kernels": level})
			}
			_, err := fmt.Fprintf(c.OutOrStdout(), "bagscope %s, kernels %s\n", version, level)
			return err
		})
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
