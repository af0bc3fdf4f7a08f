package main

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// A checkAnswer is written as text. The server uses the same JSON.
type checkAnswer struct{ *ask.CheckAnswer }

// newCheck returns the command that checks how far a map depends on the model and on the bag.
func newCheck() *cobra.Command {
	var (
		flags   cli.AskFlags
		options ask.CheckOptions
		form    cli.OutputFlags
	)
	c := cli.Command("check", "Check a map by random layers, noise and pasted marks",
		func(c *cobra.Command) error {
			ask, in, err := flags.Open(c)
			if err != nil {
				return err
			}
			update, end := cli.Evaluations(c)
			answer, err := ask.Check(c.Context(), in, options, update)
			end()
			if err != nil {
				return err
			}
			return form.Write(c, cli.Result{JSON: answer, Text: checkAnswer{answer}.text})
		})
	flags.Register(c, options.Fields())
	form.Register(c, "")
	return c
}

// text appends a paragraph for each check.
func (a checkAnswer) text(to *bytes.Buffer) {
	writeAnswered(to, a.Answered)
	fmt.Fprintf(to, "\nthe map of %s\n", a.Method)
	if a.Layers != nil {
		writeCheck(to, "layers", a.Layers.Passed, a.Layers.Sentence)
	}
	writeCheck(to, "noise", a.Noise.Passed, a.Noise.Sentence)
	writeCheck(to, "mark", a.Mark.Passed, a.Mark.Sentence)
	fmt.Fprintf(to, "\n%d evaluations, seed %d\n", a.Evaluations, a.Seed)
	cli.WriteNotes(to, a.Notes)
}

// writeCheck appends the result of a check.
func writeCheck(to *bytes.Buffer, name string, passed bool, sentence string) {
	result := "passed"
	if !passed {
		result = "failed"
	}
	fmt.Fprintf(to, "\n%s: %s\n%s\n", name, result, sentence)
}
