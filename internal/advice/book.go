package advice

import (
	"flag"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/testfile"
)

// A Line of testdata/advice.txt is a text of the code that advises something, and the tests that
// follow it.
type Line struct {
	Tests []string // "TestWays"
	Text  string   // the code's text; … stands for what is not a constant
}

// Lines reads testdata/advice.txt: "TEST TEST | TEXT".
func Lines(t testing.TB) (lines []Line) {
	t.Helper()
	for line := range strings.Lines(string(testfile.Read(t, "advice.txt"))) {
		tests, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " | ")
		if ok && !strings.HasPrefix(line, "#") {
			lines = append(lines, Line{strings.Fields(tests), text})
		}
	}
	return lines
}

// verb matches what fmt replaces in a text, and what is not a constant.
var verb = regexp.MustCompile(`%[-+#]?(\[\d\])?[.0-9]*[a-z]|…`)

// In reports whether a message has the text.
func (l Line) In(message string) bool {
	var parts []string
	at := 0
	for _, place := range verb.FindAllStringIndex(l.Text, -1) {
		parts = append(parts, regexp.QuoteMeta(l.Text[at:place[0]]))
		at = place[1]
	}
	parts = append(parts, regexp.QuoteMeta(l.Text[at:]))
	return regexp.MustCompile("(?s)" + strings.Join(parts, ".*")).MatchString(message)
}

// A Book is the advice that a test must follow.
type Book struct {
	lines    []Line
	followed map[string]bool
	skipped  bool
}

// Of returns the lines of testdata/advice.txt that name this test. When the test ends, it fails
// unless each was in a message that [Book.Follow] or [Book.Read] got, or a case was skipped.
func Of(t *testing.T) *Book {
	b := &Book{followed: map[string]bool{}}
	for _, line := range Lines(t) {
		if slices.Contains(line.Tests, t.Name()) {
			b.lines = append(b.lines, line)
		}
	}
	if len(b.lines) == 0 {
		t.Errorf("testdata/advice.txt names no advice that %s follows", t.Name())
	}
	part := strings.Contains(flag.Lookup("test.run").Value.String(), "/")
	t.Cleanup(func() {
		for _, line := range b.lines {
			if !b.followed[line.Text] && !part && !b.skipped && !t.Failed() {
				t.Errorf("no case follows: %s", line.Text)
			}
		}
	})
	return b
}

// Skip skips a case because this machine cannot follow its advice.
func (b *Book) Skip(t *testing.T, reason string) {
	t.Helper()
	b.skipped = true
	t.Skip(reason)
}

// Read returns the line of the book that a message has, the one with words if it has several, and
// notes that the caller follows it. It ends the test if there is not exactly one.
func (b *Book) Read(t *testing.T, message, words string) Line {
	t.Helper()
	lines := slices.DeleteFunc(b.in(message), func(l Line) bool {
		return !strings.Contains(l.Text, words)
	})
	if len(lines) != 1 {
		t.Fatalf("%d lines of testdata/advice.txt for this test are in the message, and one is "+
			"followed: %s", len(lines), message)
	}
	b.followed[lines[0].Text] = true
	return lines[0]
}

// in returns the lines of the book that a message has.
func (b *Book) in(message string) []Line {
	return slices.DeleteFunc(slices.Clone(b.lines), func(l Line) bool { return !l.In(message) })
}
