package msg

import (
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"an 8 and a 9 ü 漢 😀":               "an 8 and a 9 ü 漢 😀",
		"\x1b[2Jred\a\r":                   `\x1b[2Jred\x07\x0d`,
		"\u009b31m\x7f":                    `\x9b31m\x7f`,
		"fdp\u202egnp.exe\u2066":           `fdp\u202egnp.exe\u2066`,
		"a\u2028b\ufeffc\u200bd\U000e0041": `a\u2028b\ufeffc\u200bd\U000e0041`,
		"می\u200cخواهم":                    "می\u200cخواهم",
		"a\xffb":                           "a\ufffdb",
		`C:\new`:                           `C:\new`,
	} {
		for _, got := range []string{Line(text), Lines(text), Line(Line(text))} {
			must.Equal(t, got, want, text)
		}
	}
	must.Equal(t, Line("a\nb\tc\x1b"), `a\nb\tc\x1b`, "a line is")
	must.Equal(t, Lines("a\nb\tc\x1b"), "a\nb\tc"+`\x1b`, "lines are")
}
