// Package csvfile writes CSV files whose cells a spreadsheet shows as text. Names of classes, bags
// and files come from files that others wrote; unchanged, a name such as =HYPERLINK(...) would run
// as a formula.
package csvfile

import (
	"encoding/csv"
	"io"
	"regexp"

	"github.com/bagscope/bagscope/internal/msg"
)

// Write writes rows as CSV; the first row is the heading. Each cell is written as Cell returns it.
func Write(w io.Writer, rows [][]string) error {
	out := csv.NewWriter(w)
	for _, row := range rows {
		safe := make([]string, len(row))
		for i, text := range row {
			safe[i] = Cell(text)
		}
		if err := out.Write(safe); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// number matches a number as Write's callers format it.
var number = regexp.MustCompile(`^[+-]?((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|Inf)$`)

// formula matches where a spreadsheet could begin a formula: at the first character of a cell that
// is not a space or a quote. Where the decimal sign is a comma, a semicolon begins a cell.
var formula = regexp.MustCompile(`(^|;)([\s\p{Z}'"]*[=+\-@＝＋－＠﹦﹢﹣﹫−])`)

// Cell returns a cell of a CSV file: a number as it is, another text in one visible line, as
// msg.Line returns it, with an apostrophe before each part that a spreadsheet could run as a
// formula. Different texts can give the same cell; JSON has the exact ones.
func Cell(text string) string {
	if number.MatchString(text) {
		return text
	}
	return formula.ReplaceAllString(msg.Line(text), "$1'$2")
}
