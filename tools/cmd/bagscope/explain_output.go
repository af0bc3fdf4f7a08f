package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/service/query"
)

// An explained bag is written as a table, as CSV or as a picture. The server uses the same JSON.
type explained struct{ *query.Explained }

func (x explained) csv() [][]string {
	rows := [][]string{{"method", "class", "class_name", "instance", "score", "stderr", "unit",
		"neutral", "evident"}}
	for _, e := range x.Report.Explanations {
		for i, v := range e.Scores {
			stderr := ""
			if e.StdErr != nil {
				stderr = cli.Exact(e.StdErr[i])
			}
			rows = append(rows, []string{
				e.Method, strconv.Itoa(e.Class), x.Classes[e.Class], strconv.Itoa(i), cli.Exact(v),
				stderr,
				string(e.Unit), cli.Exact(e.Neutral), strconv.FormatBool(e.Evident[i]),
			})
		}
	}
	return rows
}

// text prints the prediction and, for each method, the instances with the largest scores.
func (x explained) text(w io.Writer, top int) error {
	fmt.Fprintf(w, "%s, %d instances, under %s\n\n", x.Bag.Name, x.Bag.Len(), x.Model.Name)
	t := cli.Table{}
	t.Add("class", string(x.Report.Output))
	for i, v := range x.Report.Prediction {
		t.Add(classTitle(i, x.Classes[i]), cli.Short(v))
	}
	if err := t.Write(w); err != nil {
		return err
	}
	for rest := x.Report.Explanations; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Method == rest[0].Method {
			n++
		}
		if err := x.methodText(w, rest[:n], top); err != nil {
			return err
		}
		rest = rest[n:]
	}
	for _, s := range x.Report.Skipped {
		fmt.Fprintf(w, "\n%s was skipped: %s\n", s.Method, s.Reason)
	}
	fmt.Fprintf(w, "\n%d evaluations, seed %d\n", x.Report.Evaluations, x.Report.Seed)
	return cli.WriteNotes(w, x.Notes())
}

// methodText prints one method's scores, a column for each class.
func (x explained) methodText(w io.Writer, classes []core.Explanation, top int) error {
	first := classes[0]
	fmt.Fprintf(w, "\n%s%s\n", first.Method, settingsText(first.Settings))
	t := cli.Table{}
	heading := []string{"instance"}
	if x.Bag.Labels != nil {
		heading = append(heading, "label")
	}
	for _, e := range classes {
		heading = append(heading, classTitle(e.Class, x.Classes[e.Class]))
	}
	t.Add(heading...)
	order := largest(classes)
	if top > 0 {
		order = order[:min(top, len(order))]
	}
	for _, i := range order {
		row := []string{strconv.Itoa(i)}
		if x.Bag.Labels != nil {
			row = append(row, labelText(x.Bag.Labels[i]))
		}
		for _, e := range classes {
			row = append(row, scoreText(e, i))
		}
		t.Add(row...)
	}
	if hidden := len(first.Scores) - len(order); hidden > 0 {
		t.Add(fmt.Sprintf("and %d more", hidden))
	}
	foot := func(name string, value func(core.Explanation) string) {
		row := []string{name}
		if x.Bag.Labels != nil {
			row = append(row, "")
		}
		for _, e := range classes {
			row = append(row, value(e))
		}
		t.Add(row...)
	}
	if slices.ContainsFunc(classes, func(e core.Explanation) bool { return e.Neutral != 0 }) {
		foot("neutral", func(e core.Explanation) string { return cli.Short(e.Neutral) })
	}
	foot("(not distinguishable)", func(e core.Explanation) string {
		return fmt.Sprintf("%d of %d",
			e.Unclear(), len(e.Scores))
	})
	if !math.IsNaN(first.R2) {
		foot("R²", func(e core.Explanation) string { return cli.Short(e.R2) })
	}
	if err := t.Write(w); err != nil {
		return err
	}
	x.trustText(w, first.Method)
	return cli.WriteNotes(w, x.methodNotes(classes))
}

// methodNotes returns the notes of one method, each once. A note that applies to some classes only
// begins with the titles of these classes.
func (x explained) methodNotes(classes []core.Explanation) (notes []string) {
	titles := map[string][]string{}
	for _, e := range classes {
		for _, n := range e.Notes {
			if titles[n] == nil {
				notes = append(notes, n)
			}
			titles[n] = append(titles[n], classTitle(e.Class, x.Classes[e.Class]))
		}
	}
	for at, n := range notes {
		if len(titles[n]) < len(classes) {
			notes[at] = strings.Join(titles[n], ", ") + ": " + n
		}
	}
	return notes
}

// trustText prints how reliable a method's scores are, one sentence for each class.
func (x explained) trustText(w io.Writer, method string) {
	for _, t := range x.Trust {
		if t.Method != method {
			continue
		}
		for n, sentence := range t.Sentences {
			fmt.Fprintf(w, "trust, %s: %s\n", classTitle(t.Classes[n], x.Classes[t.Classes[n]]),
				sentence)
		}
	}
}

// scoreText returns a score as text, in brackets if chance or rounding explains it.
func scoreText(e core.Explanation, i int) string {
	if !e.Evident[i] {
		return "(" + cli.Signed(e.Scores[i]) + ")"
	}
	return cli.Signed(e.Scores[i])
}

// largest returns the instances in descending order of the largest distance from the neutral point
// over the classes. Ties keep the order of the bag.
func largest(classes []core.Explanation) []int {
	size := make([]float64, len(classes[0].Scores))
	order := make([]int, len(size))
	for i := range size {
		order[i] = i
		for _, e := range classes {
			size[i] = max(size[i], math.Abs(e.Scores[i]-e.Neutral))
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(size[b], size[a]) })
	return order
}

func labelText(label int) string {
	if label < 0 {
		return "?"
	}
	return strconv.Itoa(label)
}

// settingsText returns the settings as text, without empty strings and false switches.
func settingsText(settings []core.Setting) string {
	var parts []string
	for _, s := range settings {
		switch v := s.Value.(type) {
		case string:
			if v != "" {
				parts = append(parts, s.Name+" "+v)
			}
		case bool:
			if v {
				parts = append(parts, s.Name)
			}
		default:
			parts = append(parts, fmt.Sprintf("%s %v", s.Name, v))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
