package main

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// pairsView writes pairs as a table or as CSV.
var pairsView = viewOf("write the pairs to a CSV file", "pairs",
	func(a *ask.PairsAnswer, top int) cli.Result {
		out := pairsAnswer{a}
		return cli.Result{Rows: out.csv, Text: func(to *bytes.Buffer) { out.text(to, top) }}
	})

type pairsAnswer struct{ *ask.PairsAnswer }

// csv returns a row for each pair, after the heading. Numbers have all their digits.
func (a pairsAnswer) csv() [][]string {
	rows := [][]string{{"a", "b", "value", "stderr", "unit", "evident"}}
	for _, p := range a.Pairs {
		rows = append(rows, []string{strconv.Itoa(p.A), strconv.Itoa(p.B),
			ask.Exact(float64(p.Value)), ask.Exact(float64(p.StdErr)), string(a.Unit),
			strconv.FormatBool(p.Evident)})
	}
	return rows
}

// text appends the pairs with the largest interactions, and the twins.
func (a pairsAnswer) text(to *bytes.Buffer, top int) {
	writeAnswered(to, a.Answered)
	fmt.Fprintf(to, "\n%s interactions of %d instances, in %s\n", a.Interaction, len(a.Among),
		msg.Line(string(a.Unit)))
	t := cli.Table{Words: true}
	t.Add("pair", "interaction", "error", "meaning")
	shown := a.Pairs
	if top > 0 {
		shown = shown[:min(top, len(shown))]
	}
	for _, p := range shown {
		value, meaning := cli.Signed(float64(p.Value)), "they "+p.Relation
		if !p.Evident {
			value, meaning = "("+value+")", "not distinguishable from 0"
		}
		t.Add(fmt.Sprintf("%d and %d", p.A, p.B), value, cli.Short(float64(p.StdErr)), meaning)
	}
	if hidden := len(a.Pairs) - len(shown); hidden > 0 {
		t.Add(fmt.Sprintf("and %d more", hidden))
	}
	t.Write(to)
	for _, group := range a.Twins {
		fmt.Fprintf(to, "%d instances act alike: %s\n", len(group), instancesText(group))
	}
	fmt.Fprintf(to, "\n%d evaluations, %d contexts, seed %d\n", a.Evaluations, a.Contexts, a.Seed)
	cli.WriteNotes(to, a.Notes)
}
