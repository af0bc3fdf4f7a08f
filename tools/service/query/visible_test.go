package query

import (
	"bytes"
	"testing"
)

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"an 8 and a 9\n\tü 漢": "an 8 and a 9\n\tü 漢",
		"\x1b[2Jred\a\r":      `\x1b[2Jred\x07\x0d`,
		"\u009b31m\x7f":       `\x9b31m\x7f`,
	} {
		if got := Visible(text); got != want {
			t.Errorf("%q gives %q", text, got)
		}
	}
	if got := VisibleLine("a\nb\tc\x1b"); got != `a\nb\tc\x1b` {
		t.Errorf("a line is %q", got)
	}
}

// JSON has no control character that encoding/json leaves as it is.
func TestWriteJSONEscapesControls(t *testing.T) {
	var b bytes.Buffer
	if err := WriteJSON(&b, "\x1b\u009b\x7f<ü"); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), `"\u001b\u009b\u007f<ü"`+"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
