package bagio

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A dialect is how a table separates its cells and writes its numbers.
type dialect struct {
	comma   rune // comma, semicolon, tab, vertical bar or space
	decimal byte // '.' or ',' from the first number that has either, else 0
}

// delimiters has separators as Python writes them.
var delimiters = map[rune]string{',': "','", ';': "';'", '\t': "None", '|': "'|'", ' ': "None"}

// dialectOf returns the dialect of a table and the table without what stands before its header: a
// byte-order mark, or a line such as "sep=;" that names the separator for spreadsheets.
func dialectOf(data []byte) (dialect, []byte) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	if named := bytes.TrimPrefix(bytes.TrimSpace(line), []byte("sep=")); len(named) == 1 &&
		bytes.ContainsAny(named, ",;|") {
		return dialect{comma: rune(named[0])}, rest
	}
	return dialect{comma: separator(line)}, data
}

// separator returns the most frequent of comma, semicolon, tab and vertical bar in a header,
// outside of quotes, or a space if there is none of these. In a line of numbers, commas beside
// semicolons or tabs are those of decimals.
func separator(line []byte) rune {
	// The header names columns, and names rarely contain a separator.
	count, quoted := map[byte]int{}, false
	for _, c := range line {
		if c == '"' {
			quoted = !quoted
		} else if !quoted {
			count[c]++
		}
	}
	best := byte(',')
	if len(bytes.Trim(line, "0123456789+-.,;\t \reE")) == 0 {
		count[best] = 0
	}
	for _, c := range []byte(";\t|") {
		if count[c] > count[best] {
			best = c
		}
	}
	if count[best] == 0 && count[' '] > 0 {
		return ' '
	}
	return rune(best)
}

// parse returns the number in a cell, as strconv.ParseFloat does. Where cells are not separated by
// commas, a number may have a decimal comma; numbers with a point are then a *strconv.NumError, and
// the other way round, because 1.234 would be either of two numbers.
func (d *dialect) parse(cell string, bits int) (float64, error) {
	if d.comma == ',' {
		return strconv.ParseFloat(cell, bits)
	}
	at := strings.IndexAny(cell, ".,")
	if at < 0 {
		return strconv.ParseFloat(cell, bits)
	}
	mark := cell[at]
	if d.decimal != 0 && d.decimal != mark {
		return 0, &strconv.NumError{Func: "ParseFloat", Num: cell, Err: strconv.ErrSyntax}
	}
	v, err := strconv.ParseFloat(cell[:at]+"."+cell[at+1:], bits)
	if err == nil {
		d.decimal = mark
	}
	return v, err
}

// pointed returns a cell whose number has a decimal point.
func (d *dialect) pointed(cell string) string {
	if d.decimal == ',' {
		return strings.Replace(cell, ",", ".", 1)
	}
	return strings.Clone(cell) // a reader reuses the memory of a row
}

// columnName returns the name in a cell of a header. Bytes that are not UTF-8 are those of Latin-1,
// which programs on Windows write: a unit of micrometres would be lost.
func columnName(cell string) string {
	cell = strings.TrimSpace(cell)
	if utf8.ValidString(cell) {
		return cell
	}
	runes := make([]rune, 0, len(cell))
	for _, c := range []byte(cell) {
		runes = append(runes, rune(c))
	}
	return string(runes)
}
