package main

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// An explained bag is written as a table, as CSV or as a picture. The server uses the same JSON.
type explained struct {
	*ask.Explained
	look lookFlags
}

// text appends the summary, the prediction and, for each method, the top instances with the largest
// scores, or all instances if top is 0.
func (x explained) text(to *bytes.Buffer, top int) {
	instances := strconv.Itoa(x.Bag.Len())
	if x.Instances != nil {
		instances += fmt.Sprintf(" of %d", x.Whole.Len())
	}
	fmt.Fprintf(to, "%s\n\n%s, %s %s, under %s\n\n", strings.Join(x.Summary, " "), x.Bag.Name,
		instances, msg.Line(x.Noun().Of(x.Whole.Len())), x.Model.Name)
	t := cli.Table{}
	x.prediction(&t)
	t.Write(to)
	x.missedText(to)
	x.covariatesText(to)
	// The report lists all classes of a method before the next method.
	for rest := x.Report.Explanations; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Method == rest[0].Method {
			n++
		}
		x.methodText(to, rest[:n], top)
		rest = rest[n:]
	}
	for _, s := range x.Report.Skipped {
		fmt.Fprintf(to, "\n%s was skipped: %s\n", s.Method, s.Reason)
	}
	fmt.Fprintf(to, "\n%d evaluations, seed %d\n", x.Report.Evaluations, x.Report.Seed)
	cli.WriteNotes(to, x.Notes())
}

// indexTitle heads the indices of instances, which flags and files have, beside their numbers.
const indexTitle = "index"

// missedText appends what the strongest instances of the first method do by themselves, and what
// the bag loses without each of them.
func (x explained) missedText(to *bytes.Buffer) {
	of := slices.DeleteFunc(slices.Clone(x.Missed), func(m ask.Missed) bool {
		return m.Method != x.Missed[0].Method
	})
	if len(of) == 0 {
		return
	}
	var numbers []float64
	for _, m := range of {
		numbers = append(numbers, float64(m.ByItself), float64(m.MissedHere))
	}
	texts := together(numbers)
	t := cli.Table{}
	class := of[0].Class
	t.Add(msg.Line(x.Noun().One), indexTitle, "by itself", "missed here",
		classTitle(class, x.Classes[class]))
	for n, m := range of {
		t.Add(strconv.Itoa(core.Number(m.Instance)), strconv.Itoa(m.Instance), texts[2*n],
			texts[2*n+1], msg.Line(string(m.Unit)))
	}
	to.WriteByte('\n')
	t.Write(to)
	for _, m := range of {
		if m.Sentence != "" {
			fmt.Fprintln(to, msg.Line(m.Sentence))
		}
	}
}

// together returns numbers with their signs and with as many decimals as the largest one needs for
// three digits.
func together(numbers []float64) []string {
	largest := 0.0
	for _, v := range numbers {
		largest = max(largest, math.Abs(v))
	}
	decimals := 2 - int(math.Floor(math.Log10(cmp.Or(largest, 1))))
	return ask.ListOf(numbers, func(v float64) string {
		if decimals > 6 || decimals < -3 {
			return fmt.Sprintf("%+.2e", v)
		}
		text := fmt.Sprintf("%+.*f", max(decimals, 0), v)
		if strings.Trim(text, "+-0.") == "" {
			return text[1:] // zero has no sign
		}
		return text
	})
}

// prediction adds a row for each class. The heading states the scale of the prediction, or each row
// its unit if the model card does.
func (x explained) prediction(t *cli.Table) {
	folds := x.Folds()
	row := func(class int, cells ...string) { t.Add(append(cells, foldCells(folds, class)...)...) }
	if x.Model.Heads == nil {
		row(-1, "class", string(x.Report.Output))
		for i, v := range x.Report.Prediction {
			row(i, classTitle(i, x.Classes[i]), cli.Short(v))
		}
		return
	}
	row(-1, "class", "answer", "unit")
	for i, v := range x.Report.Prediction {
		row(i, classTitle(i, x.Classes[i]), cli.Short(v), msg.Line(string(x.Report.Units[i])))
	}
}

// covariatesText appends what inputs beside the bag take and, relative to their references, add.
func (x explained) covariatesText(to *bytes.Buffer) {
	if len(x.Covariates) == 0 {
		return
	}
	to.WriteByte('\n')
	t := cli.Table{}
	compared := func(c ask.UsedCovariate) bool { return len(c.Reference) > 0 }
	if !slices.ContainsFunc(x.Covariates, compared) {
		t.Add("input", "value")
		for _, c := range x.Covariates {
			t.Add(c.Name, valuesText(c.Values, brief))
		}
		t.Write(to)
		return
	}
	t.Add("input", "value", "reference", "class", "adds", "unit", "prediction at reference")
	for _, c := range x.Covariates {
		if !compared(c) {
			t.Add(c.Name, valuesText(c.Values, brief))
		}
		for n, v := range c.Adds {
			t.Add(c.Name, valuesText(c.Values, brief), valuesText(c.Reference, brief),
				classTitle(n, x.Classes[n]), cli.Signed(float64(v)), string(c.Units[n]),
				cli.Short(float64(c.Instead[n])))
		}
	}
	t.Write(to)
}

