package msg

import (
	"fmt"
	"strings"
	"unicode"
)

// Line returns text in one line of visible characters: newlines, control characters and characters
// that change the direction of the text or have no width are escaped as in Go: \n, \x1b, \u202e.
// Names of classes, files and bags come from files that others wrote; unescaped, they could move
// the cursor of a terminal, hide or reverse text, or begin a line of their own. Bytes that are not
// UTF-8 become U+FFFD.
func Line(text string) string { return visible(text, isHidden) }

// Lines is Line for a text of several lines: newlines and tabs remain.
func Lines(text string) string {
	return visible(text, func(r rune) bool { return isHidden(r) && r != '\n' && r != '\t' })
}

func visible(text string, hidden func(rune) bool) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if !strings.ContainsFunc(text, hidden) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r <= 0xff:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

// isHidden reports whether Line escapes a character. The two joiners remain: Persian, Indic scripts
// and emoji need them.
func isHidden(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) &&
		r != nonJoiner && r != joiner
}
