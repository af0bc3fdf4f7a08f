package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"
)

// row returns a survivor as a row of the table.
func (s survivor) row() string {
	reached := ""
	if !s.reached {
		reached = "; no test runs it"
	}
	return fmt.Sprintf("| %s:%d %s | %s | `%s`%s |", s.file, s.line, s.function, s.operator,
		strings.ReplaceAll(s.shown, "|", `\|`), reached)
}

// withLine matches the line of a survivor in its row.
var withLine = regexp.MustCompile(`^(\| \S+\.go):\d+ `)

// survivorLines returns the rows of survivors of a table, without their lines.
func survivorLines(text string) map[string]bool {
	rows := map[string]bool{}
	for row := range strings.SplitSeq(text, "\n") {
		if withLine.MatchString(row) {
			rows[withLine.ReplaceAllString(row, "$1 ")] = true
		}
	}
	return rows
}

// scoreRow returns a package as a row of the table.
func (r result) scoreRow() string {
	return fmt.Sprintf("| %s | %d | %d | %.0f %% |", r.folder, r.tried, r.tried-len(r.survivors),
		r.score())
}

// print writes the score and the survivors of a package, and which of them are new.
func (r result) print(w io.Writer, before map[string]bool) {
	fmt.Fprintln(w, r.scoreRow())
	for _, s := range r.survivors {
		mark := "new "
		if before[withLine.ReplaceAllString(s.row(), "$1 ")] {
			mark = "    "
		}
		fmt.Fprintln(w, mark+s.row())
	}
	for _, name := range r.left {
		fmt.Fprintf(w, "    %s fails without a mutant and was left out\n", name)
	}
}

// table returns the results of all packages in Markdown.
func table(results []result, seed uint64) string {
	var b strings.Builder
	total := result{folder: "all"}
	fmt.Fprintf(&b, "# What the tests notice\n\n`make mutants` writes this file: changes of the "+
		"code, chosen by the seed %d, and those that no test notices.\n\n"+
		"| package | mutants | noticed | score |\n| --- | --- | --- | --- |\n", seed)
	for _, r := range results {
		b.WriteString(r.scoreRow() + "\n")
		total.tried += r.tried
		total.survivors = append(total.survivors, r.survivors...)
	}
	b.WriteString(total.scoreRow() + "\n\n| place | change | code |\n| --- | --- | --- |\n")
	for _, s := range total.survivors {
		b.WriteString(s.row() + "\n")
	}
	return b.String()
}
