// Bagscope explains the predictions of multiple-instance-learning (MIL) models: which instances of
// a bag mattered, and which class each instance supports or refutes.
//
//	bagscope predict  --model M --bag B           the model's prediction
//	bagscope explain  --model M --bag B           a score for each instance and each class
//	bagscope sets     --model M --bag B           the smallest sets of instances that decide
//	bagscope pairs    --model M --bag B           what completes, or stands in for, what
//	bagscope whatif   --model M --bag B           the fewest changes that turn the prediction
//	bagscope inside   --model M --bag B           the parts of one instance that matter
//	bagscope check    --model M --bag B           sanity checks of a map
//	bagscope evaluate --model M --bags SET.npz    the faithfulness of the explanations
//	bagscope embed    --model M --bag B           an explanation as HTML for a page
//	bagscope inspect  --model M                   the contents of a model file, and its evaluation
//	bagscope tiles    SLIDE --out FILE.h5         the patches of a slide, with their features
//	bagscope serve    --models DIR                the same results over HTTP
//	bagscope methods                              the attribution methods
//	bagscope engine                               messages for programs that embed bagscope
//	bagscope version
//
// Other commands belong to separate programs, which bagscope runs from its own folder or from PATH:
//
//	bagscope train, study, tune, samples, figure  bagscope-train, with Gorgonia and plots
//	bagscope choose, readers                      bagscope-train
//	bagscope cohort                               bagscope-cohort, with Apache Beam
//
// Results go to standard output, as a table or, with --json, as JSON. Progress goes to standard
// error if that is a terminal. Exit codes: 0 success, 1 failure, 2 wrong usage.
package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// program is the tree of commands. Tests run it in their own process.
var program = cli.Program{Name: "bagscope", New: newRoot}

func main() { program.Main() }

// newRoot returns the top command with bagscope's own commands and those of other programs.
func newRoot(out, errors io.Writer) *cobra.Command {
	commands := []*cobra.Command{
		newPredict(), newExplain(), newEvaluate(), newEmbed(), newInspect(), newTiles(),
		newServe(), newMethods(), newEngine(), newVersion(),
	}
	for _, w := range ask.WhatIfs() {
		commands = append(commands, newWhatIf(w))
	}
	for _, o := range otherPrograms {
		commands = append(commands, o.commands()...)
	}
	return cli.Root("bagscope", "Explain the predictions of multiple-instance-learning models",
		out, errors, commands...)
}
