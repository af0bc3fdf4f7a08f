package main

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
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
var withLine = regexp.MustCompile(`^(\| \S+\.\w+):\d+ `)

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

// scoreRow returns a package as a row of the printed table.
func (r result) scoreRow() string {
	return scoreRow(r.folder, r.tried, r.tried-len(r.survivors))
}

func scoreRow(folder string, tried, noticed int) string {
	return fmt.Sprintf("| %s | %d | %d | %.0f %% |", folder, tried, noticed,
		percent(noticed, tried))
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

// An entry is what the table holds of a package.
type entry struct {
	tried, noticed int
	date           string   // day of the commit that was measured, as 2006-01-02
	survivors      []string // rows
}

// entry returns a result of a day as the table holds it.
func (r result) entry(day int64) entry {
	e := entry{tried: r.tried, noticed: r.tried - len(r.survivors),
		date: time.Unix(day*86400, 0).UTC().Format(time.DateOnly)}
	for _, s := range r.survivors {
		e.survivors = append(e.survivors, s.row())
	}
	return e
}

var (
	packageRow  = regexp.MustCompile(`^\| (\S+) \| (\d+) \| (\d+) \| \d+ % \| (\S+) \|$`)
	survivorRow = regexp.MustCompile(`^\| (\S+)/[^/]+\.\w+:\d+ `)
)

// parseTable returns the entries of a table by their folders.
func parseTable(text string) map[string]entry {
	rows := map[string]entry{}
	for row := range strings.SplitSeq(text, "\n") {
		if m := packageRow.FindStringSubmatch(row); m != nil {
			tried, _ := strconv.Atoi(m[2]) // digits
			noticed, _ := strconv.Atoi(m[3])
			rows[m[1]] = entry{tried: tried, noticed: noticed, date: m[4]}
		} else if m := survivorRow.FindStringSubmatch(row); m != nil {
			if e, known := rows[m[1]]; known {
				e.survivors = append(e.survivors, row)
				rows[m[1]] = e
			}
		}
	}
	return rows
}

// table returns the entries of listed packages in Markdown.
func table(listed targets, rows map[string]entry) string {
	var b strings.Builder
	var survivors []string
	tried, noticed := 0, 0
	fmt.Fprintf(&b, "# What the tests notice\n\n`make mutants` writes this file: changes of the "+
		"code, chosen by the seed %d, and those that\nno test notices. A run can measure a part "+
		"of the packages; each has the date of the commit that was\nmeasured.\n\n"+
		"| package | mutants | noticed | score | measured |\n| --- | --- | --- | --- | --- |\n",
		tableSeed)
	for _, t := range listed {
		e, measured := rows[t.folder]
		if !measured {
			fmt.Fprintf(&b, "| %s | | | | never |\n", t.folder)
			continue
		}
		b.WriteString(scoreRow(t.folder, e.tried, e.noticed) + " " + e.date + " |\n")
		tried, noticed = tried+e.tried, noticed+e.noticed
		survivors = append(survivors, e.survivors...)
	}
	fmt.Fprintf(&b, "%s |\n\n| place | change | code |\n| --- | --- | --- |\n",
		scoreRow("all", tried, noticed))
	for _, row := range survivors {
		b.WriteString(row + "\n")
	}
	return b.String()
}
