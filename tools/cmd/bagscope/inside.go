package main

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// insideCSV returns a row for each cell, after the heading: its corner in pixels, its score, and
// the names of its features. Numbers have all their digits, and a missing standard error is empty.
func insideCSV(a *ask.InsideAnswer) [][]string {
	rows := [][]string{{"x", "y", "score", "stderr", "unit", "evident", "features"}}
	for c := range a.Scores {
		stderr := ""
		if len(a.StdErr) > 0 {
			stderr = ask.Exact(float64(a.StdErr[c]))
		}
		rows = append(rows, []string{strconv.Itoa(c % a.Columns * a.Cell),
			strconv.Itoa(c / a.Columns * a.Cell), ask.Exact(float64(a.Scores[c])), stderr,
			string(a.Unit), strconv.FormatBool(a.Evident[c]), a.Features(c)})
	}
	return rows
}

// mostListed is how many instances a line lists.
const mostListed = 12

// insideText appends the cells with the largest scores.
func insideText(to *bytes.Buffer, a *ask.InsideAnswer, top int) {
	writeAnswered(to, a.Answered)
	bands := a.Groups == "bands"
	parts := fmt.Sprintf("%d by %d cells", a.Rows, a.Columns)
	if bands {
		parts = fmt.Sprintf("%d bands", a.Columns)
	}
	of := fmt.Sprintf("instance %d", a.Instance)
	if n := len(a.Together); n > 1 {
		of = fmt.Sprintf("%d instances together", n)
		if n <= mostListed {
			of += ": " + instancesText(a.Together)
		}
	}
	fmt.Fprintf(to, "\n%s of %s, in %s\n", parts, of, msg.Line(string(a.Unit)))
	fmt.Fprintf(to, "hiding all of them (%s) takes away %s\n", a.Hidden,
		cli.Signed(float64(a.Whole)))
	order := make([]int, len(a.Scores))
	for c := range order {
		order[c] = c
	}
	slices.SortStableFunc(order, func(b, c int) int {
		return cmp.Compare(math.Abs(float64(a.Scores[c])), math.Abs(float64(a.Scores[b])))
	})
	if top > 0 {
		order = order[:min(top, len(order))]
	}
	t := cli.Table{Words: true}
	if bands {
		t.Add("band", "score", "error", "")
	} else {
		t.Add("x", "y", "score", "error", "features")
	}
	for _, c := range order {
		value, stderr := cli.Signed(float64(a.Scores[c])), "0"
		if !a.Evident[c] {
			value = "(" + value + ")"
		}
		if len(a.StdErr) > 0 {
			stderr = cli.Short(float64(a.StdErr[c]))
		}
		if bands {
			t.Add(strconv.Itoa(c+1), value, stderr, bar(a.Scores, c))
			continue
		}
		t.Add(strconv.Itoa(c%a.Columns*a.Cell), strconv.Itoa(c/a.Columns*a.Cell), value, stderr,
			msg.Line(a.Features(c)))
	}
	if hidden := len(a.Scores) - len(order); hidden > 0 {
		t.Add(fmt.Sprintf("and %d more", hidden))
	}
	t.Write(to)
	if bands {
		to.WriteString("bands are in the order in which the model takes them, counted from 1; " +
			"(..) is not distinguishable from 0\n")
	} else {
		to.WriteString(
			"x and y are the upper left pixel of a cell; (..) is not distinguishable from 0\n")
	}
	fmt.Fprintf(to, "\n%d evaluations, %d sets of visible cells, seed %d\n",
		a.Evaluations, a.Samples, a.Seed)
	cli.WriteNotes(to, a.Notes)
}

// bar returns a bar of the size of a score, of at most 20 signs.
func bar(scores []ask.Number, c int) string {
	most := 0.
	for _, v := range scores {
		most = max(most, math.Abs(float64(v)))
	}
	if most == 0 {
		return ""
	}
	sign := "+"
	if scores[c] < 0 {
		sign = "-"
	}
	return strings.Repeat(sign, int(math.Round(20*math.Abs(float64(scores[c]))/most)))
}
