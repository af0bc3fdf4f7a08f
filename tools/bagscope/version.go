package main

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

//go:generate cp ../../version.txt version.txt
//go:embed version.txt
var versionFile string

func newVersion() *cobra.Command {
	var asJSON bool
	c := command("version", "Print the version", func(c *cobra.Command) error {
		version := strings.TrimSpace(versionFile)
		if asJSON {
			return writeJSON(c.OutOrStdout(), map[string]string{"version": version})
		}
		_, err := fmt.Fprintln(c.OutOrStdout(), "bagscope", version)
		return err
	})
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
