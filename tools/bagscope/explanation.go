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
)

// The JSON of explain, on which scripts rely.
type (
	explanationJSON struct {
		Method      string         `json:"method"`
		Settings    map[string]any `json:"settings"`
		Class       int            `json:"class"`
		Scores      []number       `json:"scores"`
		StdErr      []number       `json:"stderr"`
		R2          number         `json:"r2"`
		Evaluations int            `json:"evaluations"`
		Notes       []string       `json:"notes"`
	}
	skippedJSON struct {
		Method string `json:"method"`
		Reason string `json:"reason"`
	}
	explainJSON struct {
		Model        modelJSON         `json:"model"`
		Bag          bagJSON           `json:"bag"`
		Classes      []string          `json:"classes"`
		Output       core.Output       `json:"output"`
		Prediction   []number          `json:"prediction"`
		Explanations []explanationJSON `json:"explanations"`
		Skipped      []skippedJSON     `json:"skipped"`
		Evaluations  int               `json:"evaluations"`
		Seed         uint64            `json:"seed"`
		Notes        []string          `json:"notes"`
	}
)

func (x *explained) json() explainJSON {
	out := explainJSON{
		Model: modelJSON{x.model.Name, x.model.SHA256}, Bag: bagJSON{x.bag.Name, x.bag.Len()},
		Classes: x.classes, Output: x.report.Output, Prediction: numbers(x.report.Prediction),
		Explanations: []explanationJSON{}, Skipped: skippedMethods(x.report.Skipped),
		Evaluations: x.report.Evaluations, Seed: x.report.Seed, Notes: x.notes(),
	}
	for _, e := range x.report.Explanations {
		out.Explanations = append(out.Explanations, explanationJSON{
			Method: e.Method, Settings: settingsMap(e.Settings), Class: e.Class,
			Scores: numbers(e.Scores), StdErr: numbers(e.StdErr), R2: number(e.R2),
			Evaluations: e.Evaluations, Notes: list(e.Notes),
		})
	}
	return out
}

// notes are the sentences of the model, the bag and the report, each once: a report repeats what the
// evaluator knows of the model.
func (x *explained) notes() []string {
	all := []string{}
	for _, n := range slices.Concat(x.model.Notes, x.set.Notes(), x.report.Notes) {
		if !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return all
}

func skippedMethods(skipped []core.Skipped) []skippedJSON {
	out := []skippedJSON{}
	for _, s := range skipped {
		out = append(out, skippedJSON{s.Method, s.Reason})
	}
	return out
}

func settingsMap(settings []core.Setting) map[string]any {
	m := map[string]any{}
	for _, s := range settings {
		if v, ok := s.Value.(float64); ok {
			m[s.Name] = number(v)
		} else {
			m[s.Name] = s.Value
		}
	}
	return m
}

func (x *explained) csv() [][]string {
	rows := [][]string{{"method", "class", "class_name", "instance", "score", "stderr"}}
	for _, e := range x.report.Explanations {
		for i, v := range e.Scores {
			stderr := ""
			if e.StdErr != nil {
				stderr = exact(e.StdErr[i])
			}
			rows = append(rows, []string{e.Method, strconv.Itoa(e.Class), x.classes[e.Class], strconv.Itoa(i), exact(v), stderr})
		}
	}
	return rows
}

// text prints the prediction and, for each method, the instances of the largest scores.
func (x *explained) text(w io.Writer, top int) error {
	fmt.Fprintf(w, "%s, %d instances, under %s\n\n", x.bag.Name, x.bag.Len(), x.model.Name)
	t := table{}
	t.add("class", string(x.report.Output))
	for i, v := range x.report.Prediction {
		t.add(classTitle(i, x.classes[i]), short(v))
	}
	if err := t.write(w); err != nil {
		return err
	}
	for rest := x.report.Explanations; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Method == rest[0].Method {
			n++
		}
		if err := x.methodText(w, rest[:n], top); err != nil {
			return err
		}
		rest = rest[n:]
	}
	for _, s := range x.report.Skipped {
		fmt.Fprintf(w, "\n%s was left out: %s\n", s.Method, s.Reason)
	}
	fmt.Fprintf(w, "\n%d evaluations, seed %d\n", x.report.Evaluations, x.report.Seed)
	return writeNotes(w, x.notes())
}

// methodText prints one method's scores, a column for each class.
func (x *explained) methodText(w io.Writer, classes []core.Explanation, top int) error {
	first := classes[0]
	fmt.Fprintf(w, "\n%s%s\n", first.Method, settingsText(first.Settings))
	t := table{}
	heading := []string{"instance"}
	if x.bag.Labels != nil {
		heading = append(heading, "label")
	}
	for _, e := range classes {
		heading = append(heading, classTitle(e.Class, x.classes[e.Class]))
	}
	t.add(heading...)
	order := largest(classes)
	if top > 0 {
		order = order[:min(top, len(order))]
	}
	for _, i := range order {
		row := []string{strconv.Itoa(i)}
		if x.bag.Labels != nil {
			row = append(row, labelText(x.bag.Labels[i]))
		}
		for _, e := range classes {
			row = append(row, signed(e.Scores[i]))
		}
		t.add(row...)
	}
	if hidden := len(first.Scores) - len(order); hidden > 0 {
		t.add(fmt.Sprintf("and %d more", hidden))
	}
	if !math.IsNaN(first.R2) {
		row := []string{"R²"}
		if x.bag.Labels != nil {
			row = append(row, "")
		}
		for _, e := range classes {
			row = append(row, short(e.R2))
		}
		t.add(row...)
	}
	if err := t.write(w); err != nil {
		return err
	}
	return writeNotes(w, first.Notes)
}

// largest orders instances by their largest score of either sign in any class, ties by index.
func largest(classes []core.Explanation) []int {
	size := make([]float64, len(classes[0].Scores))
	order := make([]int, len(size))
	for i := range size {
		order[i] = i
		for _, e := range classes {
			size[i] = max(size[i], math.Abs(e.Scores[i]))
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

// settingsText lists the settings that say something: unset words and switches are left out.
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
