// Bagscope explains what a multiple-instance-learning model saw in a bag: which instances
// mattered, and which class each supported or refuted.
//
//	bagscope predict  --model M --bag B           what the model says
//	bagscope explain  --model M --bag B           why: scores of every instance for every class
//	bagscope evaluate --model M --bags SET.npz    how faithful the explanations are
//	bagscope inspect  --model M                   what the model file holds, how it is run
//	bagscope serve    --models DIR                the same answers over HTTP
//	bagscope methods                              which methods there are
//	bagscope version
//
// Other commands are in programs of their own, which bagscope runs from its own folder or from
// PATH:
//
//	bagscope train, study, tune, samples, figure  bagscope-train, with Gorgonia and a plotting library
//	bagscope cohort                               bagscope-cohort, with Apache Beam
//
// Results go to standard output, as a table or with --json; progress goes to standard error and
// only to a terminal. Exit codes: 0 done, 1 failed, 2 wrong usage.
package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

var program = cli.Program{Name: "bagscope", New: newRoot}

func main() { program.Main() }

func newRoot(out, errors io.Writer) *cobra.Command {
	commands := []*cobra.Command{
		newPredict(), newExplain(), newEvaluate(), newInspect(), newServe(), newMethods(), newVersion(),
	}
	for _, o := range otherPrograms {
		commands = append(commands, o.commands()...)
	}
	return cli.Root("bagscope", "See inside a bag: what a multiple-instance-learning model saw",
		out, errors, commands...)
}
