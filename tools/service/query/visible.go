package query

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns a text in which control characters are replaced by their escapes in Go, such as
// \x1b. Names of classes, files and bags come from files that others wrote; on a terminal, their
// control characters could move the cursor, hide lines or change the title. Lines and tabs remain.
func Visible(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, isHidden) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if isHidden(r) {
			fmt.Fprintf(&b, `\x%02x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isHidden reports whether Visible replaces a character.
func isHidden(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t'
}

// VisibleLine is Visible for a text that must stay in one line.
func VisibleLine(text string) string {
	return Visible(strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(text))
}
