package bagio

import (
	"maps"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// labelWords are the labels of a column of a table, which holds whole numbers or, if its first cell
// is not a number, words. Words become classes only when all of them are known: see classesOf.
type labelWords struct {
	began bool
	words bool
	codes map[string]int // the code of each word, by first occurrence
	list  []string       // the word of each code
}

// add returns the label in a cell of a column of words: its code, or -1 for a missing one.
func (w *labelWords) add(t *table, cell string, at int) (int, error) {
	if isMissing(cell) {
		return -1, nil
	}
	code, known := w.codes[cell]
	if known {
		return code, nil
	}
	if len(cell) > maxID { // notes repeat it
		return 0, t.at(at, "the label has %d bytes, but at most %d are allowed; use shorter labels",
			len(cell), maxID)
	}
	if err := t.limits.reserve(t.file, int64(len(cell))+hashBytes); err != nil {
		return 0, err
	}
	if w.codes == nil {
		w.codes = map[string]int{}
	}
	cell = strings.Clone(cell) // the row's memory is reused
	code = len(w.list)
	w.codes[cell], w.list = code, append(w.list, cell)
	return code, nil
}

// text returns a label as the file has it.
func (w *labelWords) text(label int) string {
	if w.words && label >= 0 {
		return w.list[label]
	}
	return msg.Sprintf("%d", label)
}

// recode replaces the codes of words, which order sorts, by classes, and returns their legend.
func (w *labelWords) recode(file, column string, labels []int, o Options) (string, error) {
	if !w.words {
		return "", nil
	}
	sorted := slices.Sorted(maps.Keys(w.codes))
	classes, legend, err := classesOf(file, column, sorted, o)
	if err != nil {
		return "", err
	}
	byCode := make([]int, len(w.list))
	for i, word := range sorted {
		byCode[w.codes[word]] = classes[i]
	}
	for i, code := range labels {
		if code >= 0 {
			labels[i] = byCode[code]
		}
	}
	return legend, nil
}

// classesOf returns the class of each of the words that a column holds: that of the model with this
// name, without regard to case. If no word is the name of a class, classes are the places of the
// words. legend says which class each word is. The error is a *FormatError if only some words are
// names of classes, because the others would then take the numbers of those.
func classesOf(
	file, column string, words []string, o Options,
) (classes []int, legend string, err error) {
	known, missing := 0, ""
	for place, word := range words {
		class := slices.IndexFunc(o.Classes, func(c string) bool {
			return strings.EqualFold(strings.TrimSpace(c), strings.TrimSpace(word))
		})
		if class < 0 {
			class = place
			if missing == "" {
				missing = word
			}
		} else {
			known++
		}
		classes = append(classes, class)
	}
	if known > 0 && known < len(words) {
		return nil, "", bad(file, "its column %s has the label %q, and the model's classes are "+
			"%s; write the label as one of these, or as its number, or do not read the column as "+
			"labels", column, missing, msg.List(o.Classes))
	}
	var parts []string
	for i, word := range words[:min(len(words), 16)] {
		parts = append(parts, msg.Sprintf("%d is %s", classes[i], word))
	}
	return classes, " (" + strings.Join(parts, ", ") + ")", nil
}
