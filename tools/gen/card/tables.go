package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// Marks in the README around a table.
const (
	keysMark  = "<!-- keys of tools/gen/card -->\n"
	kindsMark = "<!-- kinds of tools/gen/card -->\n"
	endMark   = "<!-- end -->\n"
)

// withTables returns the README with the tables of keys and of kinds of answers.
func withTables(text []byte, keys []signature.CardKey) ([]byte, error) {
	text, err := replaced(text, keysMark, keyTable(keys))
	if err != nil {
		return nil, err
	}
	var kinds []signature.CardForm
	for _, key := range keys {
		for _, form := range key.Forms {
			if form.Kind != "" {
				kinds = append(kinds, form)
			}
		}
	}
	return replaced(text, kindsMark, kindTable(kinds))
}

// replaced returns text with another table behind a mark.
func replaced(text []byte, mark, table string) ([]byte, error) {
	before, rest, found := bytes.Cut(text, []byte(mark))
	_, after, ended := bytes.Cut(rest, []byte(endMark))
	if !found || !ended {
		return nil, errors.New("it does not contain " + strings.TrimSpace(mark) + " and an end")
	}
	return fmt.Appendf(nil, "%s%s\n%s\n%s%s", before, mark, table, endMark, after), nil
}

// keyTable returns the table of all keys outside of answers, which kindTable has.
func keyTable(keys []signature.CardKey) string {
	var b strings.Builder
	b.WriteString("| key | value | without it |\n| --- | --- | --- |\n")
	writeKeys(&b, "", keys)
	return b.String()
}

// writeKeys writes a row for each key, and for the keys of the objects in it. path precedes them.
func writeKeys(b *strings.Builder, path string, keys []signature.CardKey) {
	for _, key := range keys {
		fmt.Fprintf(b, "| `%s%s` | %s | %s |\n", path, key.Name, value(key), cell(key.Without))
		for _, form := range key.Forms {
			for _, entry := range append(form.Entries, form) {
				if entry.Kind == "" {
					inside := path + key.Name + "."
					if form.Type == signature.CardList {
						inside = path + key.Name + "[]."
					}
					writeKeys(b, inside, entry.Keys)
				}
			}
		}
	}
}

// value describes the value of a key: its help, its type and its words.
func value(key signature.CardKey) string {
	text := cell(key.Help)
	for _, form := range key.Forms {
		var words []string
		for _, w := range form.Words {
			words = append(words, fmt.Sprintf("`%s` (%s)", w.Word, cell(w.Help)))
		}
		if words != nil {
			text += "; " + strings.Join(words, ", ")
		}
	}
	return text
}

// kindTable returns the table of the kinds of answers.
func kindTable(kinds []signature.CardForm) string {
	var b strings.Builder
	b.WriteString("| kind | read and explained | key | value | without it |\n" +
		"| --- | --- | --- | --- | --- |\n")
	for _, kind := range kinds {
		first := fmt.Sprintf("| `%s` | %s |", kind.Kind, cell(kind.KindHelp))
		for _, key := range kind.Keys {
			without := cell(key.Without)
			if key.Required {
				without = "required"
			}
			fmt.Fprintf(&b, "%s `%s` | %s | %s |\n", first, key.Name, value(key), without)
			first = "| | |"
		}
	}
	return b.String()
}

// cell writes a phrase as the cell of a table.
func cell(phrase string) string { return strings.ReplaceAll(phrase, "|", `\|`) }
