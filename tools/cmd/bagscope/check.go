package main

import (
	"bytes"
	"fmt"

	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// checkText appends a paragraph for each check.
func checkText(to *bytes.Buffer, a *ask.CheckAnswer, _ int) {
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
