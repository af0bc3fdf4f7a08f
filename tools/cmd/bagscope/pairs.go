package main

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// pairsCSV returns a row for each pair, after the heading. Numbers have all their digits.
func pairsCSV(a *ask.PairsAnswer) [][]string {
	rows := [][]string{{"a", "b", "value", "stderr", "unit", "evident"}}
	for _, p := range a.Pairs {
		rows = append(rows, []string{strconv.Itoa(p.A), strconv.Itoa(p.B),
			ask.Exact(float64(p.Value)), ask.Exact(float64(p.StdErr)), string(a.Unit),
			strconv.FormatBool(p.Evident)})
	}
	return rows
}

// pairsText appends the pairs with the largest interactions, and the twins.
func pairsText(to *bytes.Buffer, a *ask.PairsAnswer, top int) {
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
