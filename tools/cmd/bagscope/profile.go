package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// profileCSV returns a row for each value of the covariate with the prediction of each class, after
// the heading.
func profileCSV(a *ask.ProfileAnswer) [][]string {
	rows := [][]string{append([]string{a.Covariate}, a.Classes...)}
	for n, values := range a.Values {
		row := []string{valuesText(values, ask.Exact)}
		for _, p := range a.Predictions[n] {
			row = append(row, ask.Exact(float64(p)))
		}
		rows = append(rows, row)
	}
	return rows
}

// profileText appends a row for each value of the covariate.
func profileText(to *bytes.Buffer, a *ask.ProfileAnswer, _ int) {
	writeAnswered(to, a.Answered)
	fmt.Fprintf(to, "%s is %s\n\nif it were\n", msg.Line(a.Covariate),
		valuesText(a.Stated, brief))
	t := cli.Table{}
	t.Add(msg.Line(a.Covariate), string(a.Units[a.Class]))
	for n, values := range a.Values {
		t.Add(valuesText(values, brief), cli.Short(float64(a.Predictions[n][a.Class])))
	}
	t.Write(to)
	fmt.Fprintf(to, "\n%d evaluations\n", a.Evaluations)
	cli.WriteNotes(to, a.Notes)
}

// brief returns a number with at most eight digits.
func brief(v float64) string { return strconv.FormatFloat(v, 'g', 8, 64) }

// valuesText returns the values of a covariate, separated by spaces.
func valuesText(values []ask.Number, text func(float64) string) string {
	return strings.Join(ask.ListOf(values, func(v ask.Number) string {
		return text(float64(v))
	}), " ")
}
