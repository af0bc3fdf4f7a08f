package arch

import (
	"regexp"
	"strings"
)

// A scriptSyntax is what strings of a language look like.
type scriptSyntax struct {
	comment *regexp.Regexp // matches a comment, and what else is no string, at the beginning
	quotes  string
	joins   string         // what may be between two strings that are one
	value   string         // how a value within a formatted string begins
	mark    *regexp.Regexp // matches what is before the quote of a formatted string
}

var (
	typeScript = scriptSyntax{regexp.MustCompile(`(?s)^(?://[^\n]*|/\*.*?\*/)`), "'\"`",
		"+ \t\n\r", "${", regexp.MustCompile("^`")}
	python = scriptSyntax{regexp.MustCompile(`(?s)^(?:#[^\n]*|[a-zA-Z]{0,2}""".*?""")`), `'"`,
		"rf \t\n\r", "{", regexp.MustCompile(`^f`)}
)

// slashes matches a regular expression of TypeScript.
var slashes = regexp.MustCompile(`^/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[*])(?:\\.|` +
	`\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])*/`)

// syntaxOf returns the syntax of a file.
func syntaxOf(file string) scriptSyntax {
	if strings.HasSuffix(file, ".py") {
		return python
	}
	return typeScript
}

// literals returns the strings of a program, joined where the program joins them; … stands for
// values within. Comments, docstrings and regular expressions are none.
func (s scriptSyntax) literals(source string) (texts []string) {
	joined := false // whether the next string continues the last one
	last := byte(0) // the last character that is no space
	for at := 0; at < len(source); {
		rest := source[at:]
		c := rest[0]
		n := len(s.comment.FindString(rest))
		switch {
		case n > 0:
		case c == '/' && strings.IndexByte("\x00(,=:[!&|?{};", last) >= 0 &&
			slashes.MatchString(rest):
			n, joined, last = len(slashes.FindString(rest)), false, c
		case strings.IndexByte(s.quotes, c) >= 0:
			text := ""
			text, n = s.quoted(rest, s.mark.MatchString(source[max(0, at-1):]) ||
				s.mark.MatchString(rest))
			if joined {
				texts[len(texts)-1] += text
			} else {
				texts = append(texts, text)
			}
			joined, last = true, c
		default:
			n, joined = 1, joined && strings.IndexByte(s.joins, c) >= 0
			if strings.TrimSpace(rest[:1]) != "" {
				last = c
			}
		}
		at += n
	}
	return texts
}

// quoted returns the text of a string at the beginning of source and its length in source.
func (s scriptSyntax) quoted(source string, formatted bool) (text string, length int) {
	var out strings.Builder
	for at := 1; at < len(source); at++ {
		switch rest := source[at:]; {
		case rest[0] == source[0]:
			return out.String(), at + 1
		case rest[0] == '\\' && len(rest) > 1:
			at++
			out.WriteString(strings.Replace(rest[1:2], "n", "\n", 1))
		case formatted && s.value == "{" && (rest[:2] == "{{" || rest[:2] == "}}"):
			at++
			out.WriteByte(rest[0])
		case formatted && strings.HasPrefix(rest, s.value):
			at += valueLength(rest) - 1
			out.WriteString("…")
		default:
			out.WriteByte(rest[0])
		}
	}
	return out.String(), len(source)
}

// valueLength returns the length of a value up to the brace that closes it.
func valueLength(source string) int {
	depth := 0
	for i, c := range source {
		switch c {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(source)
}