// methodText appends one method's scores, a column for each class. Below them it shows the neutral
// point, how many scores chance or rounding explains, and the fit of the surrogate if there is one.
func (x explained) methodText(to *bytes.Buffer, classes []core.Explanation, top int) {
	first := classes[0]
	fmt.Fprintf(to, "\n%s%s\n", first.Method, settingsText(first.Settings))
	t := cli.Table{}
	// row adds a line: the first cell, that of the index, those of the name and the label if the
	// bag has them, and the classes'.
	row := func(first, index, name, label string, cell func(core.Explanation) string) {
		cells := []string{first, index}
		if x.Bag.InstanceNames != nil {
			cells = append(cells, name)
		}
		if x.Bag.Labels != nil {
			cells = append(cells, label)
		}
		t.Add(append(cells, ask.ListOf(classes, cell)...)...)
	}
	row(msg.Line(x.Noun().One), indexTitle, "name", "label", func(e core.Explanation) string {
		return classTitle(e.Class, x.Classes[e.Class])
	})
	// All classes share one order, so that a line is one instance.
	order := largest(classes)
	if top > 0 {
		order = order[:min(top, len(order))]
	}
	for _, i := range order {
		at := x.Position(i)
		number, score := strconv.Itoa(core.Number(at)), func(e core.Explanation) string {
			return scoreText(e, i)
		}
		row(number, strconv.Itoa(at), x.name(i), x.label(i), score)
	}
	// A reader must see that the table is not complete.
	if hidden := len(first.Scores) - len(order); hidden > 0 {
		t.Add(fmt.Sprintf("and %d more", hidden))
	}
	if x.Model.Heads != nil {
		row("unit", "", "", "", func(e core.Explanation) string { return msg.Line(string(e.Unit)) })
	}
	if slices.ContainsFunc(classes, func(e core.Explanation) bool { return e.Neutral != 0 }) {
		row("neutral", "", "", "", func(e core.Explanation) string { return cli.Short(e.Neutral) })
	}
	row("(do not stand out)", "", "", "", func(e core.Explanation) string {
		return fmt.Sprintf("%d of %d", e.Unclear(), len(e.Scores))
	})
	if !math.IsNaN(first.R2) {
		row("R²", "", "", "", func(e core.Explanation) string { return cli.Short(e.R2) })
	}
	t.Write(to)
	x.trustText(to, first.Method)
	cli.WriteNotes(to, append(x.methodNotes(classes), spreadNote(first)...))
}

// methodNotes returns the notes of one method, each once. A note that applies to some classes only
// begins with the titles of these classes.
func (x explained) methodNotes(classes []core.Explanation) (notes []string) {
	// titles holds the classes of each note.
	titles := map[string][]string{}
	for _, e := range classes {
		for _, n := range e.Notes {
			if titles[n] == nil {
				notes = append(notes, n)
			}
			titles[n] = append(titles[n], classTitle(e.Class, x.Classes[e.Class]))
		}
	}
	// A note about every class needs no titles.
	for at, n := range notes {
		if len(titles[n]) < len(classes) {
			notes[at] = strings.Join(titles[n], ", ") + ": " + n
		}
	}
	return notes
}

// longestName is the number of characters of a name in a table.
const longestName = 40

// name returns the name of instance i of the bag, or "".
func (x explained) name(i int) string {
	if x.Bag.InstanceNames == nil {
		return ""
	}
	name := []rune(msg.Line(x.Bag.InstanceNames[i]))
	if len(name) > longestName { // ends of paths differ
		return "…" + string(name[len(name)-longestName+1:])
	}
	return string(name)
}

// trustText appends how reliable a method's scores are, one sentence for each class.
func (x explained) trustText(to *bytes.Buffer, method string) {
	for _, t := range x.Trust {
		if t.Method != method {
			continue
		}
		// The sentences are in the order of the classes.
		for n, sentence := range t.Sentences {
			fmt.Fprintf(to, "trust, %s: %s\n", classTitle(t.Classes[n], x.Classes[t.Classes[n]]),
				sentence)
		}
	}
}

// scoreText returns a score as text, in brackets if chance or rounding explains it.
func scoreText(e core.Explanation, i int) string {
	// Brackets mark scores that should not be interpreted.
	if !e.Evident[i] {
		return "(" + cli.Signed(e.Scores[i]) + ")" + spreadText(e, i)
	}
	return cli.Signed(e.Scores[i]) + spreadText(e, i)
}

// largest returns the instances in descending order of the largest distance from the neutral point
// over the classes. Ties keep the order of the bag.
func largest(classes []core.Explanation) []int {
	size := make([]float64, len(classes[0].Scores))
	order := make([]int, len(size))
	for i := range size {
		order[i] = i
		for _, e := range classes {
			// The distance is that of the class in which the instance matters most.
			size[i] = max(size[i], math.Abs(e.Scores[i]-e.Neutral))
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(size[b], size[a]) })
	return order
}

// label returns the label of instance i, "?" if it is unknown, or "" if the bag has no labels.
func (x explained) label(i int) string {
	switch {
	case x.Bag.Labels == nil:
		return ""
	case x.Bag.Labels[i] < 0:
		return "?"
	}
	return strconv.Itoa(x.Bag.Labels[i])
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
			parts = append(parts, msg.Sprintf("%s %v", s.Name, v))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// png draws the bag with the report's first method into a file, at twice the size that a page would
// use, so that it is sharp in print. The result has a note on letters that the picture lacks.
func (x explained) png(name string) error {
	// A page shows a pixel of the drawing as one pixel of the screen.
	picture, err := draw.Auto(x.Bag, x.Picture, x.Report,
		x.look.options(draw.Options{ClassNames: x.Classes, Scale: 2}))
	if err != nil {
		return err
	}
	if lacking := picture.Lacking(); lacking != "" {
		x.Report.Notes = append(x.Report.Notes, msg.Sprintf("the fonts of pictures have no %s: "+
			"%s has question marks for them; --font FILE takes a font that has them, and the page "+
			"Look draws also scripts that join their letters",
			msg.Quoted(lacking), name))
	}
	return cli.WriteFile(name, picture.EncodePNG)
}
