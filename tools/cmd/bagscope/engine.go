package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/engine"
)

// newEngine returns the command that programs which embed bagscope start as a child process.
func newEngine() *cobra.Command {
	return cli.Command("engine", "Answer messages on standard input and output, for programs that "+
		"embed bagscope", func(c *cobra.Command) error {
		// The output is not that of c, which escapes control characters. Anything else that is
		// printed must not mix with the messages.
		out := os.Stdout
		os.Stdout = os.Stderr
		return engine.Serve(c.Context(), c.InOrStdin(), out, cli.Version())
	})
}
